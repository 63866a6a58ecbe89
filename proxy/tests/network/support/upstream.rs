//! A scripted HTTP/1 upstream: it answers with exactly the bytes it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcpeak_core::accepted::Stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use super::TestCa;

/// What arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// What the upstream does.
pub(crate) enum Reaction {
    /// Sends the bytes and waits for the next request.
    Keep(Vec<u8>),
    /// Sends the bytes and closes in order.
    Close(Vec<u8>),
    /// Sends the bytes and resets.
    Reset(Vec<u8>),
    /// Sends each part when it is given, and closes when the sender is dropped.
    Live(mpsc::Receiver<Vec<u8>>),
    /// Never answers.
    Hang,
}

pub(crate) struct Upstream {
    pub(crate) port: u16,
    hits: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Asked {
    pub(crate) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Upstream {
    pub(crate) async fn plain(react: impl Fn(Asked) -> Reaction + Send + Sync + 'static) -> Self {
        Self::start(None, react).await
    }

    pub(crate) async fn tls(
        ca: &TestCa,
        name: &str,
        react: impl Fn(Asked) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(ca.server(name, &["http/1.1"], false)), react).await
    }

    pub(crate) async fn with_tls(
        config: Arc<rustls::ServerConfig>,
        react: impl Fn(Asked) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(config), react).await
    }

    /// Answers every request with these bytes.
    pub(crate) async fn canned(bytes: &'static [u8]) -> Self {
        Self::plain(move |_| Reaction::Keep(bytes.to_vec())).await
    }

    pub(crate) fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Takes the upstream off the network.
    pub(crate) async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    async fn start(
        tls: Option<Arc<rustls::ServerConfig>>,
        react: impl Fn(Asked) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (hits, connections) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let react = Arc::new(react);
        let (counted, opened) = (Arc::clone(&hits), Arc::clone(&connections));
        let task = tokio::spawn(async move {
            let mut serving = JoinSet::new();
            while let Ok((tcp, _)) = listener.accept().await {
                tcp.set_nodelay(true).unwrap();
                opened.fetch_add(1, Ordering::SeqCst);
                let (react, hits, tls) = (Arc::clone(&react), Arc::clone(&counted), tls.clone());
                serving.spawn(async move {
                    // The reset switch is the socket itself, kept next to the stream that may be inside TLS.
                    let socket = std::os::fd::AsFd::as_fd(&tcp).try_clone_to_owned().unwrap();
                    let mut stream: Box<dyn Stream> = match tls {
                        None => Box::new(tcp),
                        Some(config) => match tokio_rustls::TlsAcceptor::from(config).accept(tcp).await {
                            Ok(stream) => Box::new(stream),
                            Err(_) => return,
                        },
                    };
                    while let Some(asked) = read(&mut stream).await {
                        hits.fetch_add(1, Ordering::SeqCst);
                        if !answer(&mut stream, react(asked), &socket).await {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, hits, connections, task }
    }
}

async fn answer(stream: &mut Box<dyn Stream>, reaction: Reaction, socket: &std::os::fd::OwnedFd) -> bool {
    match reaction {
        Reaction::Keep(bytes) => stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok(),
        Reaction::Close(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            false
        }
        Reaction::Reset(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.flush().await;
            // A second handle on the socket: std's has no stable linger, so the kernel is asked through rustix.
            rustix::net::sockopt::set_socket_linger(socket, Some(std::time::Duration::ZERO)).unwrap();
            false
        }
        Reaction::Live(mut parts) => {
            while let Some(part) = parts.recv().await {
                if stream.write_all(&part).await.is_err() || stream.flush().await.is_err() {
                    return false;
                }
            }
            let _ = stream.shutdown().await;
            false
        }
        Reaction::Hang => std::future::pending().await,
    }
}

async fn read(stream: &mut Box<dyn Stream>) -> Option<Asked> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let mut asked = Asked { head: String::from_utf8(head).unwrap(), body: Vec::new() };
    if let Some(length) = asked.field("content-length").and_then(|length| length.parse().ok()) {
        asked.body = vec![0; length];
        stream.read_exact(&mut asked.body).await.ok()?;
    } else if asked.field("transfer-encoding").is_some() {
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                line.push(stream.read_u8().await.ok()?);
            }
            let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk).await.ok()?;
            if size == 0 {
                break;
            }
            asked.body.extend_from_slice(&chunk[..size]);
        }
    }
    Some(asked)
}
