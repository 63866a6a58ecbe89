//! Fields and framing: what the client sees is what the upstream sent.

use crate::support::{Client, Harness, Reaction, Upstream, within};

const ODD: &[u8] =
    b"HTTP/1.1 200 Quite Fine\r\nX-MiXeD-Case: 1\r\nSet-Cookie: a=1; Path=/\r\nDup: 1\r\nsErVeR: odd\r\n\
    Set-Cookie: b=2\r\nDup: 2\r\nContent-Length: 2\r\nEtag: \"x\"\r\n\r\nok";

async fn once(bytes: &'static [u8], request: &str) -> (String, String) {
    let upstream = Upstream::plain(move |_| Reaction::Close(bytes.to_vec())).await;
    let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
    let recording = harness.record().await;
    let live = Client::plain(recording.address).await.ask(request).await;
    recording.stop().await;
    let replaying = harness.replay().await;
    let replayed = Client::plain(replaying.address).await.ask(request).await;
    let report = replaying.stop().await;
    assert_eq!((report.replayed, report.upstream_connections), (1, 0));
    assert_eq!(live.body, replayed.body);
    (live.head, replayed.head)
}

#[tokio::test]
async fn h1_h2_case_order_repeats_and_reason_stay_live() {
    within(async {
        let upstream = Upstream::canned(ODD).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.pass().await;
        let answer = Client::plain(proxy.address).await.get("api.test", "http://api.test/").await;
        let sent = std::str::from_utf8(ODD).unwrap();
        assert_eq!(answer.head, sent[..sent.len() - 2], "byte for byte");
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn h1_h2_h9_fields_are_replayed_as_recorded_and_nothing_is_added() {
    within(async {
        let (live, replayed) = once(ODD, "GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        assert_eq!(live.as_bytes(), &ODD[..ODD.len() - 2]);
        let lines = |head: &str| -> Vec<String> {
            // A cookie's value is a secret and comes back as a pseudonym; its place and name stay.
            head.lines()
                .map(
                    |line| if line.starts_with("Set-Cookie") { "Set-Cookie".into() } else { line.to_owned() },
                )
                .collect()
        };
        assert_eq!(lines(&replayed), lines(&live));
        assert_eq!(replayed.matches("Set-Cookie: ").count(), 2);
    })
    .await;
}

#[tokio::test]
async fn h9_replay_adds_no_field_of_its_own() {
    within(async {
        // Neither Date nor Server nor Via nor anything that tells a recording from the upstream.
        let bare = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let request = "GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n";
        let (live, replayed) = once(bare, request).await;
        for head in [live, replayed] {
            assert_eq!(head, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        }
        let odd = b"HTTP/1.1 404 Nope\r\nx-ONE: 1\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nX-One: 2\r\nContent-Length: 0\r\nVia: 1.1 far\r\n\r\n";
        let (live, replayed) = once(odd, request).await;
        for head in [live, replayed] {
            assert_eq!(head.as_bytes(), odd, "byte for byte");
        }
    })
    .await;
}

#[tokio::test]
async fn h5_framing_is_replayed_in_kind() {
    within(async {
        let request = "GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n";
        let chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: 1\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let (live, replayed) = once(chunked, request).await;
        for head in [&live, &replayed] {
            assert!(head.to_ascii_lowercase().contains("transfer-encoding: chunked\r\n"), "{head}");
            assert!(!head.to_ascii_lowercase().contains("content-length"), "h3: {head}");
        }
        let closed = b"HTTP/1.1 200 OK\r\nA: 1\r\n\r\nuntil the end";
        let (live, replayed) = once(closed, request).await;
        for head in [&live, &replayed] {
            assert_eq!(*head, "HTTP/1.1 200 OK\r\nA: 1\r\n\r\n");
        }
        let counted = b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 0\r\nA: 1\r\n\r\n";
        let (live, replayed) = once(counted, request).await;
        assert_eq!(live, replayed);
        assert_eq!(live, "HTTP/1.1 200 OK\r\ncontent-LENGTH: 0\r\nA: 1\r\n\r\n");
    })
    .await;
}

#[tokio::test]
async fn h3_bodiless_answers_stay_bodiless() {
    within(async {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n";
        let (live, replayed) = once(head, "HEAD http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        assert_eq!((live.as_bytes(), replayed.as_bytes()), (&head[..], &head[..]));
        let none = b"HTTP/1.1 204 No Content\r\nA: 1\r\n\r\n";
        let (live, replayed) = once(none, "DELETE http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        assert_eq!((live.as_bytes(), replayed.as_bytes()), (&none[..], &none[..]));
    })
    .await;
}

#[tokio::test]
async fn h3_a_head_request_shows_the_framing_a_get_would_have() {
    within(async {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: 1\r\n\r\n";
        let (live, replayed) = once(head, "HEAD http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        assert_eq!((live.as_bytes(), replayed.as_bytes()), (&head[..], &head[..]));
    })
    .await;
}

#[tokio::test]
async fn h6_transfer_codings_are_undone_and_never_lost_unmarked() {
    use std::io::Write as _;
    within(async {
        let text = b"{\"transfer\": \"coding\"}".repeat(2000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let gzip = gzip.finish().unwrap();
        let (first, rest) = gzip.split_at(gzip.len() / 2);
        let mut chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nContent-Type: text/plain\r\n\r\n"
                .to_vec();
        for part in [first, rest] {
            chunked.extend(format!("{:x}\r\n", part.len()).bytes());
            chunked.extend(part);
            chunked.extend(b"\r\n");
        }
        let cut = chunked.clone();
        chunked.extend(b"0\r\nX-Sum: 7\r\n\r\n");
        let mut until_close = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n".to_vec();
        until_close.extend(&gzip);
        let unknown = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: compress, chunked\r\n\r\n0\r\n\r\n".to_vec();
        let upstream = Upstream::plain(move |asked| {
            Reaction::Close(match asked.target() {
                "/chunked" => chunked.clone(),
                "/close" => until_close.clone(),
                "/cut" => cut[..cut.len() - 40].to_vec(),
                _ => unknown.clone(),
            })
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let mut turns = Vec::new();
        for replaying in [false, true] {
            let proxy = if replaying { harness.replay().await } else { harness.record().await };
            let mut answers = Vec::new();
            for path in ["chunked", "close", "cut"] {
                let mut client = Client::plain(proxy.address).await;
                answers.push(client.get("api.test", &format!("http://api.test/{path}")).await);
            }
            let mut client = Client::plain(proxy.address).await;
            client.send(b"GET http://api.test/unknown HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
            assert!(client.answer(false).await.is_none(), "a coding that nobody here knows is no answer");
            assert_eq!((answers[0].body == text, answers[0].trailers.as_str()), (true, "X-Sum: 7\r\n"));
            assert!(answers[1].body == text && !answers[2].whole && text.starts_with(&answers[2].body));
            assert_eq!(answers[0].field("transfer-encoding"), Some("chunked"));
            turns.push(answers);
            assert_eq!(proxy.stop().await.missed.len(), 0);
        }
        for (live, replayed) in turns[0].iter().zip(&turns[1]) {
            assert_eq!(live.head.len(), replayed.head.len(), "{} {}", live.head, replayed.head);
            assert!(live.body == replayed.body && live.whole == replayed.whole);
        }
    })
    .await;
}

#[tokio::test]
async fn h10_trailers_arrive_live_and_replayed() {
    within(async {
        let bytes = b"HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Sum: 7\r\n\r\n";
        let upstream = Upstream::plain(move |_| Reaction::Keep(bytes.to_vec())).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        let live = Client::plain(recording.address).await.get("api.test", "http://api.test/").await;
        recording.stop().await;
        let replaying = harness.replay().await;
        let replayed = Client::plain(replaying.address).await.get("api.test", "http://api.test/").await;
        replaying.stop().await;
        assert_eq!((live.text().as_str(), live.trailers.as_str()), ("ab", "X-Sum: 7\r\n"));
        assert_eq!((replayed.text().as_str(), replayed.trailers.as_str()), ("ab", "X-Sum: 7\r\n"));
    })
    .await;
}

#[tokio::test]
async fn h11_connect_is_answered_without_a_body() {
    within(async {
        let harness = Harness::new();
        let proxy = harness.pass().await;
        // The check of the whole head is in `tunnel`.
        Client::tunnel(proxy.address, "nowhere.test:443").await;
        let report = proxy.stop().await;
        assert_eq!(report.upstream_connections, 0);
    })
    .await;
}

#[tokio::test]
async fn h13_redirects_are_never_followed() {
    within(async {
        let moved = b"HTTP/1.1 302 Found\r\nLocation: http://api.test/other\r\nContent-Length: 0\r\n\r\n";
        let upstream = Upstream::canned(moved).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let answer = Client::plain(proxy.address).await.get("api.test", "http://api.test/").await;
        assert_eq!(answer.head.as_bytes(), moved);
        assert_eq!(upstream.hits(), 1);
        assert_eq!(proxy.stop().await.recorded, 1);
    })
    .await;
}

#[tokio::test]
async fn requests_go_out_as_they_came() {
    within(async {
        let (sender, mut asked) = tokio::sync::mpsc::unbounded_channel();
        let upstream = Upstream::plain(move |request| {
            sender.send(request).unwrap();
            Reaction::Keep(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec())
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let mut client = Client::plain(proxy.address).await;
        client
            .ask(
                "POST http://api.test/p?q=%7E&q HTTP/1.1\r\nHost: api.test\r\nX-Odd-CASE: 1\r\nProxy-Connection: keep-alive\r\n\
                 Proxy-Authorization: Basic eDp5\r\nAccept-Encoding: br;q=1.0, gzip\r\nConnection: X-Hop, keep-alive\r\n\
                 X-Hop: 1\r\nIf-None-Match: \"x\"\r\nx-odd-case: 2\r\ncontent-length: 3\r\n\r\nabc",
            )
            .await;
        let request = asked.recv().await.unwrap();
        assert_eq!(
            request.head,
            "POST /p?q=%7E&q HTTP/1.1\r\nHost: api.test\r\nX-Odd-CASE: 1\r\nAccept-Encoding: br;q=1.0, gzip\r\n\
             x-odd-case: 2\r\ncontent-length: 3\r\n\r\n"
        );
        assert_eq!(request.body, b"abc");
        proxy.stop().await;
    })
    .await;
}
