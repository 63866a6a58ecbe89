use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcpeak_core::redact::Redactor;
use proptest::prelude::*;

use super::super::Recorder;
use super::super::journal::path_of;
use super::{Call, Place, Take, bytes, get, gzip, hit, post, response, secrets, send, take};
use crate::report::{Counts, Warning};

const SECRET: &str = "p@ss/wörd \"42\"+x";
const SHAPE: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";
const HELD: &str = "sess-0123456789-abcdef";

fn redactor() -> Redactor {
    secrets(&[("API_KEY", SECRET)])
}

fn percent(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// A body with the secrets in it, in one of the ways they are met.
fn planted(way: usize) -> (Vec<(&'static str, &'static str)>, Vec<u8>) {
    let json = format!(
        "{{\"a\":{},\"b\":\"{SHAPE}\",\"access_token\":\"{HELD}\"}}",
        serde_json::to_string(SECRET).unwrap()
    );
    let big = |text: &str| format!("{{\"pad\":\"{}\",{}", "x".repeat(5_000_000), &text[1..]).into_bytes();
    let json_type = ("Content-Type", "application/json");
    match way {
        0 => (vec![json_type], json.into_bytes()),
        1 => (vec![json_type, ("Content-Encoding", "gzip")], gzip(json.as_bytes())),
        2 => (
            vec![("Content-Type", "text/plain")],
            format!("{SECRET} {SHAPE} {}", percent(SECRET)).into_bytes(),
        ),
        3 => (vec![("Content-Type", "text/plain")], STANDARD.encode(format!("u:{SECRET}")).into_bytes()),
        4 => (
            vec![("Content-Type", "application/x-www-form-urlencoded")],
            format!("password={}&x={}", HELD, percent(SECRET)).into_bytes(),
        ),
        5 => (vec![("Content-Type", "text/event-stream")], format!("data: {json}\n\n").into_bytes()),
        6 => (vec![json_type], big(&json)),
        7 => (vec![json_type, ("Content-Encoding", "gzip")], gzip(&big(&json))),
        8 => {
            let mut broken = gzip(json.repeat(500).as_bytes());
            broken.truncate(broken.len() - 9);
            (vec![("Content-Encoding", "gzip")], broken)
        }
        _ => (
            vec![("Content-Type", "application/octet-stream")],
            [b"\xff\x00", SECRET.as_bytes(), b"\xfe", SHAPE.as_bytes()].concat(),
        ),
    }
}

fn planted_call(way: usize, index: usize) -> Call {
    let (fields, body) = planted(way);
    // One large body an exchange is enough to see the streaming path, and there is a test of its own for requests.
    let (request_fields, request_body) =
        if way == 6 || way == 7 { planted(0) } else { (fields.clone(), body.clone()) };
    let target = format!("/{index}/{}?api_key={HELD}&q={}", SHAPE, percent(SECRET));
    let mut call = post(&target, "", request_body, "").answered(&fields, body);
    call.head.headers.remove("content-type");
    for (name, value) in request_fields {
        call = call.request_header(name, value);
    }
    call = call
        .request_header("Authorization", &format!("Bearer {HELD}"))
        .request_header("X-Note", SECRET)
        .request_header("Cookie", &format!("sid={HELD}"));
    call.response.headers.push("Set-Cookie", format!("sid={HELD}; HttpOnly"));
    call.response
        .headers
        .push("Location", format!("https://u:{HELD}@h/?access_token={HELD}&k={}", percent(SECRET)));
    call.response.headers.push("X-Echo", SECRET);
    call.trailers.push("X-Auth-Token", HELD);
    call
}

/// Every writing of a secret that must not be found; files are searched as they are and decompressed.
fn assert_clean(name: &str, content: &[u8]) {
    let escaped = serde_json::to_string(SECRET).unwrap();
    let middle = STANDARD.encode(format!("u:{SECRET}"));
    let needles = [
        SECRET,
        SHAPE,
        HELD,
        &escaped[1..escaped.len() - 1],
        &percent(SECRET),
        &percent(SECRET).to_lowercase(),
        &middle[4..middle.len() - 4],
    ];
    let search = aho_corasick::AhoCorasick::new(needles).unwrap();
    let found = search.find(content).map(|found| needles[found.pattern().as_usize()]);
    assert_eq!(found, None, "in {name}");
}

/// Bytes that are hidden in base64 or gzip in a session file's text.
fn hidden(text: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    let decoded =
        text.split('"').filter(|piece| piece.len() > 16).filter_map(|piece| STANDARD.decode(piece).ok());
    let gunzip = |bytes: Vec<u8>| {
        let plain = match super::super::coding::Codings::parse(Some("gzip")).unwrap().decode(&bytes, 1 << 26)
        {
            Ok(plain) => plain,
            Err(error) => error.partial,
        };
        [bytes, plain]
    };
    decoded.flat_map(gunzip).collect()
}

#[tokio::test]
async fn r2_r7_r8_r12_no_secret_in_any_byte_written() {
    let place = Place::new();
    let recorder = Recorder::create(&place.path(), false, redactor()).unwrap();
    let calls: Vec<_> = (0..10).map(|way| planted_call(way, way)).collect();
    for call in &calls {
        send(&recorder, call);
    }
    while std::fs::read_to_string(path_of(&place.path())).unwrap().lines().count() < 11 {
        tokio::task::yield_now().await;
    }
    let check = |place: &Place| {
        for (name, content) in place.files() {
            assert_clean(&name, &content);
            for hidden in hidden(&content) {
                assert_clean(&format!("hidden in {name}"), &hidden);
            }
        }
    };
    check(&place);
    let report = recorder.complete(&Counts::default()).await.unwrap();
    check(&place);
    assert_clean("report", &serde_json::to_vec(&report).unwrap());
    let text = place.text();
    assert!(
        !text.contains("X-Note") && !text.contains("Authorization"),
        "r8: only an allow-list of request fields"
    );

    let replay = place.replay(redactor());
    for call in &calls {
        hit(&replay, call);
    }
    let mut missed = planted_call(0, 77);
    missed.head.query = Some(format!("api_key={HELD}&city={}", percent(SECRET)));
    let Take::Miss(miss) = take(&replay, &missed) else { panic!("nothing is recorded there") };
    assert_clean("miss", &miss.body());
    assert_clean("miss report", &serde_json::to_vec(&replay.report(&Counts::default())).unwrap());
}

#[tokio::test]
async fn r3_other_and_absent_secrets_match() {
    let place = Place::new();
    let recorded = get("/x?api_key=first-key-1&q=1", "1").request_header("Authorization", "Bearer abc");
    let form = post("/f", "application/x-www-form-urlencoded", "client_secret=s1&a=1", "2");
    let json = post("/j", "application/json", r#"{"password":"s1","a":1}"#, "3");
    place.record(Redactor::default(), false, &[recorded, form, json]).await;
    for (query, secret) in [
        ("api_key=other&q=1", "s2"),
        ("q=1&api_key=", ""),
        ("q=1", "{{token:9}}"),
        ("q=1&api_key={{token:2}}", "s1"),
    ] {
        let replay = place.replay(Redactor::default());
        assert_eq!(bytes(&hit(&replay, &get(&format!("/x?{query}"), ""))), b"1", "{query}");
        if !secret.starts_with("{{") {
            let form =
                post("/f", "application/x-www-form-urlencoded", format!("a=1&client_secret={secret}"), "");
            assert_eq!(bytes(&hit(&replay, &form)), b"2");
            let json = post("/j", "application/json", format!(r#"{{"a":1,"password":"{secret}"}}"#), "");
            assert_eq!(bytes(&hit(&replay, &json)), b"3");
        }
        assert!(matches!(take(&replay, &get("/x?q=2", "")), Take::Miss(_)));
    }
}

#[tokio::test]
async fn r13_a_token_that_an_answer_hands_out_correlates() {
    let place = Place::new();
    let pages = [
        get("/list", r#"{"nextPageToken":"CAUQAA1"}"#),
        get("/list?pageToken=CAUQAA1", r#"{"nextPageToken":"CAUQAA2"}"#),
        get("/list?pageToken=CAUQAA2", "{}"),
        post("/login", "text/plain", "x", r#"{"session_token":"sess-0123456789-abcdef"}"#),
        get("/use/sess-0123456789-abcdef/x", "5"),
    ];
    place.record(Redactor::default(), false, &pages).await;
    let replay = place.replay(Redactor::default());
    let token = |body: Vec<u8>, name: &str| {
        let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
        value[name].as_str().unwrap().to_owned()
    };
    let session = token(bytes(&hit(&replay, &pages[3])), "session_token");
    assert_eq!(bytes(&hit(&replay, &get(&format!("/use/{}/x", percent(&session)), ""))), b"5");
    let first = token(bytes(&hit(&replay, &pages[0])), "nextPageToken");
    let second_page = get(&format!("/list?pageToken={}", percent(&first)), "");
    let second = token(bytes(&hit(&replay, &second_page)), "nextPageToken");
    assert_ne!(first, second);
    assert_eq!(bytes(&hit(&replay, &get(&format!("/list?pageToken={second}"), ""))), b"{}");
    assert!(matches!(take(&replay, &second_page), Take::Miss(_)), "a page is that page and no other");
}

#[tokio::test]
async fn r13_s13_order_of_discovery_does_not_show() {
    let hand_out = post("/login", "text/plain", "x", r#"{"session_token":"sess-0123456789-abcdef"}"#);
    let used = get("/use/sess-0123456789-abcdef", r#"{"echo":"sess-0123456789-abcdef"}"#);
    let mut short = get("/short?api_key=k-1", "{}");
    short.answer = Bytes::new();
    let mut seen = Vec::new();
    let other = post("/login", "text/plain", "y", r#"{"session_token":"sess-9876543210-abcdef"}"#);
    let used_other = get("/use/sess-9876543210-abcdef", "{\"other\":1}");
    let orders = [
        [&hand_out, &used, &short, &other, &used_other],
        [&other, &used_other, &used, &short, &hand_out],
        [&used_other, &short, &other, &used, &hand_out],
    ];
    for order in orders {
        let place = Place::new();
        let calls: Vec<Call> = order.into_iter().cloned().collect();
        let report = place.record(Redactor::default(), false, &calls).await;
        let text = place.text();
        assert_clean("session", text.as_bytes());
        seen.push((text[..text.find("\"meta\"").unwrap()].to_owned(), report));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:#?}");
}

#[tokio::test]
async fn credentials_of_a_request_are_hidden_in_its_answer_whole_and_in_parts() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    // The first password is looked for by itself, the second one is too short and is found next to its user only.
    for (pair, part) in [
        ("svc:tr0ub4dor-and-3-more", "tr0ub4dor-and-3-more"),
        ("service-account:pw12", "service-account:pw12"),
    ] {
        let basic = STANDARD.encode(pair);
        for field in ["Authorization", "Proxy-Authorization"] {
            let value = format!("Basic {basic}");
            let echo = format!("you sent {value}, that is {pair}; {part}");
            let call = get("/e", &echo).request_header(field, &value);
            let call = call.answered(&[("Content-Type", "text/plain"), ("X-Echo", &basic)], echo);
            let place = Place::new();
            place.record(Redactor::default(), false, &[call]).await;
            for secret in [&*basic, pair, part] {
                assert!(!place.text().contains(secret), "{field}: {secret} in {}", place.text());
            }
        }
    }
}

#[tokio::test]
async fn known_values_are_put_back() {
    let place = Place::new();
    let body = format!("{{\"echo\":{}}}", serde_json::to_string(SECRET).unwrap());
    let call =
        get("/e", "").answered(&[("Content-Type", "application/json"), ("X-Echo", SECRET)], body.clone());
    let encoded = get("/g", "").answered(
        &[("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
        gzip(body.as_bytes()),
    );
    place.record(redactor(), false, &[call.clone(), encoded.clone()]).await;
    let stored = hit(&place.replay(redactor()), &call);
    assert_eq!(bytes(&stored), body.as_bytes());
    assert_eq!(response(&stored).headers.get("x-echo"), Some(SECRET));
    assert_eq!(response(&stored).headers.get("content-length"), Some(body.len().to_string().as_str()));
    let replay = place.replay(redactor());
    let codings = super::super::coding::Codings::parse(Some("gzip")).unwrap();
    assert_eq!(codings.decode(&bytes(&hit(&replay, &encoded)), 1 << 20).unwrap(), body.as_bytes());
    let without = hit(&place.replay(Redactor::default()), &call);
    assert!(String::from_utf8(bytes(&without)).unwrap().contains("{{secret:API_KEY:json}}"));
}

#[tokio::test]
async fn short_values_are_reported() {
    let place = Place::new();
    let report =
        place.record(secrets(&[("DEBUG", "true"), ("API_KEY", SECRET)]), false, &[get("/a", "true")]).await;
    assert_eq!(report.warnings, [Warning::ValueNotSearched { name: "DEBUG".to_owned() }]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn r5_no_secret_is_written_however_the_chunks_are_cut(size in 1..200_000_usize, way in prop_oneof![Just(0_usize), Just(2), Just(5), Just(6)]) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = Place::new();
        let call = planted_call(way, 0);
        let recorder = Recorder::create(&place.path(), false, redactor()).unwrap();
        let pending = recorder.begin(&call.head);
        let cut = |mut sink: super::super::BodySink, body: &Bytes| {
            for chunk in body.chunks(size.max(body.len() / 2000)) { sink.push(&body.slice_ref(chunk)); }
            sink.finish()
        };
        let request = cut(pending.request_sink(), &call.body);
        let body = cut(pending.response_sink(&call.response), &call.answer);
        drop(pending.finish(request, crate::exchange::Outcome::Response {
            head: call.response.clone(), body, trailers: call.trailers.clone(), incomplete: None }));
        runtime.block_on(recorder.complete(&Counts::default())).unwrap();
        for (name, content) in place.files() { assert_clean(&name, &content); }
        hit(&place.replay(redactor()), &call);
    }
}
