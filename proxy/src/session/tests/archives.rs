//! HTTP Archives in and out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcpeak_core::redact::Redactor;
use serde_json::{Value, json};

use super::super::Session;
use super::{Call, Place, bytes, fields, get, gzip, hit, post, response, secrets, send};
use crate::exchange::{FailureKind, Framing, Incomplete, IncompleteCause, Outcome, Version};
use crate::interchange::{Format, Imported, Lost, har};
use crate::report::Counts;
use crate::session::Recorder;

fn variable() -> Redactor {
    secrets(&[("API_VALUE", "v4lue-of-the-variable")])
}

/// One exchange of every kind.
fn calls() -> Vec<Call> {
    let mut chunked = get("/chunked", "").answered(&[("Content-Type", "text/plain")], "a\n\u{e9}");
    chunked.response.framing = Framing::Chunked;
    chunked.response.headers = fields(&[("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")]);
    chunked.trailers = fields(&[("X-Sum", "abc")]);
    let mut h2 = get("/h2?q=a%20b&q=c", "{}");
    h2.head.version = Version::H2;
    h2.response.version = Version::H2;
    h2.response.reason = None;
    h2.response.framing = Framing::H2;
    let mut cut = get("/cut", "half");
    cut.response.headers = fields(&[("Content-Length", "9")]);
    cut.incomplete = Some(Incomplete { after_bytes: 4, cause: IncompleteCause::Upstream });
    let stream = "event: tick\nid: 7\ndata: {\"a\":1}\ndata: more\n\ndata: last\n\n";
    let mut events = get("/events", "").answered(&[("Content-Type", "text/event-stream")], stream);
    events.response.headers.push("Set-Cookie", "sid=abcdefgh; Path=/; HttpOnly; Secure");
    let mut none = get("/none", "");
    none.response.status = 204;
    none.response.framing = Framing::None;
    none.response.headers = fields(&[("X-Empty", "")]);
    vec![
        chunked,
        h2,
        cut,
        events,
        none,
        get("/binary", "").answered(&[("Content-Type", "image/png")], b"\x89PNG\xff\x00".to_vec()),
        post(
            "/form",
            "application/x-www-form-urlencoded",
            "a=1&password=hunter2&b=%20",
            r#"{"access_token":"tok-0123456789-abcdef"}"#,
        ),
        post("/use/tok-0123456789-abcdef", "application/json", r#"{"v":"v4lue-of-the-variable"}"#, "{}"),
    ]
}

async fn recorded() -> Place {
    let place = Place::new();
    let recorder = Recorder::create(&place.path(), false, variable()).unwrap();
    for call in &calls() {
        send(&recorder, call);
    }
    let pending = recorder.begin(&get("/refused", "").head);
    let captured = pending.request_sink().finish();
    drop(pending.finish(captured, Outcome::Failure(FailureKind::Refused)));
    recorder.complete(&Counts::default()).await.unwrap();
    place
}

async fn imported(archive: &str, redactor: Redactor) -> (Place, Vec<(Lost, usize)>) {
    let place = Place::new();
    assert_eq!(Format::detect(archive.as_bytes()), Some(Format::Har));
    let read = Imported::read(Format::Har, archive.as_bytes(), &redactor).unwrap();
    let notes = read.notes().iter().map(|note| (note.lost, note.count)).collect();
    read.write(&place.path(), false, redactor).await.unwrap();
    (place, notes)
}

/// The members that HTTP Archive 1.2 asks for, with their types, and the types of those that may be there.
fn assert_valid(archive: &Value) {
    let text = |value: &Value, names: &[&str]| {
        for name in names {
            assert!(value[name].is_string(), "{name} in {value:#}");
        }
    };
    let number = |value: &Value, names: &[&str]| {
        for name in names {
            assert!(value[name].as_i64().is_some_and(|number| number >= -1), "{name} in {value:#}");
        }
    };
    let pairs = |list: &Value| {
        for pair in list.as_array().expect("a list") {
            text(pair, &["name", "value"]);
        }
    };
    let log = &archive["log"];
    text(log, &["version"]);
    text(&log["creator"], &["name", "version"]);
    for entry in log["entries"].as_array().expect("a list") {
        text(entry, &["startedDateTime"]);
        let started = entry["startedDateTime"].as_str().unwrap();
        let known = time::OffsetDateTime::parse(started, &time::format_description::well_known::Rfc3339);
        assert!(known.is_ok(), "{started}");
        assert!(entry["time"].as_f64().is_some_and(|time| time >= 0.0) && entry["cache"].is_object());
        number(&entry["timings"], &["send", "wait", "receive"]);
        let (request, response) = (&entry["request"], &entry["response"]);
        text(request, &["method", "url", "httpVersion"]);
        text(response, &["statusText", "httpVersion", "redirectURL"]);
        number(response, &["status"]);
        for message in [request, response] {
            number(message, &["headersSize", "bodySize"]);
            pairs(&message["headers"]);
            pairs(&message["cookies"]);
        }
        pairs(&request["queryString"]);
        if request.get("postData").is_some() {
            text(&request["postData"], &["mimeType", "text"]);
        }
        number(&response["content"], &["size"]);
        text(&response["content"], &["mimeType"]);
    }
}

#[tokio::test]
async fn f7_p10_a_session_goes_through_an_archive_and_stays_the_same() {
    let place = recorded().await;
    let archive = har::export(&place.path()).unwrap();
    assert_valid(&serde_json::from_str(&archive).unwrap());
    let value: Value = serde_json::from_str(&archive).unwrap();
    let entries = value["log"]["entries"].as_array().unwrap();
    let of = |end: &str| {
        entries.iter().find(|entry| entry["request"]["url"].as_str().unwrap().ends_with(end)).unwrap()
    };
    assert_eq!(
        of("/events")["_eventSourceMessages"],
        json!([
            { "time": 0, "eventName": "tick", "eventId": "7", "data": "{\"a\":1}\nmore" },
            { "time": 0, "eventName": "message", "eventId": "7", "data": "last" },
        ])
    );
    assert_eq!(of("/events")["response"]["cookies"][0]["httpOnly"], true);
    assert_eq!(of("/h2?q=a%20b&q=c")["request"]["queryString"][0], json!({ "name": "q", "value": "a b" }));
    let (again, notes) = imported(&archive, variable()).await;
    assert_eq!(notes, [(Lost::EventTimes, 1)]);
    let sessions = [&place, &again].map(|place| Session::open(&place.path()).unwrap().exchanges);
    assert_eq!(sessions[0], sessions[1]);
    let replay = again.replay(variable());
    let mut calls = calls();
    // A client sends the token that it was handed.
    calls[7].head.path = "/use/{{token:3}}".to_owned();
    for call in &calls {
        hit(&replay, call);
    }
}

#[tokio::test]
async fn r12_an_archive_of_a_file_that_holds_a_secret_does_not() {
    let place = Place::new();
    place.record(Redactor::default(), false, &[get("/a?q=1", r#"{"note":"x"}"#)]).await;
    let text =
        place.text().replace("\"note\": \"x\"", "\"password\": \"hunter2\"").replace("q=1", "token=hunter2");
    std::fs::write(place.path(), text).unwrap();
    let archive = har::export(&place.path()).unwrap();
    assert!(!archive.contains("hunter2") && archive.contains("{{token}}"), "{archive}");
}

fn browser_entry(url: &str, started: &str, response: &Value) -> Value {
    json!({
        "startedDateTime": started, "time": 12.5,
        "request": {
            "method": "GET", "url": url, "httpVersion": "http/2.0",
            "headers": [{ "name": ":authority", "value": "h" }, { "name": "accept", "value": "*/*" }],
            "cookies": [{ "name": "sid", "value": "s3ss10n-0123456789" }],
            "queryString": [], "headersSize": -1, "bodySize": 0,
        },
        "response": response, "cache": {}, "timings": { "send": 0, "wait": 1.5, "receive": 2 },
    })
}

#[tokio::test]
async fn f7_an_archive_of_a_browser_is_read_and_redacted() {
    let answer = |content: Value| {
        json!({
            "status": 200, "statusText": "", "httpVersion": "h2",
            "headers": [{ "name": "content-encoding", "value": "gzip" }, { "name": "x-seen", "value": "s3ss10n-0123456789" }],
            "cookies": [{ "name": "sid", "value": "an0ther-0123456789", "path": "/", "httpOnly": true }],
            "content": content, "redirectURL": "", "headersSize": -1, "bodySize": -1,
        })
    };
    let text = answer(
        json!({ "size": 9, "mimeType": "application/json", "text": "{\"password\":\"hunter2\",\"a\":1}" }),
    );
    let missing = answer(json!({ "size": 99, "mimeType": "image/png" }));
    let mut failed = answer(json!({ "size": 0, "mimeType": "x-unknown" }));
    failed["status"] = 0.into();
    failed["_error"] = "net::ERR_NAME_NOT_RESOLVED".into();
    let mut silent = failed.clone();
    silent["_error"] = Value::Null;
    let mut socket = browser_entry("wss://h/ws", "2026-01-01T00:00:00Z", &text);
    socket["_webSocketMessages"] = json!([{ "type": "send", "time": 1, "opcode": 1, "data": "x" }]);
    let archive = json!({ "log": { "version": "1.2", "creator": { "name": "WebInspector", "version": "1" }, "entries": [
        browser_entry("https://h/b#part", "2026-01-01T00:00:02Z", &text),
        browser_entry("https://h/a b?\u{e9}", "2026-01-01T00:00:01Z", &text),
        browser_entry("https://h/missing", "2026-01-01T00:00:03Z", &missing),
        browser_entry("https://gone.example/", "2026-01-01T00:00:04Z", &failed),
        browser_entry("https://h/silent", "2026-01-01T00:00:05Z", &silent),
        browser_entry("data:text/plain,x", "2026-01-01T00:00:06Z", &text),
        socket,
    ] } });
    let (place, notes) = imported(&format!("\u{feff}{archive}"), Redactor::default()).await;
    assert_eq!(
        notes,
        [
            (Lost::NotHttp, 1),
            (Lost::NoAnswer, 1),
            (Lost::BodyMissing, 1),
            (Lost::Frames, 1),
            (Lost::ContentEncoding, 2),
        ]
    );
    let text = place.text();
    for secret in ["hunter2", "s3ss10n", "an0ther"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    let session = Session::open(&place.path()).unwrap();
    let urls: Vec<&str> = session.exchanges.iter().map(|exchange| exchange.request.url.as_str()).collect();
    assert_eq!(urls, ["https://gone.example/", "https://h/a%20b?%C3%A9", "https://h/b"]);
    assert!(text.contains("\"kind\": \"dns\"") && text.contains("sid={{token:"), "{text}");
}

#[tokio::test]
async fn a_body_that_is_still_encoded_keeps_its_encoding() {
    let wire = gzip(br#"{"a":1}"#);
    let encoded = STANDARD.encode(&wire);
    let content = json!({ "size": 7, "mimeType": "application/json", "text": encoded, "encoding": "base64" });
    let answer = json!({
        "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "content": content,
        "headers": [{ "name": "Content-Encoding", "value": "gzip" }, { "name": "Content-Length", "value": "1" }],
    });
    let mut entry = browser_entry("https://api.example.com/gz", "2026-01-01T00:00:00Z", &answer);
    entry["request"]["httpVersion"] = "HTTP/1.1".into();
    let archive = json!({ "log": { "entries": [entry] } }).to_string();
    let (place, notes) = imported(&archive, Redactor::default()).await;
    assert_eq!(notes, []);
    let stored = hit(&place.replay(Redactor::default()), &get("/gz", ""));
    assert_eq!(bytes(&stored), wire);
    let headers = &response(&stored).headers;
    assert_eq!(headers.get("content-length"), Some(wire.len().to_string().as_str()));
}

#[test]
fn what_is_wrong_in_an_archive_is_said_with_its_place() {
    let read = |text: &str| Imported::read(Format::Har, text.as_bytes(), &Redactor::default()).unwrap_err();
    assert_eq!(read("{").place, "line 1, column 1");
    assert_eq!(read(r#"{"log":{}}"#).place, "log.entries");
    assert_eq!(
        read(r#"{"log":{"entries":[{"request":{"method":"GET"}}]}}"#).place,
        "log.entries[0].request.url"
    );
    assert_eq!(Format::detect(b"{}"), None);
}
