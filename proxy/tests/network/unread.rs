//! Captured sockets that do not speak HTTP, or not first.

use std::time::Duration;

use mcpeak_proxy::report::{Refusal, Warning};
use rustls_pki_types::pem::PemObject as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, at, captured, named, outcome, within};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// Long enough that a test which waits for it fails.
const NEVER: Duration = Duration::from_hours(1);

/// A server that says its name first and sends back what it gets.
async fn banner(tls: Option<std::sync::Arc<rustls::ServerConfig>>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let tls = tls.clone();
            tokio::spawn(async move {
                let mut stream: Box<dyn mcpeak_core::accepted::Stream> = match tls {
                    None => Box::new(tcp),
                    Some(tls) => Box::new(tokio_rustls::TlsAcceptor::from(tls).accept(tcp).await.unwrap()),
                };
                stream.write_all(b"220 hello\r\n").await.unwrap();
                stream.flush().await.unwrap();
                let (mut reader, mut writer) = tokio::io::split(stream);
                let _ = tokio::io::copy(&mut reader, &mut writer).await;
                let _ = writer.shutdown().await;
            });
        }
    });
    port
}

fn refused(destination: &str, why: Refusal) -> Warning {
    Warning::Refused { destination: destination.to_owned(), why }
}

async fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn a_server_that_speaks_first_is_heard_on_any_port() {
    within(async {
        let ca = TestCa::new();
        let clear = banner(None).await;
        let secure = banner(Some(ca.server("mail.test", &[], false))).await;
        let mut harness = Harness::new()
            .trusting(&ca)
            .resolving_port("mail.test", 25, clear)
            .resolving_port("mail.test", 2525, clear)
            .resolving_port("mail.test", 993, secure)
            .resolving_port("mail.test", 9993, secure);
        harness.adjust = |settings| settings.limits.detect = NEVER;
        let recording = harness.record().await;
        for port in [25, 2525, 993, 9993] {
            let mut client = Client::over(Box::new(captured(&recording, named("mail.test", port)).await));
            if port % 1000 == 993 {
                client = client.encrypt(&harness.authority, "mail.test", &[]).await.unwrap();
            }
            client.until(b"220 hello\r\n").await.unwrap();
            client.send(b"EHLO me\r\n").await;
            client.until(b"EHLO me\r\n").await.unwrap();
            client.stream.shutdown().await.unwrap();
            assert!(!client.more().await.unwrap(), "half closed, and closed by the server");
        }
        let report = recording.stop().await;
        for port in [25, 2525, 993, 9993] {
            assert_eq!(report.destinations[&format!("tcp://mail.test:{port}")].tunnelled, 1);
        }
        assert_eq!((report.tunnelled, report.recorded, report.upstream_connections), (4, 0, 4));
        assert_eq!(report.warnings, []);
    })
    .await;
}

#[tokio::test]
async fn what_is_not_http_within_tls_leaves_within_tls() {
    within(async {
        let ca = TestCa::new();
        let port = banner(Some(ca.server("queue.test", &["mqtt"], false))).await;
        let harness = Harness::new().trusting(&ca).resolving_port("queue.test", 8883, port);
        let recording = harness.record().await;
        let near = captured(&recording, named("queue.test", 8883)).await;
        let mut client =
            Client::over(Box::new(near)).encrypt(&harness.authority, "queue.test", &[]).await.unwrap();
        client.send(b"\x10\x0cMQTT").await;
        client.until(b"\x10\x0cMQTT").await.unwrap();
        drop(client);
        assert_eq!(recording.stop().await.destinations["tcp://queue.test:8883"].tunnelled, 1);
    })
    .await;
}

