//! Starting, stopping, load, slowness, limits.

use std::time::{Duration, Instant};

use mcpeak_proxy::{AdminServer, ProxyError};
use tokio_util::sync::CancellationToken;

use crate::support::{Client, H2Client, Harness, Reaction, TestCa, Upstream, within};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn o1_an_idle_proxy_stops_at_once_with_everything_on_disk() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let proxy = harness.record().await;
        // Connections of every kind stay open and idle.
        let silent = Client::plain(proxy.address).await;
        let tunnel = Client::tunnel(proxy.address, "api.test:443").await;
        let mut kept = Client::secure(proxy.address, &harness.authority, "api.test", &[]).await;
        kept.get("api.test", "/").await;
        let h2 = H2Client::secure(proxy.address, &harness.authority, "api.test").await;
        h2.get("https://api.test/").await;
        let started = Instant::now();
        let report = proxy.stop().await;
        assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
        assert_eq!(report.recorded, 2);
        assert!(harness.session().exists());
        drop((silent, tunnel, kept));
        h2.close().await;
    })
    .await;
}

#[tokio::test]
async fn o1_an_exchange_under_way_is_finished_and_a_hanging_one_is_cut_off() {
    within(async {
        let (parts, receiver) = tokio::sync::mpsc::channel(4);
        let receiver = std::sync::Mutex::new(Some(receiver));
        let upstream = Upstream::plain(move |asked| match asked.target() {
            "/hang" => Reaction::Hang,
            _ => Reaction::Live(receiver.lock().unwrap().take().unwrap()),
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let mut hanging = Client::plain(proxy.address).await;
        hanging.send(b"GET http://api.test/hang HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        let mut client = Client::plain(proxy.address).await;
        client.send(b"GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        parts.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha".to_vec()).await.unwrap();
        client.until(b"ha").await.unwrap();
        while upstream.hits() < 2 {
            tokio::task::yield_now().await;
        }
        let started = Instant::now();
        let stopping = tokio::spawn(proxy.stop());
        parts.send(b"lf".to_vec()).await.unwrap();
        client.until(b"lf").await.expect("the rest of the answer arrives during the stop");
        let report = stopping.await.unwrap();
        assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
        assert_eq!(report.recorded, 1);
        assert!(!hanging.more().await.unwrap_or(false), "the hanging one has ended");
    })
    .await;
}

#[tokio::test]
async fn a_hundred_clients_at_once() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |asked| {
            let body = asked.target().to_owned();
            Reaction::Keep(
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes(),
            )
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let proxy = harness.record().await;
        let (address, authority) = (proxy.address, harness.authority.clone());
        let tasks: Vec<_> = (0..100)
            .map(|n| {
                let authority = authority.clone();
                tokio::spawn(async move {
                    let mut client = Client::secure(address, &authority, "api.test", &["http/1.1"]).await;
                    for turn in 0..5 {
                        let target = format!("/{n}/{turn}");
                        assert_eq!(client.get("api.test", &target).await.text(), target);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(proxy.stop().await.recorded, 500);
    })
    .await;
}

#[tokio::test]
async fn slow_clients_are_served_and_endless_ones_are_not() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let mut harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        harness.adjust = |settings| {
            settings.limits.header_read = Duration::from_millis(400);
            settings.limits.detect = Duration::from_millis(400);
        };
        let proxy = harness.pass().await;
        let mut slow = Client::plain(proxy.address).await;
        for byte in b"POST http://api.test/ HTTP/1.1\r\nHost: api.test\r\nContent-Length: 3\r\n\r\nabc" {
            slow.send(&[*byte]).await;
        }
        assert_eq!(slow.answer(false).await.unwrap().text(), "ok");
        for beginning in [&b""[..], b"GE", b"GET http://api.test/ HTTP/1.1\r\nHost:", b"\x16\x03"] {
            let mut endless = Client::plain(proxy.address).await;
            endless.send(beginning).await;
            assert!(!endless.more().await.unwrap_or(false), "{beginning:?}: ended without an answer");
        }
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn limits_and_nonsense_have_answers() {
    within(async {
        let harness = Harness::new();
        let proxy = harness.pass().await;
        let mut client = Client::plain(proxy.address).await;
        let huge = format!("GET http://api.test/ HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(70_000));
        assert_eq!(client.ask(&huge).await.status(), 431);
        for (request, status) in [
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\nHost: other.test\r\n\r\n", 400),
            ("CONNECT api.test:1 HTTP/1.1\r\nHost: api.test:1\r\nhost: api.test:1\r\n\r\n", 400),
            ("CONNECT nonsense HTTP/1.1\r\n\r\n", 400),
            ("GET / NOT-HTTP\r\n\r\n", 400),
        ] {
            let mut client = Client::plain(proxy.address).await;
            assert_eq!(client.ask(request).await.status(), status, "{request}");
        }
        assert_eq!(proxy.stop().await.upstream_connections, 0);
    })
    .await;
}

#[tokio::test]
async fn an_address_in_use_is_an_error_with_a_hint() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let harness = Harness::new();
    let mode = mcpeak_proxy::Mode::Pass { upstream: harness.upstream.clone() };
    let mut settings = mcpeak_proxy::ProxySettings::new(mode, harness.authority.clone());
    settings.listen = taken.local_addr().unwrap();
    let error = mcpeak_proxy::Proxy::bind(settings).await.unwrap_err();
    assert!(matches!(error, ProxyError::Bind { .. }));
    assert!(error.hint(mcpeak_core::locale::Locale::En).contains("another port"));
}

#[tokio::test]
async fn the_admin_endpoint_tells_what_is_going_on() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.pass().await;
        let admin = AdminServer::bind("127.0.0.1:0".parse().unwrap(), proxy.handle.clone()).await.unwrap();
        let address = admin.address();
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(admin.serve(shutdown.clone()));
        Client::plain(proxy.address).await.get("api.test", "http://api.test/").await;
        let mut client = Client::plain(address).await;
        assert_eq!(client.get("x", "/healthz").await.text(), "ok\n");
        assert_eq!(client.get("x", "/readyz").await.status(), 200);
        let report = client.get("x", "/session").await;
        let report: serde_json::Value = serde_json::from_slice(&report.body).unwrap();
        assert_eq!((&report["mode"], &report["passedThrough"]), (&"pass".into(), &1.into()));
        assert_eq!(client.get("x", "/ca.pem").await.text(), harness.authority.certificate_pem());
        let page = client.get("x", "/metrics").await;
        assert_eq!(page.field("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        assert!(page.text().contains("mcpeak_exchanges_total{mode=\"pass\",outcome=\"passed\"} 1\n"));
        assert!(page.text().contains("mcpeak_upstream_connections_total{mode=\"pass\"} 1\n"));
        assert!(!page.text().contains("api.test"), "hosts are no labels: their number has no bound");
        let store = client.get("x", "/ca.p12").await;
        assert_eq!(store.field("content-type"), Some("application/x-pkcs12"));
        assert_eq!(store.body, harness.authority.certificate_pkcs12());
        assert_eq!(client.get("x", "/nothing").await.status(), 404);
        proxy.stop().await;
        assert_eq!(client.get("x", "/readyz").await.status(), 503);
        shutdown.cancel();
        serving.await.unwrap();
    })
    .await;
}
