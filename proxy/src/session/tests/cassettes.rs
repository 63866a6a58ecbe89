//! Cassettes of vcrpy and go-vcr read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcpeak_core::redact::Redactor;

use super::super::Session;
use super::{Place, bytes, fields, get, gzip, hit, response};
use crate::exchange::{Origin, Scheme};
use crate::interchange::{Format, Imported, Lost};

/// Recorded with vcrpy 9.4 against a server of this test's own, for these five requests.
const VCRPY: &str = include_str!("../../../tests/fixtures/vcrpy.yaml");

async fn imported(format: Format, text: &str) -> (Place, Vec<(Lost, usize)>) {
    let place = Place::new();
    assert_eq!(Format::detect(text.as_bytes()), Some(format));
    let read = Imported::read(format, text.as_bytes(), &Redactor::default()).unwrap();
    let notes = read.notes().iter().map(|note| (note.lost, note.count)).collect();
    read.write(&place.path(), false, Redactor::default()).await.unwrap();
    super::schema::assert_valid(&place.text());
    (place, notes)
}

fn weather(target: &str) -> super::Call {
    let mut call = get(target, "");
    call.head.origin = Origin::new(Scheme::Http, "api.weather.example", None);
    call
}

#[tokio::test]
async fn a_cassette_of_vcrpy_is_replayed_and_holds_no_secret() {
    let (place, notes) = imported(Format::Vcrpy, VCRPY).await;
    assert_eq!(notes, [(Lost::ContentEncoding, 1)]);
    let text = place.text();
    for secret in ["hunter2", "tok-0123456789", "abcdefgh", "ijklmnop"] {
        assert!(VCRPY.contains(secret) && !text.contains(secret), "{secret} in {text}");
    }
    let replay = place.replay(Redactor::default());
    assert_eq!(bytes(&hit(&replay, &weather("/gzip"))), br#"{"tempC": 21}"#);
    assert_eq!(bytes(&hit(&replay, &weather("/png"))), b"\x89PNG\xff\x00");
    let two = hit(&replay, &weather("/two"));
    assert_eq!(response(&two).headers.get_all("set-cookie").count(), 2);
    assert_eq!(bytes(&two), r#"{"city":"Seoul","text":"서울"}"#.as_bytes());
    assert_eq!(response(&hit(&replay, &weather("/none"))).status, 404);
    let mut login = super::post("/login", "application/x-www-form-urlencoded", "user=me&password=other", "");
    login.head.origin = Origin::new(Scheme::Http, "api.weather.example", None);
    assert_eq!(response(&hit(&replay, &login)).status, 201);
}

#[tokio::test]
async fn a_cassette_of_go_vcr_is_replayed_in_both_versions() {
    let interaction = |url: &str, rest: &str| {
        format!(
            "- request:\n    body: ''\n    form: {{}}\n    headers:\n      Accept: [application/json]\n    url: {url}\n    method: GET\n  response:\n    body: '{{\"a\":1}}'\n    headers:\n      Content-Type: [application/json]\n    status: 200 OK\n    code: 200\n{rest}"
        )
    };
    let one = format!("---\nversion: 1\ninteractions:\n{}", interaction("https://api.example.com/v1", ""));
    let rest = "    proto: HTTP/2.0\n    duration: 12ms\n  id: 0\n";
    let two = format!("---\nversion: 2\ninteractions:\n{}", interaction("https://api.example.com/v2", rest));
    for (text, target, reason) in [(one, "/v1", Some("OK")), (two, "/v2", None)] {
        let (place, notes) = imported(Format::GoVcr, &text).await;
        assert_eq!(notes, []);
        let stored = hit(&place.replay(Redactor::default()), &get(target, ""));
        assert_eq!(
            (bytes(&stored).as_slice(), response(&stored).reason.as_deref()),
            (&br#"{"a":1}"#[..], reason)
        );
    }
}

#[tokio::test]
async fn a_body_that_vcrpy_kept_encoded_stays_encoded() {
    let wire = gzip(br#"{"a":1}"#);
    let encoded = STANDARD.encode(&wire);
    let text = format!(
        "interactions:\n- request:\n    body: null\n    headers: {{}}\n    method: GET\n    uri: https://api.example.com/gz\n  response:\n    body:\n      string: !!binary |\n        {encoded}\n    headers:\n      Content-Encoding: [gzip]\n    status: {{code: 200, message: OK}}\nversion: 1\n"
    );
    let (place, notes) = imported(Format::Vcrpy, &text).await;
    assert_eq!(notes, []);
    let stored = hit(&place.replay(Redactor::default()), &get("/gz", ""));
    assert_eq!(bytes(&stored), wire);
    assert_eq!(response(&stored).headers, fields(&[("Content-Encoding", "gzip")]));
    assert_eq!(Session::open(&place.path()).unwrap().exchanges.len(), 1);
}

#[test]
fn what_is_wrong_in_a_cassette_is_said_with_its_place() {
    let read = |text: &str| Imported::read(Format::Vcrpy, text.as_bytes(), &Redactor::default()).unwrap_err();
    assert_eq!(read("interactions: 1").place, "interactions");
    let unnamed = "interactions:\n- request: {method: GET}\n  response: {}\n";
    assert_eq!(read(unnamed).place, "interactions[0].request.uri");
    assert!(read("interactions: [").place.starts_with("line "));
}
