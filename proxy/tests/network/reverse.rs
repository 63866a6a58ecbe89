//! Listeners in front of one origin, for clients that cannot use a proxy.

use crate::support::{Client, H2Client, Harness, Reaction, TestCa, Upstream, within};

fn named(host: Option<&str>, target: &str) -> Reaction {
    let body = format!("{} {}", host.unwrap_or_default(), target);
    Reaction::Keep(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
}

#[tokio::test]
async fn o5_t10_a_reverse_listener_takes_clear_text_tls_and_http2_for_its_origin() {
    within(async {
        let ca = TestCa::new();
        let upstream =
            Upstream::tls(&ca, "api.test", |asked| named(asked.field("host"), asked.target())).await;
        let mut harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        harness.adjust = |settings| settings.reverse.push("0=https://api.test".parse().unwrap());
        let proxy = harness.record().await;
        let reverse = proxy.reverse[0];
        let mut client = Client::plain(reverse).await;
        assert_eq!(client.get("localhost:9000", "/clear?a=1").await.text(), "api.test /clear?a=1");
        let absolute = client.get("evil.test", "http://evil.test/absolute").await;
        assert_eq!(absolute.text(), "api.test /absolute", "only the origin is reached");
        let client = Client::plain(reverse).await;
        let mut client = client.encrypt(&harness.authority, "localhost", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("localhost", "/tls").await.text(), "api.test /tls");
        let client = Client::tunnel(reverse, "evil.test:443").await;
        let mut client = client.encrypt(&harness.authority, "evil.test", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("evil.test", "/tunnel").await.text(), "api.test /tunnel");
        let report = proxy.stop().await;
        assert_eq!((report.recorded, report.destinations.len()), (4, 1));
        assert_eq!(report.destinations["https://api.test"].recorded, 4);
    })
    .await;
}

#[tokio::test]
async fn m20_what_came_in_reverse_is_replayed_in_reverse_over_http2_and_as_a_proxy() {
    within(async {
        let ca = TestCa::new();
        let upstream =
            Upstream::tls(&ca, "api.test", |asked| named(asked.field("host"), asked.target())).await;
        let mut harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        harness.adjust = |settings| settings.reverse.push("0=https://api.test".parse().unwrap());
        let proxy = harness.record().await;
        for target in ["/a", "/b"] {
            Client::plain(proxy.reverse[0]).await.get("localhost", target).await;
        }
        proxy.stop().await;
        upstream.stop().await;
        let proxy = harness.replay().await;
        let client = Client::plain(proxy.reverse[0]).await;
        let client = client.encrypt(&harness.authority, "localhost", &["h2"]).await.unwrap();
        let h2 = H2Client::over(client.stream).await;
        assert_eq!(h2.get("https://localhost/a").await.1, "api.test /a");
        h2.close().await;
        let mut client = Client::secure(proxy.address, &harness.authority, "api.test", &[]).await;
        assert_eq!(client.get("api.test", "/b").await.text(), "api.test /b");
        let report = proxy.stop().await;
        assert_eq!((report.replayed, report.upstream_connections), (2, 0));
    })
    .await;
}

#[tokio::test]
async fn a_reverse_listener_does_not_go_round_in_a_circle_and_its_port_can_be_taken() {
    within(async {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let harness = Harness::new();
        let mode = || mcpeak_proxy::Mode::Pass { upstream: harness.upstream.clone() };
        let settings = |rule: String| {
            let mut settings = mcpeak_proxy::ProxySettings::new(mode(), harness.authority.clone());
            settings.reverse.push(rule.parse().unwrap());
            settings
        };
        let error = mcpeak_proxy::Proxy::bind(settings(format!("{port}=http://api.test"))).await.unwrap_err();
        assert!(matches!(error, mcpeak_proxy::ProxyError::Bind { address, .. } if address.port() == port));
        drop(taken);
        let bound =
            mcpeak_proxy::Proxy::bind(settings(format!("{port}=http://127.0.0.1:{port}"))).await.unwrap();
        let stop = tokio_util::sync::CancellationToken::new();
        let reverse = bound.reverse_addresses()[0];
        let serving = tokio::spawn(bound.serve(stop.clone()));
        assert_eq!(Client::plain(reverse).await.get("localhost", "/x").await.status(), 404);
        stop.cancel();
        assert_eq!(serving.await.unwrap().unwrap().upstream_connections, 0);
    })
    .await;
}
