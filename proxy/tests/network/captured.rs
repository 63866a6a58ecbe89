//! Captured sockets that speak HTTP.

use mcpeak_core::redact::Redactor;
use mcpeak_core::secret::Secret;
use mcpeak_proxy::report::Warning;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::support::{
    Client, Harness, Reaction, Running, TestCa, Upstream, at, captured, named, outcome, within,
};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

async fn ask(mut near: TcpStream, host: &str) -> (Vec<u8>, bool) {
    near.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())
        .await
        .unwrap();
    outcome(near).await
}

fn plain(near: TcpStream) -> Client {
    Client::over(Box::new(near))
}

#[tokio::test]
async fn a_reset_of_the_upstream_is_a_reset_for_a_captured_client_and_in_replay() {
    within(async {
        for bytes in [&b""[..], b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nhalf"] {
            let upstream = Upstream::plain(move |_| Reaction::Reset(bytes.to_vec())).await;
            let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
            let recording = harness.record().await;
            let (read, reset) = ask(captured(&recording, named("api.test", 80)).await, "api.test").await;
            assert!(reset, "in record, after {:?}", String::from_utf8_lossy(&read));
            let report = recording.stop().await;
            assert_eq!(report.destinations["http://api.test"].recorded, 1);
            let replaying = harness.replay().await;
            let (again, reset) = ask(captured(&replaying, named("api.test", 80)).await, "api.test").await;
            assert!(reset, "in replay, after {:?}", String::from_utf8_lossy(&again));
            let report = replaying.stop().await;
            assert_eq!(
                (report.destinations["http://api.test"].replayed, report.upstream_connections),
                (1, 0)
            );
        }
    })
    .await;
}

#[tokio::test]
async fn replayed_and_missed_calls_are_counted_by_destination() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        plain(captured(&recording, named("api.test", 80)).await).get("api.test", "/a").await;
        recording.stop().await;
        let replaying = harness.replay().await;
        let mut client = plain(captured(&replaying, named("api.test", 80)).await);
        for (path, status) in [("/a", 200), ("/b", 599), ("/b", 599)] {
            assert_eq!(client.get("api.test", path).await.status(), status);
        }
        plain(captured(&replaying, named("other.test", 8080)).await).get("other.test", "/").await;
        let report = replaying.stop().await;
        let json = serde_json::to_string(&report.destinations).unwrap();
        assert_eq!(
            json,
            r#"{"http://api.test":{"replayed":1,"missed":2},"http://other.test:8080":{"missed":1}}"#
        );
    })
    .await;
}

/// A request over TLS and one in clear text, both to a bare address.
async fn both(harness: &Harness, proxy: &Running, address: &str) {
    let near = captured(proxy, at(address, 443)).await;
    let mut client = plain(near).encrypt(&harness.authority, "api.test", &["http/1.1"]).await.unwrap();
    assert_eq!(client.get("api.test", "/").await.text(), "ok");
    let mut client = plain(captured(proxy, at(address, 80)).await);
    assert_eq!(client.get("API.test", "/").await.text(), "ok");
}

#[tokio::test]
async fn m19_a_bare_address_is_recorded_under_its_name_and_replayed_for_another_address() {
    within(async {
        let ca = TestCa::new();
        let secure = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let clear = Upstream::canned(OK).await;
        let harness = Harness::new().trusting(&ca).resolving("192.0.2.7", secure.port).resolving_port(
            "192.0.2.7",
            80,
            clear.port,
        );
        let recording = harness.record().await;
        both(&harness, &recording, "192.0.2.7").await;
        let report = recording.stop().await;
        let of = |name: &str| report.destinations[name].recorded;
        assert_eq!((of("https://api.test"), of("http://api.test")), (1, 1));
        assert_eq!(report.warnings, [], "an address contradicts no name");
        let replaying = harness.replay().await;
        both(&harness, &replaying, "2001:db8::9").await;
        let report = replaying.stop().await;
        assert_eq!((report.replayed, report.missed.len()), (2, 0));
    })
    .await;
}

