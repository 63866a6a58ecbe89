//! Every way in ends in the same proxy.

use std::net::{IpAddr, Ipv4Addr};

use mcpeak_core::accepted::{Accepted, Destination, Origin, Socket};
use rustls_pki_types::pem::PemObject as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, within};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A server that speaks no HTTP: it says its name first and sends back what it gets.
async fn echo_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut tcp, _)) = listener.accept().await {
            tokio::spawn(async move {
                tcp.write_all(b"ECHO\n").await.unwrap();
                let (mut reader, mut writer) = tcp.split();
                let _ = tokio::io::copy(&mut reader, &mut writer).await;
            });
        }
    });
    port
}

#[tokio::test]
async fn t11_one_port_takes_every_form() {
    within(async {
        let ca = TestCa::new();
        let secure = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let plain = Upstream::canned(OK).await;
        let harness = Harness::new()
            .trusting(&ca)
            .resolving("api.test", secure.port)
            .resolving_port("api.test", 80, plain.port)
            .resolving_port("api.test", 8080, plain.port);
        let proxy = harness.pass().await;
        let mut client = Client::plain(proxy.address).await;
        assert_eq!(client.get("api.test", "http://api.test/").await.text(), "ok", "absolute-form");
        assert_eq!(
            client.get("api.test", "https://api.test/").await.text(),
            "ok",
            "absolute-form https in clear"
        );
        assert_eq!(client.get("api.test", "/").await.text(), "ok", "origin-form by Host");
        let mut client = Client::tunnel(proxy.address, "api.test:8080").await;
        assert_eq!(client.get("api.test:8080", "/").await.text(), "ok", "clear text in CONNECT");
        let mut client = Client::secure(proxy.address, &harness.authority, "api.test", &[]).await;
        assert_eq!(client.get("api.test", "/").await.text(), "ok", "TLS in CONNECT");
        let mut client = socks5(proxy.address, "api.test", 443).await;
        client = client.encrypt(&harness.authority, "api.test", &["http/1.1"]).await.unwrap();
        assert_eq!(client.get("api.test", "/").await.text(), "ok", "TLS in SOCKS5");
        let report = proxy.stop().await;
        assert_eq!(report.passed_through, 6);
        assert_eq!(report.destinations["https://api.test"].passed, 3);
        assert_eq!(report.destinations["http://api.test:8080"].passed, 1);
    })
    .await;
}

async fn socks5(proxy: std::net::SocketAddr, host: &str, port: u16) -> Client {
    let mut client = Client::plain(proxy).await;
    client.send(&[5, 2, 2, 0]).await;
    assert_eq!(client.until(&[5, 0]).await.unwrap(), [5, 0]);
    let mut request = vec![5, 1, 0, 3, u8::try_from(host.len()).unwrap()];
    request.extend(host.bytes());
    request.extend(port.to_be_bytes());
    // Byte by byte: no reader may count on getting it whole.
    for byte in request {
        client.send(&[byte]).await;
    }
    assert_eq!(client.until(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap().len(), 10);
    client
}

#[tokio::test]
async fn what_is_not_http_is_passed_on_and_counted() {
    within(async {
        let port = echo_server().await;
        let harness =
            Harness::new().resolving_port("db.test", 5432, port).resolving_port("mail.test", 25, port);
        let proxy = harness.record().await;
        let mut client = Client::tunnel(proxy.address, "db.test:5432").await;
        client.send(b"\x00\x01binary").await;
        client.until(b"ECHO\n\x00\x01binary").await.unwrap();
        // A protocol in which the server speaks first.
        let mut client = Client::tunnel(proxy.address, "mail.test:25").await;
        client.until(b"ECHO\n").await.unwrap();
        drop(client);
        let report = proxy.stop().await;
        assert_eq!((report.tunnelled, report.recorded), (2, 0));
    })
    .await;
}

#[tokio::test]
async fn a_host_can_be_left_unread() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "pinned.test", |_| Reaction::Keep(OK.to_vec())).await;
        let mut harness = Harness::new().trusting(&ca).resolving("pinned.test", upstream.port);
        harness.adjust = |settings| settings.tunnel.push("pinned.test".parse().unwrap());
        let proxy = harness.pass().await;
        for connect in [true, false] {
            let client = if connect {
                Client::tunnel(proxy.address, "pinned.test:443").await
            } else {
                Client::plain(proxy.address).await
            };
            // The certificate of the proxy would not do: this client trusts the upstream's own CA only.
            let mut roots = rustls::RootCertStore::empty();
            let pem = std::fs::read_to_string(ca.pem_file()).unwrap();
            roots.add(rustls_pki_types::CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
            let config = rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(
                rustls::crypto::aws_lc_rs::default_provider(),
            ))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
            let name = rustls_pki_types::ServerName::try_from("pinned.test").unwrap();
            let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
            let stream = connector.connect(name, client.stream).await.unwrap();
            let mut client = Client::over(Box::new(stream));
            assert_eq!(client.get("pinned.test", "/").await.text(), "ok");
        }
        assert_eq!(proxy.stop().await.tunnelled, 2);
    })
    .await;
}

