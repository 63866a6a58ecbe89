//! Bodies of any kind and size, live and replayed.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use sha2::{Digest as _, Sha256};

use crate::support::{Client, H2Client, Harness, Reaction, TestCa, Upstream, within};

/// Bytes that no codec would leave alone.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn answer(kind: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len())
            .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

async fn both(kind: &'static str, body: Vec<u8>, over_h2: bool) {
    let ca = TestCa::new();
    let bytes = answer(kind, &body);
    let upstream = Upstream::tls(&ca, "api.test", move |_| Reaction::Keep(bytes.clone())).await;
    let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
    let hash = Sha256::digest(&body);
    let recording = harness.record().await;
    let mut client = Client::secure(recording.address, &harness.authority, "api.test", &[]).await;
    let live = client.get("api.test", "/file").await;
    assert!(live.whole && Sha256::digest(&live.body) == hash, "live");
    if over_h2 {
        let h2 = H2Client::secure(recording.address, &harness.authority, "api.test").await;
        let (_, body_h2, _) = h2.get("https://api.test/file").await;
        assert!(Sha256::digest(&body_h2) == hash, "live over h2");
        h2.close().await;
    }
    let exchanges = if over_h2 { 2 } else { 1 };
    let report = recording.stop().await;
    assert_eq!(report.recorded, exchanges, "{:?}", report.warnings);

    let replaying = harness.replay().await;
    let mut client = Client::secure(replaying.address, &harness.authority, "api.test", &[]).await;
    let replayed = client.get("api.test", "/file").await;
    assert!(replayed.whole && Sha256::digest(&replayed.body) == hash, "replayed");
    assert_eq!(replayed.field("content-length"), Some(body.len().to_string().as_str()));
    if over_h2 {
        let h2 = H2Client::secure(replaying.address, &harness.authority, "api.test").await;
        let (_, body_h2, _) = h2.get("https://api.test/file").await;
        assert!(Sha256::digest(&body_h2) == hash, "replayed over h2");
        h2.close().await;
    }
    let report = replaying.stop().await;
    assert_eq!((report.replayed, report.missed.len()), (exchanges, 0));
}

#[tokio::test]
async fn b7_binary_bodies_are_replayed_byte_for_byte() {
    within(both("application/zip", noise(3000), true)).await;
}

#[tokio::test]
async fn b8_twenty_megabytes_are_recorded_and_replayed() {
    within(both("application/octet-stream", noise(20 * 1024 * 1024), false)).await;
}

#[tokio::test]
async fn b11_large_bodies_are_replayed_over_both_versions() {
    within(both("application/octet-stream", noise(3 * 1024 * 1024), true)).await;
}

#[tokio::test]
async fn b8_large_request_bodies_stream_through() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |asked| {
            let hash = hex::encode(Sha256::digest(&asked.body));
            Reaction::Keep(answer("text/plain", format!("{} {hash}", asked.body.len()).as_bytes()))
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let body = noise(2 * 1024 * 1024);
        let hash = hex::encode(Sha256::digest(&body));
        let expected = format!("{} {hash}", body.len());
        for round in ["record", "replay"] {
            let proxy = if round == "record" { harness.record().await } else { harness.replay().await };
            let mut client = Client::secure(proxy.address, &harness.authority, "api.test", &[]).await;
            client
                .send(
                    format!("PUT /up HTTP/1.1\r\nHost: api.test\r\nContent-Length: {}\r\n\r\n", body.len())
                        .as_bytes(),
                )
                .await;
            client.send(&body).await;
            assert_eq!(client.answer(false).await.unwrap().text(), expected, "{round}");
            let h2 = H2Client::secure(proxy.address, &harness.authority, "api.test").await;
            let request =
                Request::put("https://api.test/up").body(Full::new(Bytes::from(body.clone()))).unwrap();
            let response = h2.send(request).await.unwrap();
            assert_eq!(response.status(), 200, "{round} over h2");
            h2.close().await;
            let report = proxy.stop().await;
            assert_eq!(report.missed.len(), 0, "{round}: {:?}", report.missed);
        }
    })
    .await;
}

