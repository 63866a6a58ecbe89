//! Certificates on both legs.

use std::net::SocketAddr;

use mcpeak_proxy::settings::ClientCertificate;
use rustls_pki_types::ServerName;

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, within};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn t6_client_certificates_go_to_their_host_and_into_no_file() {
    within(async {
        let ca = TestCa::new();
        let upstream =
            Upstream::with_tls(ca.server("mtls.test", &["http/1.1"], true), |_| Reaction::Keep(OK.to_vec()))
                .await;
        let identity = ca.client_identity("client");
        let mut harness = Harness::new().trusting(&ca).resolving("mtls.test", upstream.port);
        harness.upstream.client_certificates.push(ClientCertificate {
            host: "mtls.test".parse().unwrap(),
            certificate: identity.certificate.clone(),
            key: identity.key.clone(),
        });
        let proxy = harness.record().await;
        let mut client = Client::secure(proxy.address, &harness.authority, "mtls.test", &[]).await;
        assert_eq!(client.get("mtls.test", "/").await.text(), "ok");
        proxy.stop().await;
        let file = std::fs::read_to_string(harness.session()).unwrap();
        let key = std::fs::read_to_string(&identity.key).unwrap();
        assert!(!file.contains(key.lines().nth(1).unwrap()));
    })
    .await;
}

