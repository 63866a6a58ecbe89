//! What each mode may do, and what it may not.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcpeak_proxy::Mode;
use mcpeak_proxy::session::ReplayOptions;

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, within};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"n\": 1}";

#[tokio::test]
async fn k1_k2_replay_never_dials_and_serves_on() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let recording = harness.record().await;
        let mut client = Client::secure(recording.address, &harness.authority, "api.test", &[]).await;
        assert_eq!(client.get("api.test", "/n").await.body, b"{\"n\": 1}");
        let report = recording.stop().await;
        assert_eq!((report.recorded, report.upstream_connections), (1, 1));

        // The upstream is still there; nothing may reach it.
        let replaying = harness.replay().await;
        let mut client = Client::secure(replaying.address, &harness.authority, "api.test", &[]).await;
        assert_eq!(client.get("api.test", "/n").await.body, b"{\"n\": 1}");
        for _ in 0..3 {
            let miss = client.get("api.test", "/n").await;
            assert_eq!(miss.status(), 599, "all recordings are used, and the proxy still serves");
            assert!(miss.text().contains("mcpeak-replay-miss"), "{}", miss.text());
            assert!(miss.body.len() <= 16 * 1024);
        }
        assert_eq!(client.get("api.test", "/other").await.status(), 599);
        let report = replaying.stop().await;
        assert_eq!((upstream.hits(), upstream.connections()), (1, 1));
        assert_eq!((report.replayed, report.upstream_connections), (1, 0));
        assert!(report.has_misses());
    })
    .await;
}

#[tokio::test]
async fn k2_replay_serves_until_it_is_told_to_stop() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        Client::plain(recording.address).await.get("api.test", "http://api.test/n").await;
        recording.stop().await;
        upstream.stop().await;

        let replaying = harness.replay().await;
        let mut kept = Client::plain(replaying.address).await;
        assert_eq!(kept.get("api.test", "http://api.test/n").await.status(), 200);
        // The last recording is used: the connection goes on, and so do new ones.
        for _ in 0..3 {
            assert_eq!(kept.get("api.test", "http://api.test/n").await.status(), 599);
            let mut fresh = Client::plain(replaying.address).await;
            assert_eq!(fresh.get("api.test", "http://api.test/n").await.status(), 599);
        }
        let address = replaying.address;
        let report = replaying.stop().await;
        assert_eq!((report.replayed, report.missed.iter().map(|miss| miss.count).sum::<u64>()), (1, 6));
        assert!(tokio::net::TcpStream::connect(address).await.is_err(), "and then it is told to stop");
    })
    .await;
}

#[tokio::test]
async fn k8_a_miss_fails_with_the_command_that_records_and_records_nothing() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        Client::plain(recording.address).await.get("api.test", "http://api.test/n").await;
        recording.stop().await;
        let before = std::fs::read(harness.session()).unwrap();

        let command = "mcpeak test a.suite.json --record-session test.session.json --force";
        let options = ReplayOptions { record_command: Some(command.to_owned()), ..ReplayOptions::default() };
        let replaying = harness.replay_with(options).await;
        let miss = Client::plain(replaying.address).await.get("api.test", "http://api.test/new").await;
        assert_eq!(miss.status(), 599);
        assert!(miss.text().contains(command), "{}", miss.text());
        let report = replaying.stop().await;
        assert!(report.has_misses() && upstream.hits() == 1, "the call went nowhere");
        assert_eq!(std::fs::read(harness.session()).unwrap(), before);
        assert_eq!(std::fs::read_dir(harness.folder.path()).unwrap().count(), 1, "nothing was written");
    })
    .await;
}

#[tokio::test]
async fn m20_a_recording_answers_whatever_way_the_request_came_in() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let direct = "GET /n?a=1 HTTP/1.1\r\nHost: api.test\r\n\r\n";
        let forward = "GET http://api.test/n?a=1 HTTP/1.1\r\nHost: api.test\r\n\r\n";
        let recording = harness.record().await;
        let mut reverse = Client::plain(recording.address).await;
        for _ in 0..3 {
            assert_eq!(reverse.ask(direct).await.status(), 200);
        }
        assert_eq!(recording.stop().await.recorded, 3);
        let file = std::fs::read_to_string(harness.session()).unwrap();
        assert_eq!(file.matches("\"url\": \"http://api.test/n?a=1\"").count(), 3, "{file}");

        let replaying = harness.replay().await;
        let mut tunnel = Client::tunnel(replaying.address, "api.test:80").await;
        let mut client = Client::plain(replaying.address).await;
        assert_eq!(client.ask(forward).await.status(), 200, "absolute-form");
        assert_eq!(tunnel.ask(direct).await.status(), 200, "within CONNECT");
        assert_eq!(client.ask(direct).await.status(), 200, "origin-form");
        let report = replaying.stop().await;
        assert_eq!((report.replayed, report.missed.len(), report.unused.len()), (3, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn k3_replay_needs_no_upstream_for_tls_and_alpn() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let recording = harness.record().await;
        Client::secure(recording.address, &harness.authority, "api.test", &[])
            .await
            .get("api.test", "/")
            .await;
        recording.stop().await;
        upstream.stop().await;

        let replaying = harness.replay().await;
        for alpn in [&[][..], &["http/1.1"], &["http/1.1", "h2"]] {
            let mut client = Client::secure(
                replaying.address,
                &harness.authority,
                "unknown.test",
                &alpn[..alpn.len().min(1)],
            )
            .await;
            assert_eq!(client.get("unknown.test", "/").await.status(), 599);
        }
        let report = replaying.stop().await;
        assert_eq!(report.upstream_connections, 0);
    })
    .await;
}

