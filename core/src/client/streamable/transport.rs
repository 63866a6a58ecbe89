//! HTTP/1.1 connections to one endpoint.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::net::{ConnectTcpError, Resolver, client_tls_config};
use crate::target::Endpoint;

/// How long an idle connection is used again: well below what servers allow, so that none dies under a request.
const IDLE: Duration = Duration::from_secs(1);

pub(super) type Sender = SendRequest<Full<Bytes>>;

/// Connections to one endpoint. No redirect is followed, no proxy is used.
pub(super) struct Transport {
    endpoint: Endpoint,
    resolver: Resolver,
    extra_roots: Vec<CertificateDer<'static>>,
    tls: OnceCell<TlsConnector>,
    idle: Mutex<Vec<(Sender, Instant)>>,
    pub(super) tasks: TaskTracker,
    pub(super) cancelled: CancellationToken,
}

/// A response whose body is still to be read, and the connection to give back after it.
pub(super) struct Exchange {
    pub(super) response: Response<Incoming>,
    pub(super) sender: Sender,
}

/// What a request is for, for errors and deadlines.
#[derive(Clone, Copy)]
pub(super) struct Purpose<'a> {
    pub(super) method: &'a str,
    pub(super) phase: Phase,
    pub(super) deadline: Instant,
}

impl Transport {
    pub(super) fn new(
        endpoint: Endpoint,
        resolver: Resolver,
        extra_roots: Vec<CertificateDer<'static>>,
    ) -> Self {
        Self {
            endpoint,
            resolver,
            extra_roots,
            tls: OnceCell::new(),
            idle: Mutex::default(),
            tasks: TaskTracker::new(),
            cancelled: CancellationToken::new(),
        }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a request and waits for the head of the response.
    pub(super) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        purpose: Purpose<'_>,
    ) -> Result<Exchange, McpError> {
        let mut request = request;
        if let Some(mut sender) = self.take_idle()
            && sender.ready().await.is_ok()
        {
            match sender.try_send_request(request).await {
                Ok(response) => return Ok(Exchange { response, sender }),
                Err(mut error) => match error.take_message() {
                    // Not a byte of it was sent: the connection had died before.
                    Some(unsent) => request = unsent,
                    None => return Err(broken(purpose, error.error())),
                },
            }
        }
        let mut sender = self.connect(purpose).await?;
        match sender.send_request(request).await {
            Ok(response) => Ok(Exchange { response, sender }),
            Err(error) => Err(broken(purpose, &error)),
        }
    }

    /// Keeps a connection whose last response was read to its end.
    pub(super) fn give_back(&self, sender: Sender) {
        if !sender.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((sender, Instant::now()));
        }
    }

    /// Drops idle connections.
    pub(super) fn forget_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn take_idle(&self) -> Option<Sender> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(sender, since)| since.elapsed() < IDLE && !sender.is_closed());
        idle.pop().map(|(sender, _)| sender)
    }

    async fn connect(&self, purpose: Purpose<'_>) -> Result<Sender, McpError> {
        let tcp = self.connect_tcp(purpose).await?;
        if !self.endpoint.is_https() {
            return self.open(tcp, purpose).await;
        }
        let host = self.endpoint.host();
        let failed = |error: &dyn Error| {
            let detail = Detail::Tls { host: host.to_owned(), message: error.to_string() };
            McpError::new(ErrorCode::HttpConnectFailed, Phase::Connect, detail)
        };
        let connector = self.tls.get_or_try_init(|| tls_connector(self.extra_roots.clone())).await;
        let connector = connector.map_err(|message| failed(message.as_ref()))?;
        let name = ServerName::try_from(host.to_owned()).map_err(|error| failed(&error))?;
        let tls = connector.connect(name, tcp).await.map_err(|error| failed(&error).caused_by(&error))?;
        self.open(tls, purpose).await
    }

    async fn connect_tcp(&self, purpose: Purpose<'_>) -> Result<TcpStream, McpError> {
        let (host, port) = (self.endpoint.host(), self.endpoint.port());
        let error = match self.resolver.connect_tcp(host, port, purpose.deadline).await {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        let detail = match &error {
            ConnectTcpError::Resolve(error) => {
                Detail::Dns { host: error.host.clone(), message: error.reason.clone() }
            }
            ConnectTcpError::Connect { source, .. } => Detail::Io {
                subject: format!("{host}:{port}"),
                message: source.to_string(),
                kind: source.kind(),
            },
            ConnectTcpError::Timeout { .. } => Detail::Io {
                subject: format!("{host}:{port}"),
                message: error.to_string(),
                kind: std::io::ErrorKind::TimedOut,
            },
        };
        Err(McpError::new(ErrorCode::HttpConnectFailed, Phase::Connect, detail).caused_by(&error))
    }

    async fn open(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        purpose: Purpose<'_>,
    ) -> Result<Sender, McpError> {
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| broken(purpose, &error))?;
        let cancelled = self.cancelled.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                // Its error is also the error of whoever waits for the response.
                _ = connection => {}
                () = cancelled.cancelled() => {}
            }
        });
        Ok(sender)
    }
}

async fn tls_connector(
    extra_roots: Vec<CertificateDer<'static>>,
) -> Result<TlsConnector, Box<dyn Error + Send + Sync>> {
    let config =
        tokio::task::spawn_blocking(move || client_tls_config(&extra_roots, &[b"http/1.1"])).await??;
    Ok(TlsConnector::from(Arc::clone(&config)))
}

/// The connection broke before the response was whole.
pub(super) fn broken(purpose: Purpose<'_>, error: &dyn Error) -> McpError {
    let detail = Detail::StreamEnded(purpose.method.to_owned());
    McpError::new(ErrorCode::TransportFailed, purpose.phase, detail).caused_by(error)
}
