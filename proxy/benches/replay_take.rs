//! The hot path of a replay: a request's key and the recording that answers it, out of 1,000.

use bytes::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;
use mcpeak_core::redact::Redactor;
use mcpeak_proxy::exchange::{Framing, Headers, Origin, RequestHead, Scheme, Version};
use mcpeak_proxy::matching::Repeat;
use mcpeak_proxy::session::{
    Answer, Body, Exchange, Form, Layout, Replay, ReplayOptions, Request, Response, Session, Take,
};
use tempfile::TempDir;

const RECORDINGS: usize = 1_000;
const URL: &str = "https://api.example.test";
/// Bytes of a posted document.
const POSTED: usize = 1_024;

fn main() {
    divan::main();
}

#[divan::bench]
fn get(bencher: Bencher<'_, '_>) {
    take(bencher, "GET", |_| None);
}

#[divan::bench]
fn post_json_1_kib(bencher: Bencher<'_, '_>) {
    take(bencher, "POST", |item| Some(document(item)));
}

/// Takes the recordings in turn, each as often as it comes.
fn take(bencher: Bencher<'_, '_>, method: &str, body: fn(usize) -> Option<String>) {
    let (_folder, replay) = load(method, body);
    let requests: Vec<_> = (0..RECORDINGS).map(|item| request(method, item, body(item))).collect();
    let mut turn = requests.iter().cycle();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let (head, body) = turn.next().expect("a cycle over requests has no end");
        let mut sink = replay.request_sink(head);
        if let Some(body) = body {
            sink.push(body);
        }
        match replay.take(head, &sink.finish()) {
            Take::Hit(stored) => stored,
            Take::Miss(miss) => panic!("{miss:?}"),
        }
    });
}

fn request(method: &str, item: usize, body: Option<String>) -> (RequestHead, Option<Bytes>) {
    let mut headers = Headers::new();
    headers.push("host", "api.example.test");
    headers.push("accept", "application/json");
    headers.push("user-agent", "bench/1");
    if let Some(body) = &body {
        headers.push("content-type", "application/json");
        headers.push("content-length", body.len().to_string());
    }
    let head = RequestHead {
        method: method.to_owned(),
        origin: Origin::new(Scheme::Https, "api.example.test", None),
        path: format!("/items/{item}"),
        query: None,
        version: Version::Http11,
        headers,
    };
    (head, body.map(Bytes::from))
}

fn load(method: &str, body: fn(usize) -> Option<String>) -> (TempDir, Replay) {
    let exchanges = (0..RECORDINGS).map(|item| recorded(method, item, body(item))).collect();
    let session = Session { exchanges, ..Session::default() };
    let folder = tempfile::tempdir().expect("a folder for the session file");
    let path = folder.path().join("bench.session.json");
    std::fs::write(&path, session.to_text()).expect("the session file is written");
    let options = ReplayOptions { repeat: Repeat::Cycle, ..ReplayOptions::default() };
    let replay = Replay::load(&path, Redactor::default(), options).expect("the session file is right");
    (folder, replay)
}

fn recorded(method: &str, item: usize, body: Option<String>) -> Exchange {
    let content_type =
        || std::iter::once(("content-type".to_owned(), Bytes::from_static(b"application/json"))).collect();
    let headers = if body.is_some() { content_type() } else { Headers::new() };
    Exchange {
        id: None,
        request: Request {
            method: method.to_owned(),
            url: format!("{URL}/items/{item}"),
            headers,
            body: body.map(json),
        },
        answer: Answer::Response(Box::new(Response {
            status: 200,
            reason: Some("OK".to_owned()),
            headers: content_type(),
            framing: Framing::ContentLength,
            body: Some(json(format!(r#"{{"id":{item}}}"#))),
            trailers: Headers::new(),
            incomplete: None,
        })),
    }
}

fn json(compact: String) -> Body {
    let form = Form::Json { compact, layout: Layout::Compact, newline: false };
    Body { form, sha256: None, encoding: None, wire: None, streamed: false }
}

/// Members out of order, as clients send them, with texts and numbers.
fn document(item: usize) -> String {
    let mut text = format!(r#"{{"query":{{"zone":"eu","limit":50}},"id":{item},"filters":["#);
    while text.len() < POSTED - 64 {
        text.push_str(r#"{"op":"eq","field":"name","value":"something"},"#);
    }
    text.push_str(r#"{"op":"gt","field":"age","value":7}],"cursor":null}"#);
    text
}
