//! The scenarios in which recorders are compared: each is recorded against an origin, and replayed without it.
//! What is asked for is the same everywhere: the same status, head and body bytes as the origin gave, and no wrong answer.

mod bodies;
mod headers;
mod matching;
mod protocols;

use mcpeak_proxy::report::SessionReport;

use crate::support::{Answer, Client, Harness, Reaction, Upstream, within};

/// What a client saw live and replayed, and what was left behind.
struct Seen {
    live: Vec<Answer>,
    replayed: Vec<Answer>,
    report: SessionReport,
    session: String,
}

/// An answer with a length; `fields` are whole header lines.
fn answer(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn get(target: &str) -> Vec<u8> {
    format!("GET http://api.test{target} HTTP/1.1\r\nHost: api.test\r\n\r\n").into_bytes()
}

fn post(target: &str, content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "POST http://api.test{target} HTTP/1.1\r\nHost: api.test\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends each request on a connection of its own.
async fn ask_all(proxy: std::net::SocketAddr, requests: &[Vec<u8>]) -> Vec<Answer> {
    let mut answers = Vec::new();
    for request in requests {
        let mut client = Client::plain(proxy).await;
        client.send(request).await;
        answers.push(client.answer(request.starts_with(b"HEAD ")).await.expect("an answer"));
    }
    answers
}

/// Records requests against an origin, takes the origin away, and replays others.
async fn record_and_replay(
    react: impl Fn(crate::support::Asked) -> Reaction + Send + Sync + 'static,
    recorded: &[Vec<u8>],
    requested: &[Vec<u8>],
) -> Seen {
    within(async {
        let upstream = Upstream::plain(react).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let live = ask_all(proxy.address, recorded).await;
        proxy.stop().await;
        upstream.stop().await;
        let session = std::fs::read_to_string(harness.session()).unwrap();
        let proxy = harness.replay().await;
        let replayed = ask_all(proxy.address, requested).await;
        Seen { live, replayed, report: proxy.stop().await, session }
    })
    .await
}

/// The same requests both times must have the same answers, head and body.
async fn same_both_times(
    react: impl Fn(crate::support::Asked) -> Reaction + Send + Sync + 'static,
    requests: &[Vec<u8>],
) -> Seen {
    let seen = record_and_replay(react, requests, requests).await;
    assert_eq!(seen.replayed, seen.live);
    assert!(!seen.report.has_misses());
    seen
}

/// An origin that gives one body.
async fn one_body(fields: &'static str, body: Vec<u8>) -> Seen {
    let expected = body.clone();
    let seen = same_both_times(move |_| Reaction::Keep(answer(fields, &body)), &[get("/body")]).await;
    assert_eq!(seen.replayed[0].body, expected, "the origin's bytes");
    seen
}

/// Whether a request finds what another one recorded.
async fn finds(recorded: Vec<u8>, requested: Vec<u8>) -> bool {
    let seen = record_and_replay(|_| Reaction::Keep(answer("", b"found")), &[recorded], &[requested]).await;
    let found = seen.replayed[0].status() == 200;
    assert!(found || seen.replayed[0].status() == 599, "{}", seen.replayed[0].head);
    assert_eq!(found, !seen.report.has_misses());
    found
}
