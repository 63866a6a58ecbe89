//! A raw HTTP/1 client that shows every byte of an answer.

use std::net::SocketAddr;
use std::sync::Arc;

use mcpeak_core::accepted::Stream;
use mcpeak_proxy::Authority;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(crate) struct Client {
    pub(crate) stream: Box<dyn Stream>,
    buffer: Vec<u8>,
}

/// An answer as it stood on the wire.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Chunked: what stood after the last chunk.
    pub(crate) trailers: String,
    /// Whether the framing says that the body is whole.
    pub(crate) whole: bool,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(crate) fn trust(pem: &str) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    roots
}

pub(crate) fn tls_config(authority: &Authority, alpn: &[&str]) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trust(authority.certificate_pem()))
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Arc::new(config)
}

impl Client {
    pub(crate) fn over(stream: Box<dyn Stream>) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    /// To the proxy in clear text.
    pub(crate) async fn plain(proxy: SocketAddr) -> Self {
        let tcp = TcpStream::connect(proxy).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        Self::over(Box::new(tcp))
    }

    /// Through CONNECT; what is within is up to the caller.
    pub(crate) async fn tunnel(proxy: SocketAddr, authority: &str) -> Self {
        let mut client = Self::plain(proxy).await;
        client.send(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes()).await;
        let head = client.head().await.unwrap();
        assert_eq!(head, "HTTP/1.1 200 Connection established\r\n\r\n", "h11: no length, no coding");
        client
    }

    /// Through CONNECT and TLS.
    pub(crate) async fn secure(proxy: SocketAddr, authority: &Authority, host: &str, alpn: &[&str]) -> Self {
        let client = Self::tunnel(proxy, &format!("{host}:443")).await;
        client.encrypt(authority, host, alpn).await.unwrap()
    }

    pub(crate) async fn encrypt(
        self,
        authority: &Authority,
        host: &str,
        alpn: &[&str],
    ) -> std::io::Result<Self> {
        let connector = tokio_rustls::TlsConnector::from(tls_config(authority, alpn));
        let name = ServerName::try_from(host.to_owned()).unwrap();
        let stream = connector.connect(name, self.stream).await?;
        Ok(Self::over(Box::new(stream)))
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn ask(&mut self, request: &str) -> Answer {
        self.send(request.as_bytes()).await;
        self.answer(request.starts_with("HEAD ")).await.expect("an answer")
    }

    /// A GET with a Host and nothing else.
    pub(crate) async fn get(&mut self, host: &str, target: &str) -> Answer {
        self.ask(&format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n")).await
    }

    /// The next answer; `None` if the connection ended before a head was whole.
    pub(crate) async fn answer(&mut self, head_only: bool) -> Option<Answer> {
        let head = self.head().await?;
        let mut answer = Answer { head, body: Vec::new(), trailers: String::new(), whole: true };
        let status = answer.status();
        if head_only || status == 204 || status == 304 {
            return Some(answer);
        }
        let length = answer.field("content-length").map(|length| length.parse::<usize>().unwrap());
        if answer.field("transfer-encoding").is_some() {
            self.chunked(&mut answer).await;
        } else if let Some(length) = length {
            answer.whole = self.need(length).await;
            let end = length.min(self.buffer.len());
            answer.body = self.buffer.drain(..end).collect();
        } else {
            loop {
                match self.more().await {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => {
                        answer.whole = false;
                        break;
                    }
                }
            }
            answer.body = std::mem::take(&mut self.buffer);
        }
        Some(answer)
    }

    /// Bytes up to a marker; `None` at the end.
    pub(crate) async fn until(&mut self, marker: &[u8]) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(marker.len()).position(|window| window == marker) {
                return Some(self.buffer.drain(..at + marker.len()).collect());
            }
            if !self.more().await.ok()? {
                return None;
            }
        }
    }

    async fn head(&mut self) -> Option<String> {
        self.until(b"\r\n\r\n").await.map(|head| String::from_utf8(head).unwrap())
    }

    async fn chunked(&mut self, answer: &mut Answer) {
        loop {
            let Some(line) = self.until(b"\r\n").await else {
                answer.whole = false;
                return;
            };
            let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
            if size == 0 {
                loop {
                    let line = self.until(b"\r\n").await.unwrap();
                    if line == b"\r\n" {
                        return;
                    }
                    answer.trailers.push_str(std::str::from_utf8(&line).unwrap());
                }
            }
            if !self.need(size + 2).await {
                answer.whole = false;
                let end = size.min(self.buffer.len());
                answer.body.extend(self.buffer.drain(..end));
                return;
            }
            answer.body.extend(self.buffer.drain(..size));
            self.buffer.drain(..2);
        }
    }

    async fn need(&mut self, length: usize) -> bool {
        while self.buffer.len() < length {
            if !self.more().await.unwrap_or(false) {
                return false;
            }
        }
        true
    }

    /// Whether something came; `false` at the end.
    pub(crate) async fn more(&mut self) -> std::io::Result<bool> {
        let mut part = vec![0; 64 * 1024];
        let read = self.stream.read(&mut part).await?;
        self.buffer.extend_from_slice(&part[..read]);
        Ok(read > 0)
    }
}