#[tokio::test]
async fn p11_the_first_event_passes_at_once() {
    within(async {
        let (parts, receiver) = tokio::sync::mpsc::channel(4);
        let receiver = std::sync::Mutex::new(Some(receiver));
        let upstream =
            Upstream::plain(move |_| Reaction::Live(receiver.lock().unwrap().take().unwrap())).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let mut client = Client::plain(proxy.address).await;
        client.send(b"GET http://api.test/events HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        let head =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        parts.send(head.to_vec()).await.unwrap();
        // Each event is seen before the next one is sent: nothing waits for the end.
        client.until(b"\r\n\r\n").await.unwrap();
        for event in ["data: 1\n\n", "data: 2\n\n"] {
            parts.send(format!("{:x}\r\n{event}\r\n", event.len()).into_bytes()).await.unwrap();
            client.until(event.as_bytes()).await.unwrap();
        }
        parts.send(b"0\r\n\r\n".to_vec()).await.unwrap();
        client.until(b"0\r\n\r\n").await.unwrap();
        assert_eq!(proxy.stop().await.recorded, 1);
    })
    .await;
}

#[tokio::test]
async fn chunks_that_can_be_read_two_ways_are_refused() {
    within(async {
        let upstream = Upstream::canned(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.pass().await;
        for chunks in ["2\n{}\r\n0\r\n\r\n", "2\r\n{}\n0\r\n\r\n", "2\r\n{}\r\n0\n\r\n", "2;a\n\r\n{}\r\n0\r\n\r\n"] {
            let request = format!(
                "POST http://api.test/ HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"
            );
            let answer = Client::plain(proxy.address).await.ask(&request).await;
            assert_eq!(answer.status(), 400, "{chunks:?}");
            assert_eq!(answer.field("connection"), Some("close"));
        }
        assert_eq!(upstream.hits(), 0, "the upstream saw no whole request");
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_status_that_is_none_ends_the_call_at_once() {
    within(async {
        let upstream = Upstream::plain(|asked| {
            let interim = b"HTTP/1.1 102 Processing\r\n\r\n".repeat(1000);
            Reaction::Keep(match asked.target() {
                "/zero" => b"HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n".to_vec(),
                _ => interim,
            })
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        for path in ["/zero", "/for-ever"] {
            let begun = std::time::Instant::now();
            let mut client = Client::plain(recording.address).await;
            client
                .send(format!("GET http://api.test{path} HTTP/1.1\r\nHost: api.test\r\n\r\n").as_bytes())
                .await;
            assert!(client.answer(false).await.is_none(), "{path}");
            assert!(begun.elapsed().as_secs() < 5, "{path}: no deadline was waited for");
        }
        let report = recording.stop().await;
        assert_eq!(report.recorded, 2, "{:?}", report.warnings);
    })
    .await;
}

#[tokio::test]
async fn b10_any_request_bytes_are_accepted_whatever_their_type_says() {
    within(async {
        let upstream = Upstream::plain(|asked| {
            let hash = hex::encode(Sha256::digest(&asked.body));
            Reaction::Keep(format!("HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n{hash}").into_bytes())
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let every: Vec<u8> = (0..=255).collect();
        let bodies: [(&str, &[u8]); 6] = [
            ("application/json", &every),
            ("application/json", b"{\"cut\": "),
            ("application/x-www-form-urlencoded", b"a=%&=&%zz\xff"),
            ("multipart/form-data; boundary=x", b"--x\r\nno part"),
            ("text/plain; charset=utf-8", b"\xc3\x28"),
            ("no type at all", b"\0"),
        ];
        let mut live = Vec::new();
        for replaying in [false, true] {
            let proxy = if replaying { harness.replay().await } else { harness.record().await };
            let mut client = Client::plain(proxy.address).await;
            let mut answers = Vec::new();
            for (kind, body) in bodies {
                let mut request =
                    b"POST http://api.test/ HTTP/1.1\r\nHost: api.test\r\nContent-Type: ".to_vec();
                request.extend(
                    kind.bytes().chain(format!("\r\nContent-Length: {}\r\n\r\n", body.len()).bytes()),
                );
                request.extend(body);
                client.send(&request).await;
                let answer = client.answer(false).await.unwrap();
                assert_eq!(
                    answer.text(),
                    hex::encode(Sha256::digest(body)),
                    "{kind}, replaying: {replaying}"
                );
                answers.push(answer);
            }
            let report = proxy.stop().await;
            assert_eq!((report.missed.len(), report.unused.len()), (0, 0));
            if replaying { assert_eq!(live, answers) } else { live = answers }
        }
        assert_eq!(upstream.hits(), bodies.len());
    })
    .await;
}
