use std::task::{Context, Waker};

use bytes::Bytes;
use mcpeak_core::redact::Redactor;
use proptest::prelude::*;

use super::super::journal::path_of;
use super::super::{Answer, Form, Recorder, Recovered, Session, SessionError, recover};
use super::{Call, Place, bytes, capture, finish, get, gzip, hit, post, response, send};
use crate::exchange::{FailureKind, Framing, IncompleteCause, Outcome};
use crate::report::{Counts, Warning};

fn plain() -> Redactor {
    Redactor::default()
}

#[tokio::test]
async fn s13_same_file_whatever_the_order_of_completion() {
    let calls: Vec<Call> = (0..12)
        .map(|index| {
            get(&format!("/v1/{index}?api_key=key{index}"), &format!("{{\"token\":\"secret-{index}\"}}"))
        })
        .collect();
    let mut texts = Vec::new();
    for turn in 0..3_usize {
        let place = Place::new();
        let recorder = Recorder::create(&place.path(), false, plain()).unwrap();
        let mut order: Vec<&Call> = calls.iter().collect();
        order.rotate_left(turn * 5);
        let pendings: Vec<_> = order.iter().map(|call| recorder.begin(&call.head)).collect();
        let mut both: Vec<_> = pendings.into_iter().zip(order).collect();
        if turn % 2 == 1 {
            both.reverse();
        }
        for (pending, call) in both {
            drop(finish(pending, call));
        }
        recorder.complete(&Counts::default()).await.unwrap();
        let text = place.text();
        texts.push(text[..text.find("\"meta\"").unwrap()].to_owned());
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0], texts[2]);
}