#[tokio::test]
async fn captured_sockets_come_in_with_their_destination() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let proxy = harness.pass().await;
        let (near, far) = tokio::io::duplex(64 * 1024);
        let destination = Destination {
            name: Some("api.test".into()),
            address: Some(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1))),
            port: 443,
        };
        let origin = Origin::Process { pid: 7, program: "node".into() };
        let accepted =
            Accepted { stream: Socket::Other(Box::new(far)), destination: Some(destination), origin };
        assert!(proxy.ingress.accept(accepted));
        let client =
            Client::over(Box::new(near)).encrypt(&harness.authority, "api.test", &["http/1.1"]).await;
        assert_eq!(client.unwrap().get("api.test", "/").await.text(), "ok");
        let ingress = proxy.ingress.clone();
        proxy.stop().await;
        let (_near, far) = tokio::io::duplex(1);
        let origin = Origin::Process { pid: 7, program: "node".into() };
        assert!(!ingress.accept(Accepted {
            stream: Socket::Other(Box::new(far)),
            destination: None,
            origin
        }));
    })
    .await;
}

#[tokio::test]
async fn the_proxy_does_not_call_itself() {
    within(async {
        let harness = Harness::new();
        let proxy = harness.pass().await;
        let own = proxy.address;
        let mut client = Client::plain(own).await;
        let page = client.get(&own.to_string(), "/").await;
        assert!(page.text().contains("HTTPS_PROXY"), "{}", page.text());
        let certificate = client.get(&own.to_string(), &format!("http://{own}/ca.pem")).await;
        assert_eq!(certificate.text(), harness.authority.certificate_pem());
        assert_eq!(client.get("x", &format!("http://localhost:{}/else", own.port())).await.status(), 404);
        let mut tunnel = Client::tunnel(own, &own.to_string()).await;
        assert_eq!(tunnel.get(&own.to_string(), "/ca.pem").await.status(), 200);
        let certificate = client.get(&format!("proxy:{}", own.port()), "/ca.pem").await;
        assert_eq!(
            certificate.text(),
            harness.authority.certificate_pem(),
            "whatever its name is to the client"
        );
        assert_eq!(proxy.stop().await.upstream_connections, 0);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_leads_back_to_the_proxy_is_no_circle() {
    within(async {
        let listening = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listening.local_addr().unwrap().port();
        drop(listening);
        let harness = Harness::new().resolving_port("round.test", 80, port);
        let mut settings = mcpeak_proxy::ProxySettings::new(
            mcpeak_proxy::Mode::Pass { upstream: harness.upstream.clone() },
            harness.authority.clone(),
        );
        settings.listen.set_port(port);
        let bound = mcpeak_proxy::Proxy::bind(settings).await.unwrap();
        let address = bound.address();
        let shutdown = tokio_util::sync::CancellationToken::new();
        let serving = tokio::spawn(bound.serve(shutdown.clone()));
        let answer = Client::plain(address).await.get("round.test", "http://round.test/").await;
        assert_eq!(answer.status(), 502);
        shutdown.cancel();
        let report = serving.await.unwrap().unwrap();
        assert_eq!(report.upstream_connections, 0);
        let reasons = format!("{:?}", report.warnings);
        assert!(reasons.contains("this proxy itself"), "{reasons}");
    })
    .await;
}

#[tokio::test]
async fn an_h2_connection_that_the_upstream_closed_is_opened_anew() {
    within(async {
        let ca = TestCa::new();
        let tls = ca.server("api.test", &["h2"], false);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        // One request a connection, then an orderly end.
        let serving = tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let stream =
                    tokio_rustls::TlsAcceptor::from(std::sync::Arc::clone(&tls)).accept(tcp).await.unwrap();
                let asked = std::sync::Arc::new(tokio::sync::Notify::new());
                let seen = std::sync::Arc::clone(&asked);
                let service = hyper::service::service_fn(move |_| {
                    seen.notify_one();
                    async {
                        Ok::<_, std::convert::Infallible>(http::Response::new(http_body_util::Full::new(
                            bytes::Bytes::from("ok"),
                        )))
                    }
                });
                let builder = hyper::server::conn::http2::Builder::new(hyper_util::rt::TokioExecutor::new());
                let mut connection =
                    std::pin::pin!(builder.serve_connection(hyper_util::rt::TokioIo::new(stream), service));
                tokio::select! {
                    _ = connection.as_mut() => continue,
                    () = asked.notified() => connection.as_mut().graceful_shutdown(),
                }
                let _ = connection.await;
            }
        });
        let harness = Harness::new().trusting(&ca).resolving("api.test", port);
        let proxy = harness.pass().await;
        let client = crate::support::H2Client::secure(proxy.address, &harness.authority, "api.test").await;
        for _ in 0..5 {
            let (parts, body, _) = client.get("https://api.test/").await;
            assert_eq!((parts.status.as_u16(), &body[..]), (200, &b"ok"[..]));
        }
        client.close().await;
        assert_eq!(proxy.stop().await.upstream_connections, 5);
        serving.abort();
    })
    .await;
}