#[tokio::test]
async fn t6_without_a_certificate_the_upstream_refuses() {
    within(async {
        let ca = TestCa::new();
        let upstream =
            Upstream::with_tls(ca.server("mtls.test", &["http/1.1"], true), |_| Reaction::Keep(OK.to_vec()))
                .await;
        let harness = Harness::new().trusting(&ca).resolving("mtls.test", upstream.port);
        let proxy = harness.pass().await;
        let mut client = Client::secure(proxy.address, &harness.authority, "mtls.test", &[]).await;
        client.send(b"GET / HTTP/1.1\r\nHost: mtls.test\r\n\r\n").await;
        let answer = client.answer(false).await;
        assert!(answer.is_none_or(|answer| answer.status() == 502), "never a success");
        assert_eq!(upstream.hits(), 0);
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn t7_private_roots_per_run_and_insecure_per_host() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "private.test", |_| Reaction::Keep(OK.to_vec())).await;
        let untrusting =
            Harness::new().resolving("private.test", upstream.port).resolving("other.test", upstream.port);
        let proxy = untrusting.pass().await;
        let mut client = Client::secure(proxy.address, &untrusting.authority, "private.test", &[]).await;
        let answer = client.get("private.test", "/").await;
        assert_eq!(answer.status(), 502);
        assert!(answer.text().contains("--upstream-ca"), "{}", answer.text());
        proxy.stop().await;

        let mut insecure = untrusting;
        insecure.upstream.insecure.push("private.test".parse().unwrap());
        let proxy = insecure.pass().await;
        let mut client = Client::secure(proxy.address, &insecure.authority, "private.test", &[]).await;
        assert_eq!(client.get("private.test", "/").await.text(), "ok");
        let mut other = Client::secure(proxy.address, &insecure.authority, "other.test", &[]).await;
        assert_eq!(other.get("other.test", "/").await.status(), 502, "insecure for one host only");
        let report = proxy.stop().await;
        assert!(
            format!("{:?}", report.warnings).contains("private.test"),
            "it is said: {:?}",
            report.warnings
        );

        let trusting = Harness::new().trusting(&ca).resolving("private.test", upstream.port);
        let proxy = trusting.pass().await;
        let mut client = Client::secure(proxy.address, &trusting.authority, "private.test", &[]).await;
        assert_eq!(client.get("private.test", "/").await.text(), "ok");
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn t9_the_first_handshake_has_the_right_certificate() {
    within(async {
        let harness = Harness::new();
        let proxy = harness.pass().await;
        for host in ["first.test", "second.test", "127.0.0.1", "a.very.deep.name.example.test"] {
            // rustls checks the name against the SAN, and an address against an IP SAN; no SNI is sent for an address.
            Client::secure(proxy.address, &harness.authority, host, &["http/1.1"]).await;
        }
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn leaves_carry_what_strict_clients_ask_for() {
    use x509_parser::prelude::*;
    within(async {
        let harness = Harness::new();
        let proxy = harness.pass().await;
        let client = Client::tunnel(proxy.address, "strict.test:443").await;
        let connector = tokio_rustls::TlsConnector::from(crate::support::tls_config(&harness.authority, &[]));
        let name = ServerName::try_from("strict.test").unwrap();
        let stream = connector.connect(name, client.stream).await.unwrap();
        let der = stream.get_ref().1.peer_certificates().unwrap()[0].clone();
        let (_, leaf) = X509Certificate::from_der(&der).unwrap();
        let pem = parse_x509_pem(harness.authority.certificate_pem().as_bytes()).unwrap().1;
        let ca = pem.parse_x509().unwrap();
        let has = |certificate: &X509Certificate<'_>, wanted: &dyn Fn(&ParsedExtension<'_>, bool) -> bool| {
            certificate
                .extensions()
                .iter()
                .any(|extension| wanted(extension.parsed_extension(), extension.critical))
        };
        assert!(has(&leaf, &|e, _| matches!(e, ParsedExtension::SubjectAlternativeName(_))));
        assert!(has(&leaf, &|e, _| matches!(e, ParsedExtension::AuthorityKeyIdentifier(_))));
        assert!(has(&leaf, &|e, _| matches!(e, ParsedExtension::SubjectKeyIdentifier(_))));
        assert!(has(
            &leaf,
            &|e, _| matches!(e, ParsedExtension::ExtendedKeyUsage(usage) if usage.server_auth)
        ));
        assert!(
            has(&ca, &|e, critical| critical && matches!(e, ParsedExtension::BasicConstraints(b) if b.ca))
        );
        assert!(has(&ca, &|e, critical| critical
            && matches!(e, ParsedExtension::KeyUsage(u) if u.key_cert_sign())));
        assert!(leaf.validity().time_to_expiration().is_some_and(|left| left.whole_days() <= 7));
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn t12_connections_are_kept_inside_tunnels() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let proxy = harness.pass().await;
        let mut client = Client::secure(proxy.address, &harness.authority, "api.test", &[]).await;
        for _ in 0..50 {
            let answer = client.get("api.test", "/").await;
            assert_eq!((answer.text().as_str(), answer.field("connection")), ("ok", None));
        }
        assert_eq!((upstream.hits(), upstream.connections()), (50, 1), "on both legs");
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn t4_a_client_that_refuses_the_certificate_is_named() {
    within(async {
        let harness = Harness::new();
        let stranger = mcpeak_proxy::Authority::ephemeral().unwrap();
        let proxy = harness.pass().await;
        let client = Client::tunnel(proxy.address, "pinned.test:443").await;
        assert!(client.encrypt(&stranger, "pinned.test", &["http/1.1"]).await.is_err());
        // The alert may still be on its way.
        while proxy.handle.report().refused_certificates.is_empty() {
            tokio::task::yield_now().await;
        }
        let report = proxy.stop().await;
        assert_eq!(report.refused_certificates[0].host, "pinned.test");
    })
    .await;
}

#[tokio::test]
async fn sessions_are_resumed() {
    within(async {
        let harness = Harness::new();
        let proxy = harness.pass().await;
        let config = crate::support::tls_config(&harness.authority, &["http/1.1"]);
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let client = Client::tunnel(proxy.address, "resume.test:443").await;
            let name = ServerName::try_from("resume.test").unwrap();
            let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::clone(&config));
            let stream = connector.connect(name, client.stream).await.unwrap();
            kinds.push(stream.get_ref().1.handshake_kind());
            // The ticket comes with the first answer.
            let mut client = Client::over(Box::new(stream));
            client.ask("GET / HTTP/1.1\r\nHost: resume.test\r\nConnection: close\r\n\r\n").await;
        }
        assert_eq!(kinds[0], Some(rustls::HandshakeKind::Full));
        assert_eq!(kinds[1], Some(rustls::HandshakeKind::Resumed));
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn tls_to_the_proxy_itself_and_without_connect() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let proxy = harness.pass().await;
        let direct = |address: SocketAddr| async move { Client::plain(address).await };
        // Transparent: the ClientHello names the host.
        let client = direct(proxy.address).await;
        let mut client = client.encrypt(&harness.authority, "api.test", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("api.test", "/").await.text(), "ok");
        // p16: an https:// proxy, and a tunnel inside it.
        let client = direct(proxy.address).await;
        let mut client = client.encrypt(&harness.authority, "127.0.0.1", &["http/1.1"]).await.unwrap();
        client.send(b"CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n\r\n").await;
        client.until(b"\r\n\r\n").await.unwrap();
        let mut client = client.encrypt(&harness.authority, "api.test", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("api.test", "/").await.text(), "ok");
        proxy.stop().await;
    })
    .await;
}