#[tokio::test]
async fn f2_recording_the_same_again_gives_a_zero_diff() {
    let place = Place::new();
    let dated = |date: &str, level: &[u8]| {
        let fields = [("Date", date), ("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
        vec![get("/a", "").answered(&fields, Bytes::copy_from_slice(level)), get("/b", "{\"b\":1}")]
    };
    let first = gzip(b"{\"a\":1}");
    let mut second = first.clone();
    second[4] = 7; // the compressor's clock (RFC 1952 section 2.3)
    place.record(plain(), false, &dated("Mon, 01 Jan 2024 00:00:00 GMT", &first)).await;
    let text = place.text().replace("\"recordedAt\": \"20", "\"recordedAt\": \"19");
    std::fs::write(place.path(), &text).unwrap();
    place.record(plain(), true, &dated("Tue, 02 Jan 2024 00:00:00 GMT", &second)).await;
    assert_eq!(place.text(), text, "neither the clock nor the tool shows");
    place.record(plain(), true, &[get("/a", "{\"a\":2}")]).await;
    assert_ne!(place.text(), text);
}

#[tokio::test]
async fn b1_b3_encoded_bodies_are_readable_on_disk_and_exact_on_the_wire() {
    let place = Place::new();
    let wire = gzip(b"{\"tempC\":21}");
    let call = get("/w", "")
        .answered(&[("content-type", "application/json"), ("content-encoding", "gzip")], wire.clone());
    place.record(plain(), false, std::slice::from_ref(&call)).await;
    assert!(place.text().contains("\"tempC\": 21"), "{}", place.text());
    let stored = hit(&place.replay(plain()), &call);
    assert_eq!(bytes(&stored), wire);
    assert_eq!(response(&stored).headers.get("content-length"), Some(wire.len().to_string().as_str()));
}

#[tokio::test]
async fn b2_broken_and_unknown_encodings_are_stored_raw() {
    let place = Place::new();
    let broken = get("/broken", "").answered(&[("content-encoding", "gzip")], &b"\x1f\x8bnot gzip"[..]);
    let unknown = get("/unknown", "").answered(&[("content-encoding", "aes128gcm")], &b"\x00\x01"[..]);
    place.record(plain(), false, &[broken.clone(), unknown.clone()]).await;
    let replay = place.replay(plain());
    for call in [broken, unknown] {
        let stored = hit(&replay, &call);
        assert_eq!(bytes(&stored), call.answer);
        assert!(response(&stored).headers.contains("content-encoding"));
    }
}

#[tokio::test]
async fn b8_f5_large_bodies_are_side_files_with_the_right_extension() {
    let place = Place::new();
    let image = |size: usize| {
        Bytes::from((0..size).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect::<Vec<_>>())
    };
    let png = [("Content-Type", "image/png")];
    let held = get("/held", "").answered(&png, image(100_000));
    let large = get("/large", "").answered(&png, image(6_000_000));
    let twice = get("/twice", "").answered(&png, image(100_000));
    place.record(plain(), false, &[held.clone(), large.clone(), twice.clone()]).await;
    let files = place.files();
    assert_eq!(
        files.len(),
        3,
        "one file for equal bytes, no parts left: {:?}",
        files.iter().map(|f| &f.0).collect::<Vec<_>>()
    );
    assert!(files.iter().all(|(name, _)| name.contains(".png") || name == "weather.session.json"));
    let replay = place.replay(plain());
    for call in [held, large, twice] {
        assert_eq!(bytes(&hit(&replay, &call)), call.answer);
    }
}

#[tokio::test]
async fn b12_a_body_of_another_length_is_not_stored_as_complete() {
    let place = Place::new();
    let mut call = get("/short", "{\"whole\":true}");
    call.answer = call.answer.slice(..5);
    let report = place.record(plain(), false, &[call.clone()]).await;
    assert!(report.warnings.iter().any(|warning| matches!(warning, Warning::LengthMismatch { .. })));
    let stored = hit(&place.replay(plain()), &call);
    let incomplete = response(&stored).incomplete.unwrap();
    assert_eq!((incomplete.after_bytes, incomplete.cause), (5, IncompleteCause::Upstream));
    assert_eq!(response(&stored).headers.get("content-length"), Some("14"), "as announced");
}

#[tokio::test]
async fn h1_h2_h3_h5_headers_and_framing() {
    let place = Place::new();
    let mut call = get("/h", "{}");
    call.response.headers = super::fields(&[
        ("X-Custom-Case", "1"),
        ("Set-Cookie", "a=1; Path=/"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "keep-alive, X-Hop"),
        ("X-Hop", "1"),
        ("set-cookie", "b=2"),
        ("Set-Cookie", "c="),
    ]);
    call.response.framing = Framing::Chunked;
    call.trailers = super::fields(&[("X-Trailer", "t")]);
    place.record(plain(), false, &[call.clone()]).await;
    let stored = hit(&place.replay(plain()), &call);
    let response = response(&stored);
    let names: Vec<_> = response.headers.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["X-Custom-Case", "Set-Cookie", "Transfer-Encoding", "set-cookie", "Set-Cookie"]);
    assert_eq!(response.framing, Framing::Chunked);
    assert_eq!(response.trailers, call.trailers);
    let cookies: Vec<_> = response.headers.get_all("set-cookie").collect();
    assert_eq!(cookies, ["a={{token:1}}; Path=/", "b={{token:2}}", "c="]);
}

#[tokio::test]
async fn failures_are_outcomes() {
    let place = Place::new();
    let call = get("/down", "");
    let recorder = Recorder::create(&place.path(), false, plain()).unwrap();
    let pending = recorder.begin(&call.head);
    let request = capture(pending.request_sink(), &call.body);
    drop(pending.finish(request, Outcome::Failure(FailureKind::Refused)));
    drop(recorder.begin(&call.head));
    let report = recorder.complete(&Counts::default()).await.unwrap();
    assert_eq!((report.recorded, report.warnings), (1, vec![Warning::Aborted { count: 1 }]));
    assert!(matches!(*hit(&place.replay(plain()), &call), super::Stored::Failure(FailureKind::Refused)));
}

#[tokio::test]
async fn nothing_is_overwritten_without_force_and_a_second_recorder_is_refused() {
    let place = Place::new();
    place.record(plain(), false, &[get("/a", "{}")]).await;
    let text = place.text();
    assert!(matches!(Recorder::create(&place.path(), false, plain()), Err(SessionError::Exists { .. })));
    let recorder = Recorder::create(&place.path(), true, plain()).unwrap();
    assert!(matches!(Recorder::create(&place.path(), true, plain()), Err(SessionError::Locked { .. })));
    send(&recorder, &get("/b", "{}"));
    assert_eq!(place.text(), text, "the old file is there until the new one is whole");
    recorder.complete(&Counts::default()).await.unwrap();
    assert!(matches!(recorder.complete(&Counts::default()).await, Err(SessionError::Finished { .. })));
    assert!(!path_of(&place.path()).exists());
}

#[tokio::test]
async fn an_interrupted_recording_is_recovered() {
    let place = Place::new();
    let calls = [get("/a", "{\"token\":\"abc\"}"), get("/b", "{}")];
    let large = get("/l", "").answered(&[("Content-Type", "text/csv")], vec![b'x'; 5_000_000]);
    let recorder = Recorder::create(&place.path(), false, plain()).unwrap();
    calls.iter().chain([&large]).for_each(|call| send(&recorder, call));
    let journal = path_of(&place.path());
    // Every exchange is on the disk without an orderly end.
    while std::fs::read_to_string(&journal).unwrap().lines().count() < 4 {
        tokio::task::yield_now().await;
    }
    drop(recorder);
    // The writer lets go of the lock once it sees that the last handle is gone.
    while matches!(Recorder::create(&place.path(), false, plain()), Err(SessionError::Locked { .. })) {
        tokio::task::yield_now().await;
    }
    let mut lines = std::fs::read(&journal).unwrap();
    lines.extend_from_slice("{\"seq\":9,\"method\":\"GE서".as_bytes().split_last().unwrap().1);
    std::fs::write(&journal, lines).unwrap();
    assert!(matches!(
        Recorder::create(&place.path(), false, plain()),
        Err(SessionError::StaleJournal { .. })
    ));
    let recovered = recover(&place.path(), false, plain()).unwrap();
    assert_eq!(recovered, Recovered { exchanges: 3, broken_lines: 1 });
    let replay = place.replay(plain());
    assert_eq!(bytes(&hit(&replay, &calls[0])), b"{\"token\":\"{{token:1}}\"}");
    assert_eq!(bytes(&hit(&replay, &large)), large.answer);
    assert!(
        !journal.exists()
            && matches!(recover(&place.path(), true, plain()), Err(SessionError::NotFound { .. }))
    );
}

#[tokio::test]
async fn o1_damaged_lines_and_side_files_are_left_out_and_counted() {
    let place = Place::new();
    let recorder = Recorder::create(&place.path(), false, plain()).unwrap();
    for path in ["/a", "/b", "/c"] {
        let pending = recorder.begin(&get(path, "{}").head);
        finish(pending, &get(path, "{\"n\": 1}")).await;
    }
    let image = get("/i", "").answered(&[("Content-Type", "image/png")], vec![7; 100_000]);
    finish(recorder.begin(&image.head), &image).await;
    drop(recorder);
    while matches!(Recorder::create(&place.path(), false, plain()), Err(SessionError::Locked { .. })) {
        tokio::task::yield_now().await;
    }
    let journal = path_of(&place.path());
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 5, "each is there as soon as it is said to be");
    std::fs::write(&journal, text.replacen("com/b", "com/x", 1)).unwrap();
    let part = place.folder.path().join("weather.session.files/3-response.part");
    let mut bytes = std::fs::read(&part).unwrap();
    bytes[50_000] ^= 1;
    std::fs::write(&part, bytes).unwrap();
    let recovered = recover(&place.path(), false, plain()).unwrap();
    assert_eq!(recovered, Recovered { exchanges: 2, broken_lines: 2 });
    let file = place.text();
    assert!(file.contains("com/a") && file.contains("com/c") && !file.contains("com/x"), "{file}");
}

