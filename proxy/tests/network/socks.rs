//! SOCKS 5 on both sides of the proxy.

use std::sync::{Arc, Mutex};

use mcpeak_proxy::settings::UpstreamProxy;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, within};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A SOCKS 5 server that leads every connection to one port, and what it was asked for: user, password, host, port.
struct SocksServer {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl SocksServer {
    /// `reply` is what it answers to every request; 0 is success.
    async fn start(target: u16, wants_login: bool, reply: u8) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tokio::spawn(serve(tcp, target, wants_login, reply, Arc::clone(&seen)));
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn text(tcp: &mut TcpStream) -> String {
    let mut bytes = vec![0; usize::from(tcp.read_u8().await.unwrap())];
    tcp.read_exact(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

async fn serve(
    mut tcp: TcpStream,
    target: u16,
    wants_login: bool,
    reply: u8,
    asked: Arc<Mutex<Vec<String>>>,
) {
    assert_eq!(tcp.read_u8().await.unwrap(), 5);
    let methods = text(&mut tcp).await.into_bytes();
    let method = if wants_login { 2 } else { 0 };
    let method = if methods.contains(&method) { method } else { 0xff };
    tcp.write_all(&[5, method]).await.unwrap();
    let mut login = String::new();
    if method == 0xff {
        return;
    }
    if method == 2 {
        assert_eq!(tcp.read_u8().await.unwrap(), 1);
        login = format!("{}:{}@", text(&mut tcp).await, text(&mut tcp).await);
        tcp.write_all(&[1, 0]).await.unwrap();
    }
    let mut head = [0; 4];
    tcp.read_exact(&mut head).await.unwrap();
    assert_eq!(head[..3], [5, 1, 0]);
    let host = match head[3] {
        1 => std::net::Ipv4Addr::from(tcp.read_u32().await.unwrap()).to_string(),
        3 => text(&mut tcp).await,
        kind => panic!("address type {kind}"),
    };
    let port = tcp.read_u16().await.unwrap();
    asked.lock().unwrap().push(format!("{login}{host}:{port}"));
    // A bound address of the longest kind, so that its length is honoured.
    let mut answer = vec![5, reply, 0, 3, 9];
    answer.extend(b"bound.tst\x00\x01");
    tcp.write_all(&answer).await.unwrap();
    if reply == 0 {
        let mut far = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut tcp, &mut far).await;
    }
}

fn through(address: &str) -> UpstreamProxy {
    let address: mcpeak_proxy::settings::ProxyAddress = address.parse().unwrap();
    UpstreamProxy { http: Some(address.clone()), https: Some(address), except: Vec::new() }
}

#[tokio::test]
async fn t5_a_socks_proxy_is_used_for_what_is_read_and_for_what_is_tunnelled() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(OK.to_vec())).await;
        let socks = SocksServer::start(upstream.port, true, 0).await;
        let mut harness = Harness::new().trusting(&ca);
        harness.upstream.proxy =
            Some(through(&format!("socks5h://us%3Aer:hunter22@127.0.0.1:{}", socks.port)));
        harness.adjust = |settings| settings.tunnel.push("unread.test".parse().unwrap());
        let proxy = harness.record().await;
        let mut client = Client::secure(proxy.address, &harness.authority, "api.test", &["http/1.1"]).await;
        assert_eq!(client.get("api.test", "/").await.text(), "ok");
        let mut client = Client::tunnel(proxy.address, "unread.test:443").await;
        client.send(b"\x16\x03\x01").await;
        while socks.asked().len() < 2 {
            tokio::task::yield_now().await;
        }
        proxy.stop().await;
        let mut asked = socks.asked();
        asked.sort();
        assert_eq!(asked, ["us:er:hunter22@api.test:443", "us:er:hunter22@unread.test:443"]);
        let session = std::fs::read_to_string(harness.session()).unwrap();
        assert!(!session.contains("hunter22") && session.contains("https://api.test/"));
    })
    .await;
}

#[tokio::test]
async fn t5_a_name_is_looked_up_here_for_socks5_and_there_for_socks5h() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let socks = SocksServer::start(upstream.port, false, 0).await;
        for scheme in ["socks5", "socks5h"] {
            let mut harness = Harness::new().resolving_port("api.test", 80, 8080);
            harness.upstream.proxy = Some(through(&format!("{scheme}://127.0.0.1:{}", socks.port)));
            let proxy = harness.pass().await;
            let mut client = Client::plain(proxy.address).await;
            assert_eq!(client.get("api.test", "http://api.test/").await.text(), "ok");
            proxy.stop().await;
        }
        assert_eq!(socks.asked(), ["127.0.0.1:8080", "api.test:80"]);
    })
    .await;
}

#[tokio::test]
async fn a_socks_proxy_that_refuses_is_named_and_its_password_is_not() {
    within(async {
        for (wants_login, reply, words) in [(false, 5, "was refused"), (true, 0, "wants a user")] {
            let socks = SocksServer::start(1, wants_login, reply).await;
            let mut harness = Harness::new();
            harness.upstream.proxy = Some(through(&format!("socks5h://127.0.0.1:{}", socks.port)));
            let proxy = harness.pass().await;
            let mut client = Client::plain(proxy.address).await;
            assert_eq!(client.get("api.test", "http://api.test/").await.status(), 502);
            let report = proxy.stop().await;
            assert!(format!("{:?}", report.warnings).contains(words), "{:?}", report.warnings);
        }
    })
    .await;
}

#[tokio::test]
async fn a_socks_client_that_only_logs_in_is_let_in() {
    within(async {
        let upstream = Upstream::canned(OK).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.pass().await;
        let mut client = Client::plain(proxy.address).await;
        client.send(&[5, 1, 2]).await;
        client.until(&[5, 2]).await.unwrap();
        for byte in b"\x01\x07suite-a\x03any" {
            client.send(&[*byte]).await;
        }
        client.until(&[1, 0]).await.unwrap();
        client.send(b"\x05\x01\x00\x03\x08api.test\x00\x50").await;
        client.until(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
        assert_eq!(client.get("api.test", "/").await.text(), "ok");
        proxy.stop().await;
    })
    .await;
}