#[tokio::test]
async fn websockets_are_passed_on() {
    within(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(tcp.read_u8().await.unwrap());
            }
            tcp.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello").await.unwrap();
            let mut frame = [0; 5];
            tcp.read_exact(&mut frame).await.unwrap();
            (String::from_utf8(head).unwrap(), frame)
        });
        let harness = Harness::new().resolving_port("ws.test", 80, port);
        let proxy = harness.pass().await;
        let mut client = Client::plain(proxy.address).await;
        client
            .send(b"GET http://ws.test/chat HTTP/1.1\r\nHost: ws.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n")
            .await;
        let head = client.until(b"\r\n\r\n").await.unwrap();
        assert!(head.starts_with(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"));
        client.until(b"hello").await.unwrap();
        client.send(b"frame").await;
        let (head, frame) = server.await.unwrap();
        assert!(head.contains("Upgrade: websocket\r\n") && head.contains("Connection: Upgrade\r\n"), "{head}");
        assert_eq!(&frame, b"frame");
        assert_eq!(proxy.stop().await.tunnelled, 1);
    })
    .await;
}

#[tokio::test]
async fn an_upstream_proxy_is_used() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        // A second proxy of ours stands in front; it resolves the names that the first one cannot.
        let front = Harness::new().resolving("api.test", upstream.port);
        let mut front_settings = front.upstream.clone();
        front_settings.ca_files.push(ca.pem_file());
        let plain = Upstream::canned(OK).await;
        front_settings.resolve.push(format!("plain.test:80:127.0.0.1:{}", plain.port).parse().unwrap());
        let front_proxy = front.start(mcpeak_proxy::Mode::Pass { upstream: front_settings }).await;

        let mut harness = Harness::new();
        harness.upstream.ca_files.push(front.authority.certificate_path());
        let address = format!("http://user:pass@{}", front_proxy.address);
        harness.upstream.proxy = Some(mcpeak_proxy::settings::UpstreamProxy {
            http: Some(address.parse().unwrap()),
            https: Some(address.parse().unwrap()),
            except: Vec::new(),
        });
        let proxy = harness.pass().await;
        let mut client = Client::secure(proxy.address, &harness.authority, "api.test", &[]).await;
        assert_eq!(client.get("api.test", "/").await.text(), "ok");
        let mut client = Client::plain(proxy.address).await;
        assert_eq!(client.get("plain.test", "http://plain.test/").await.text(), "ok");
        proxy.stop().await;
        assert_eq!(front_proxy.stop().await.passed_through, 2);
    })
    .await;
}