#[tokio::test]
async fn a_failed_write_is_reported_and_loses_nothing() {
    let place = Place::new();
    place.record(plain(), false, &[get("/a", "{}")]).await;
    let text = place.text();
    // The folder of side files cannot be made: a file has its name.
    std::fs::write(place.folder.path().join("weather.session.files"), "in the way").unwrap();
    let recorder = Recorder::create(&place.path(), true, plain()).unwrap();
    send(&recorder, &get("/l", "").answered(&[], vec![b'x'; 100_000]));
    let error = recorder.complete(&Counts::default()).await.unwrap_err();
    assert_eq!(error.code(), "SESSION_IO");
    assert_eq!(place.text(), text);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_a_clear_error() {
    let place = Place::new();
    place.record(plain(), false, &[get("/a", "{}")]).await;
    let text = place.text();
    std::os::unix::fs::symlink("/dev/full", path_of(&place.path())).unwrap();
    let error = Recorder::create(&place.path(), true, plain()).unwrap_err();
    assert_eq!(error.code(), "SESSION_DISK_FULL");
    std::fs::remove_file(path_of(&place.path())).unwrap();
    let mut new = place.path().into_os_string();
    new.push(".new");
    std::os::unix::fs::symlink("/dev/full", new).unwrap();
    let recorder = Recorder::create(&place.path(), true, plain()).unwrap();
    send(&recorder, &get("/b", "{}"));
    let error = recorder.complete(&Counts::default()).await.unwrap_err();
    assert_eq!(error.code(), "SESSION_DISK_FULL");
    assert_eq!(place.text(), text);
    let recovered = recover(&place.path(), true, plain()).unwrap();
    assert_eq!(recovered, Recovered { exchanges: 1, broken_lines: 0 }, "the journal is whole");
}

#[test]
fn a_spooled_body_is_held_back_while_the_disk_is_behind() {
    let place = Place::new();
    let recorder = Recorder::create(&place.path(), false, plain()).unwrap();
    let pending = recorder.begin(&get("/l", "").head);
    let mut sink = pending.response_sink(&get("/l", "").response);
    let chunk = Bytes::from(vec![b'x'; 1 << 20]);
    let mut context = Context::from_waker(Waker::noop());
    let mut held_back = false;
    for _ in 0..24 {
        held_back |= sink.poll_ready(&mut context).is_pending();
        while sink.poll_ready(&mut context).is_pending() {
            std::thread::yield_now();
        }
        sink.push(&chunk);
    }
    assert!(held_back);
    assert_eq!(sink.finish().wire_length(), 24 << 20);
}

#[tokio::test]
async fn m22_b10_request_bodies_are_always_stored() {
    let place = Place::new();
    let json = post("/j", "application/json", "{\"b\":1,\"a\":2}", "1");
    let tar = post("/t", "application/x-tar", &b"\x00\xff\xfe"[..], "2");
    let large = post("/l", "application/octet-stream", vec![9; 5_000_000], "3");
    place.record(plain(), false, &[json.clone(), tar.clone(), large.clone()]).await;
    let session = Session::open(&place.path()).unwrap();
    assert!(session.exchanges.iter().all(|exchange| exchange.request.body.is_some()));
    let replay = place.replay(plain());
    assert_eq!(bytes(&hit(&replay, &large)), b"3");
    assert_eq!(bytes(&hit(&replay, &tar)), b"2");
    let reordered = post("/j", "application/json", "{ \"a\": 2, \"b\": 1.0 }", "");
    assert_eq!(bytes(&hit(&replay, &reordered)), b"1");
}

fn arbitrary_call() -> impl Strategy<Value = Call> {
    let body = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        "\\{\"a\": ?[0-9]{1,3}(\\.[0-9]{1,2})?(, ?\"b\": ?\"[a-z<\\\\n]{0,4}\")?\\}\n?"
            .prop_map(String::into_bytes),
        Just(vec![b'z'; 70_000]),
    ];
    let types = prop_oneof![
        Just("application/json"),
        Just("text/plain; charset=euc-kr"),
        Just("image/png"),
        Just("")
    ];
    let codings =
        prop_oneof![Just(""), Just("gzip"), Just("deflate"), Just("br"), Just("zstd"), Just("made-up")];
    ("[a-c]{1,2}", body, types, codings, any::<bool>(), 200..599_u16).prop_map(
        |(path, body, content_type, coding, encode, status)| {
            let codings = super::super::coding::Codings::parse(Some(coding));
            let body = match codings {
                Some(codings) if encode => codings.encode(&body).unwrap(),
                _ => body,
            };
            let mut call = get(&format!("/{path}"), "");
            call = call.answered(
                &[("Content-Type", content_type), ("Content-Encoding", coding), ("ETag", "\"1\"")],
                body,
            );
            call.response.status = status;
            call
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn b7_arbitrary_exchanges_round_trip_byte_exact(calls in proptest::collection::vec(arbitrary_call(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = Place::new();
        let report = runtime.block_on(place.record(plain(), false, &calls));
        prop_assert_eq!(report.recorded, calls.len() as u64);
        let replay = place.replay(plain());
        for call in &calls {
            let stored = hit(&replay, call);
            prop_assert_eq!(bytes(&stored), &call.answer[..]);
            prop_assert_eq!(response(&stored).status, call.response.status);
            prop_assert_eq!(&response(&stored).headers, &call.response.headers);
        }
        let report = replay.report(&Counts::default());
        prop_assert!(report.unused.is_empty() && report.missed.is_empty() && report.warnings.is_empty());
        // Reading and writing gives the text back.
        let text = place.text();
        prop_assert_eq!(Session::from_text(&text, &place.path()).unwrap().to_text(), text);
    }
}

#[tokio::test]
async fn f3_f5_the_form_is_the_most_readable_one() {
    let place = Place::new();
    let call = get("/f", "{\"a\": [1, 2.50]}\n");
    place.record(plain(), false, &[call]).await;
    let session = Session::open(&place.path()).unwrap();
    let Answer::Response(response) = &session.exchanges[0].answer else { panic!("a response") };
    let form = &response.body.as_ref().unwrap().form;
    assert!(matches!(form, Form::Json { newline: true, .. }), "{form:?}");
    assert_eq!(session.meta.tool.as_deref(), Some(concat!("mcpeak ", env!("CARGO_PKG_VERSION"))));
}