#[tokio::test]
async fn m19_the_name_that_was_resolved_wins_and_another_one_is_reported_without_secrets() {
    within(async {
        let ca = TestCa::new();
        let secure = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let clear = Upstream::canned(OK).await;
        let mut harness = Harness::new()
            .trusting(&ca)
            .resolving("api.test", secure.port)
            .resolving_port("api.test", 80, clear.port);
        harness.redactor =
            Redactor::new([("TENANT".to_owned(), Secret::new("tenant-4711-abcdef".to_owned()))]);
        let recording = harness.record().await;
        let near = captured(&recording, named("api.test", 443)).await;
        let mut client = plain(near).encrypt(&harness.authority, "front.test", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("api.test:443", "/").await.text(), "ok");
        let mut client = plain(captured(&recording, named("api.test", 80)).await);
        for host in ["API.test", "api.test.:80", "tenant-4711-abcdef.test:8080"] {
            assert_eq!(client.get(host, "/").await.text(), "ok");
        }
        let report = recording.stop().await;
        let differs = |destination: &str, host: &str| Warning::HostDiffers {
            destination: destination.to_owned(),
            host: host.to_owned(),
        };
        let expected = [
            differs("http://api.test", "{{secret:TENANT}}.test:8080"),
            differs("https://api.test", "front.test"),
        ];
        assert_eq!(report.warnings, expected);
        assert_eq!(report.destinations.keys().collect::<Vec<_>>(), ["http://api.test", "https://api.test"]);
    })
    .await;
}

#[tokio::test]
async fn t4_a_client_that_refuses_the_certificate_is_reported_by_program_and_host() {
    within(async {
        let harness = Harness::new();
        let other = Harness::new();
        let proxy = harness.pass().await;
        for _ in 0..2 {
            let near = captured(&proxy, named("pinned.test", 443)).await;
            assert!(plain(near).encrypt(&other.authority, "pinned.test", &[]).await.is_err());
        }
        // One that looks at the certificate after the handshake.
        let near = captured(&proxy, at("192.0.2.7", 443)).await;
        let client = plain(near).encrypt(&harness.authority, "late.test", &["http/1.1"]).await.unwrap();
        close(client).await;
        let report = proxy.stop().await;
        let refused: Vec<_> = report
            .refused_certificates
            .iter()
            .map(|refused| (refused.host.as_str(), refused.program.as_deref(), refused.count))
            .collect();
        assert_eq!(refused, [("late.test", Some("app"), 1), ("pinned.test", Some("app"), 2)]);
        assert!(report.destinations.is_empty(), "{:?}", report.destinations);
    })
    .await;
}

#[tokio::test]
async fn connections_opened_ahead_of_need_are_not_reported() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let recording = harness.record().await;
        close(plain(captured(&recording, named("api.test", 443)).await)).await;
        let near = captured(&recording, named("api.test", 443)).await;
        close(plain(near).encrypt(&harness.authority, "api.test", &["http/1.1"]).await.unwrap()).await;
        let near = captured(&recording, named("api.test", 443)).await;
        let mut client = plain(near).encrypt(&harness.authority, "api.test", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("api.test", "/").await.text(), "ok");
        let report = recording.stop().await;
        assert_eq!(report.destinations["https://api.test"].recorded, 1);
        assert_eq!((report.refused_certificates, report.warnings), (vec![], vec![]));

        let replaying = harness.replay().await;
        close(plain(captured(&replaying, named("api.test", 443)).await)).await;
        let report = replaying.stop().await;
        assert!(report.destinations.is_empty() && report.warnings.is_empty(), "{report:?}");
    })
    .await;
}

/// Closes, and waits until the proxy has seen it.
async fn close(mut client: Client) {
    client.stream.shutdown().await.unwrap();
    while client.more().await.unwrap_or(false) {}
}
