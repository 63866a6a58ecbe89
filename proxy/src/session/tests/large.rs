//! Encoded bodies that are large, damaged, or made to exhaust their reader.

use std::path::Path;
use std::time::{Duration, Instant};

use mcpeak_core::redact::Redactor;

use super::super::check;
use super::{Call, Place, Replay, ReplayOptions, bytes, get, gzip, hit, response};
use crate::report::Warning;

/// Text that gzip makes a quarter shorter, and no more.
fn letters(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut out = Vec::with_capacity(length + 16);
    while out.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend((0..10).map(|at| b'0' + u8::try_from(state >> (at * 6) & 63).unwrap()));
    }
    out
}

fn encoded(path: &str, wire: Vec<u8>) -> Call {
    get(path, "").answered(&[("Content-Type", "text/plain"), ("Content-Encoding", "gzip")], wire)
}

async fn recorded(calls: &[Call]) -> (Place, Vec<Warning>) {
    let place = Place::new();
    let report = place.record(Redactor::default(), false, calls).await;
    (place, report.warnings)
}

#[tokio::test]
async fn b8_large_encoded_bodies_are_exact_on_the_wire_and_readable_on_disk() {
    let text = letters(6 * 1024 * 1024);
    let call = encoded("/g", gzip(&text));
    assert!(call.answer.len() > 4 * 1024 * 1024, "it is spooled: {}", call.answer.len());
    let (place, warnings) = recorded(std::slice::from_ref(&call)).await;
    assert_eq!(warnings, []);
    let stored = hit(&place.replay(Redactor::default()), &call);
    assert!(bytes(&stored) == call.answer);
    assert_eq!(response(&stored).headers.get("content-encoding"), Some("gzip"));
    assert_eq!(response(&stored).headers.get("content-length"), Some(&*call.answer.len().to_string()));
    let files = place.files();
    let readable = files.iter().find(|(_, content)| *content == text);
    let (name, _) = readable.expect("the content is there decoded");
    assert_eq!(files.len(), 3, "the session, the content, the encoded bytes; no part is left");

    let path = place.folder.path().join(name);
    let mut edited = text.clone();
    edited[5] = b'!';
    std::fs::write(&path, edited).unwrap();
    assert!(check(&place.path()).unwrap_err().to_string().contains("is not the content"));
}

#[tokio::test]
async fn b2_a_large_damaged_encoding_is_stored_raw_and_the_recording_goes_on() {
    let mut wire = gzip(&letters(6 * 1024 * 1024));
    let middle = wire.len() / 2;
    wire[middle..middle + 64].fill(0xff);
    let call = encoded("/d", wire);
    let (place, _) = recorded(&[call.clone(), get("/after", "{}")]).await;
    let replay = place.replay(Redactor::default());
    let stored = hit(&replay, &call);
    assert!(bytes(&stored) == call.answer);
    assert_eq!(response(&stored).headers.get("content-encoding"), Some("gzip"));
    hit(&replay, &get("/after", "{}"));
}

#[tokio::test]
async fn r2_a_secret_in_a_large_encoded_body_leaves_no_encoded_copy() {
    let mut text = letters(6 * 1024 * 1024);
    text.extend_from_slice(b" https://me:pa55w0rd-of-mine@host.test/ ");
    let call = encoded("/s", gzip(&text));
    let redactor = super::secrets(&[("PASSWORD", "pa55w0rd-of-mine")]);
    let place = Place::new();
    let report = place.record(redactor.clone(), false, std::slice::from_ref(&call)).await;
    assert!(matches!(report.warnings[..], [Warning::StoredDecoded { .. }]), "{:?}", report.warnings);
    let files = place.files();
    assert_eq!(files.len(), 2, "the session and the content");
    let is_gzip = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "gz");
    assert!(!files.iter().any(|(name, _)| is_gzip(name)));
    let replay = Replay::load(&place.path(), redactor, ReplayOptions::default()).unwrap();
    assert_eq!(response(&hit(&replay, &call)).headers.get("content-encoding"), None);
}

#[tokio::test]
async fn o1_a_body_made_to_exhaust_its_reader_does_not_hold_up_the_stop() {
    let bomb = gzip(&vec![0; 64 * 1024 * 1024]);
    let mut asked = encoded("/asked", b"ok".to_vec());
    asked.response.headers.remove("content-encoding");
    asked.head.method = "POST".to_owned();
    asked.head.headers.push("Content-Encoding", "gzip");
    asked.body = bomb.clone().into();
    let calls = [encoded("/bomb", bomb), asked];
    let place = Place::new();
    let begun = Instant::now();
    place.record(Redactor::default(), false, &calls).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let replay = place.replay(Redactor::default());
    for call in &calls {
        let stored = hit(&replay, call);
        assert!(bytes(&stored) == call.answer, "the bytes that came are the bytes that go");
    }
    let length: usize = place.files().iter().map(|(_, content)| content.len()).sum();
    assert!(length < 1024 * 1024, "and no more than came is on the disk: {length}");
}