#[tokio::test]
async fn replay_refuses_what_is_not_http() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        Client::plain(recording.address).await.get("api.test", "http://api.test/").await;
        recording.stop().await;
        let replaying = harness.replay().await;
        let mut client = Client::tunnel(replaying.address, "db.test:5432").await;
        client.send(b"\x00\x00\x00\x08\x04\xd2\x16\x2f").await;
        assert!(!client.more().await.unwrap_or(false), "the connection ends");
        let report = replaying.stop().await;
        assert_eq!((report.upstream_connections, report.tunnelled), (0, 0));
        assert!(format!("{:?}", report.warnings).contains("db.test:5432"), "{:?}", report.warnings);
    })
    .await;
}

#[tokio::test]
async fn s10_parallel_clients_take_each_recording_once() {
    within(async {
        let counter = AtomicUsize::new(0);
        let upstream = Upstream::plain(move |_| {
            let n = counter.fetch_add(1, Ordering::SeqCst);
            Reaction::Keep(format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{n:04}").into_bytes())
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        let mut client = Client::plain(recording.address).await;
        for _ in 0..100 {
            client.get("api.test", "http://api.test/same").await;
        }
        assert_eq!(recording.stop().await.recorded, 100);

        let replaying = harness.replay().await;
        let address = replaying.address;
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                tokio::spawn(async move {
                    Client::plain(address).await.get("api.test", "http://api.test/same").await.text()
                })
            })
            .collect();
        let mut seen = Vec::new();
        for task in tasks {
            seen.push(task.await.unwrap());
        }
        seen.sort();
        assert_eq!(seen, (0..100).map(|n| format!("{n:04}")).collect::<Vec<_>>());
        let report = replaying.stop().await;
        assert_eq!((report.replayed, report.unused.len(), report.missed.len()), (100, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn s14_identical_requests_in_parallel_are_all_recorded() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        let address = recording.address;
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                tokio::spawn(async move {
                    let request = "POST http://api.test/same HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n\
                                   2\r\n{}\r\n0\r\n\r\n";
                    Client::plain(address).await.ask(request).await.text()
                })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), "{\"n\": 1}");
        }
        let report = recording.stop().await;
        assert_eq!(report.recorded, 100, "{:?}", report.warnings);
        assert_eq!(report.destinations["http://api.test"].recorded, 100);
    })
    .await;
}

#[tokio::test]
async fn pass_counts_and_stores_nothing() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.start(Mode::Pass { upstream: harness.upstream.clone() }).await;
        let mut client = Client::plain(proxy.address).await;
        for _ in 0..5 {
            assert_eq!(client.get("api.test", "http://api.test/").await.status(), 200);
        }
        let report = proxy.stop().await;
        assert_eq!((report.passed_through, report.upstream_connections), (5, 1), "the connection is kept");
        assert!(!harness.session().exists());
    })
    .await;
}

#[tokio::test]
async fn e1_failures_are_recorded_as_failures_and_never_as_answers() {
    within(async {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let reset = Upstream::plain(|_| Reaction::Reset(Vec::new())).await;
        let harness =
            Harness::new().resolving_port("gone.test", 80, free).resolving_port("reset.test", 80, reset.port);
        let recording = harness.record().await;
        let refused = Client::plain(recording.address).await.get("gone.test", "http://gone.test/").await;
        assert_eq!(refused.status(), 502);
        assert!(refused.text().contains("mcpeak-proxy-error"), "{}", refused.text());
        let mut client = Client::plain(recording.address).await;
        client.send(b"GET http://reset.test/ HTTP/1.1\r\nHost: reset.test\r\n\r\n").await;
        assert!(client.answer(false).await.is_none(), "the client sees what the upstream did");
        assert_eq!(recording.stop().await.recorded, 2);

        let file = std::fs::read_to_string(harness.session()).unwrap();
        assert!(file.contains("refused") && file.contains("reset") && !file.contains("502"), "{file}");
        let replaying = harness.replay().await;
        let replayed = Client::plain(replaying.address).await.get("gone.test", "http://gone.test/").await;
        assert_eq!(replayed, refused, "the client cannot tell replay from record");
        let mut client = Client::plain(replaying.address).await;
        client.send(b"GET http://reset.test/ HTTP/1.1\r\nHost: reset.test\r\n\r\n").await;
        assert!(client.answer(false).await.is_none());
        let report = replaying.stop().await;
        assert_eq!((report.replayed, report.missed.len()), (2, 0));
    })
    .await;
}