#[tokio::test]
async fn a_slow_http_client_is_recorded_although_its_server_was_dialled_meanwhile() {
    within(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut harness = Harness::new().resolving_port("api.test", 8080, port);
        harness.adjust = |settings| settings.limits.server_first = Duration::ZERO;
        let recording = harness.record().await;
        let mut client = Client::over(Box::new(captured(&recording, named("api.test", 8080)).await));
        let (mut idle, _) = listener.accept().await.unwrap();
        let serving = tokio::spawn(async move {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(tcp.read_u8().await.unwrap());
            }
            tcp.write_all(OK).await.unwrap();
            tcp
        });
        assert_eq!(client.get("api.test:8080", "/").await.text(), "ok");
        assert_eq!(idle.read(&mut [0]).await.unwrap(), 0, "the idle connection is dropped");
        drop(serving.await.unwrap());
        let report = recording.stop().await;
        assert_eq!((report.recorded, report.tunnelled), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_was_dialled_meanwhile_carries_what_is_not_http() {
    within(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut harness = Harness::new().resolving_port("db.test", 6543, port);
        harness.adjust = |settings| settings.limits.server_first = Duration::ZERO;
        let recording = harness.record().await;
        let mut client = captured(&recording, named("db.test", 6543)).await;
        let (mut far, _) = listener.accept().await.unwrap();
        client.write_all(b"\x00\x00\x00\x08\x04\xd2\x16\x2f").await.unwrap();
        let mut asked = [0; 8];
        far.read_exact(&mut asked).await.unwrap();
        far.write_all(b"N").await.unwrap();
        assert_eq!(client.read_u8().await.unwrap(), b'N');
        drop(far);
        assert_eq!(outcome(client).await, (Vec::new(), false));
        let report = recording.stop().await;
        assert_eq!(report.destinations["tcp://db.test:6543"].tunnelled, 1);
        assert_eq!(report.upstream_connections, 1);
    })
    .await;
}

#[tokio::test]
async fn a_silent_client_ends_with_its_server_and_is_not_reported() {
    within(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut harness = Harness::new().resolving_port("api.test", 8080, port);
        harness.adjust = |settings| settings.limits.server_first = Duration::ZERO;
        let recording = harness.record().await;
        let client = captured(&recording, named("api.test", 8080)).await;
        drop(listener.accept().await.unwrap());
        assert_eq!(outcome(client).await, (Vec::new(), false));
        let report = recording.stop().await;
        assert!(report.destinations.is_empty() && report.warnings.is_empty(), "{report:?}");
    })
    .await;
}

#[tokio::test]
async fn replay_refuses_what_is_not_http_with_a_reset_and_dials_nothing() {
    within(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut harness = Harness::new().resolving_port("db.test", 6543, port);
        harness.record().await.stop().await;
        harness.adjust = |settings| settings.limits.detect = NEVER;
        let replaying = harness.replay().await;
        let mut client = captured(&replaying, named("db.test", 6543)).await;
        client.write_all(b"\x00\x01binary").await.unwrap();
        assert_eq!(outcome(client).await, (Vec::new(), true));
        // The server would speak first here, so there is nothing to wait for.
        assert_eq!(outcome(captured(&replaying, named("mail.test", 25)).await).await, (Vec::new(), true));
        let report = replaying.stop().await;
        assert_eq!(report.upstream_connections, 0);
        assert_eq!(report.destinations["tcp://db.test:6543"].refused, 1);
        let expected =
            [refused("tcp://db.test:6543", Refusal::NotHttp), refused("tcp://mail.test:25", Refusal::Silent)];
        assert_eq!(report.warnings, expected);

        harness.adjust = |settings| settings.limits.detect = Duration::from_millis(500);
        let replaying = harness.replay().await;
        let mut client = Client::over(Box::new(captured(&replaying, named("api.test", 80)).await));
        client.get("api.test", "/").await;
        // Opened ahead of need, and never used.
        assert_eq!(outcome(captured(&replaying, named("api.test", 80)).await).await, (Vec::new(), true));
        assert_eq!(outcome(captured(&replaying, named("db.test", 6543)).await).await, (Vec::new(), true));
        drop(client);
        assert_eq!(replaying.stop().await.warnings, [refused("tcp://db.test:6543", Refusal::Silent)]);
    })
    .await;
}

#[tokio::test]
async fn strict_recordings_refuse_what_is_not_http() {
    within(async {
        let port = banner(None).await;
        let upstream = Upstream::canned(OK).await;
        let mut harness = Harness::new().resolving_port("mail.test", 2525, port).resolving_port(
            "api.test",
            80,
            upstream.port,
        );
        harness.adjust = |settings| {
            settings.strict = true;
            settings.limits.detect = Duration::from_millis(500);
            settings.limits.server_first = Duration::ZERO;
        };
        let recording = harness.record().await;
        assert_eq!(outcome(captured(&recording, named("mail.test", 2525)).await).await, (Vec::new(), true));
        let mut client = captured(&recording, named("db.test", 6543)).await;
        client.write_all(b"\x00binary").await.unwrap();
        assert_eq!(outcome(client).await, (Vec::new(), true));
        let mut client = Client::over(Box::new(captured(&recording, named("api.test", 80)).await));
        let answer = client
            .ask("GET / HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            .await;
        assert_eq!(answer.text(), "ok", "a request to leave HTTP is answered as one that stays");
        let report = recording.stop().await;
        assert_eq!((report.recorded, report.tunnelled, report.upstream_connections), (1, 0, 1));
        let expected = [
            refused("tcp://db.test:6543", Refusal::Strict),
            refused("tcp://mail.test:2525", Refusal::Strict),
        ];
        assert_eq!(report.warnings, expected);
    })
    .await;
}

#[tokio::test]
async fn a_destination_that_cannot_be_reached_is_a_reset_and_counted_as_refused() {
    within(async {
        let closed = closed_port().await;
        let mut harness = Harness::new()
            .resolving_port("mail.test", 25, closed)
            .resolving_port("mail.test", 2525, closed)
            .resolving_port("db.test", 6543, closed);
        harness.adjust = |settings| {
            settings.limits.server_first = Duration::ZERO;
            settings.limits.detect = Duration::from_millis(500);
        };
        let recording = harness.record().await;
        for port in [25, 2525] {
            assert_eq!(outcome(captured(&recording, named("mail.test", port)).await).await, (vec![], true));
        }
        let mut client = captured(&recording, named("db.test", 6543)).await;
        client.write_all(b"\x00binary").await.unwrap();
        assert_eq!(outcome(client).await, (vec![], true));
        let report = recording.stop().await;
        assert_eq!((report.tunnelled, report.upstream_connections), (0, 0));
        for place in ["tcp://mail.test:25", "tcp://mail.test:2525", "tcp://db.test:6543"] {
            assert_eq!(report.destinations[place].refused, 1);
            let said = report.warnings.iter().any(
                |warning| matches!(warning, Warning::UpstreamFailed { origin, detail } if origin == place && !detail.is_empty()),
            );
            assert!(said, "{:?}", report.warnings);
        }
    })
    .await;
}

/// A request by a client that trusts the upstream's own CA and nothing else.
async fn ask_pinned(near: TcpStream, ca: &TestCa) -> String {
    let mut roots = rustls::RootCertStore::empty();
    let pem = std::fs::read(ca.pem_file()).unwrap();
    roots.add(rustls_pki_types::CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = rustls_pki_types::ServerName::try_from("pinned.test").unwrap();
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    let stream = connector.connect(name, near).await.unwrap();
    Client::over(Box::new(stream)).get("pinned.test", "/").await.text()
}

#[tokio::test]
async fn t4_a_host_is_left_unread_by_its_resolved_name_or_by_the_name_in_the_handshake() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "pinned.test", |_| Reaction::Keep(OK.to_vec())).await;
        let mail = banner(None).await;
        let mut harness = Harness::new()
            .trusting(&ca)
            .resolving("pinned.test", upstream.port)
            .resolving("192.0.2.7", upstream.port)
            .resolving_port("pinned.test", 2525, mail);
        harness.adjust = |settings| {
            settings.tunnel.push("pinned.test".parse().unwrap());
            settings.strict = true;
            settings.limits.detect = NEVER;
        };
        let recording = harness.record().await;
        for destination in [named("pinned.test", 443), at("192.0.2.7", 443)] {
            assert_eq!(ask_pinned(captured(&recording, destination).await, &ca).await, "ok");
        }
        let mut client = Client::over(Box::new(captured(&recording, named("pinned.test", 2525)).await));
        client.until(b"220 hello\r\n").await.unwrap();
        drop(client);
        let report = recording.stop().await;
        assert_eq!(report.destinations["tcp://pinned.test:443"].tunnelled, 2);
        assert_eq!(report.destinations["tcp://pinned.test:2525"].tunnelled, 1);
        assert_eq!((report.recorded, report.refused_certificates.len()), (0, 0));
    })
    .await;
}
