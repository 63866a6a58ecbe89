//! New connections: resolve, TCP, the proxy in front, TLS.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::BytesMut;
use mcpeak_core::net::{ConnectTcpError, Resolver};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use super::failure::ForwardError;
use super::socks;
use super::tls::{Offer, TlsConfigs};
use crate::counts::Counters;
use crate::error::ProxyError;
use crate::exchange::{FailureKind, Origin, Scheme};
use crate::report::Warning;
use crate::route::Target;
use crate::settings::{Limits, ProxyAddress, ProxyKind, ResolveRule, UpstreamProxy, UpstreamSettings};
use crate::transport::{BoxStream, TcpTransport};

/// The head of a proxy's answer to CONNECT.
const CONNECT_ANSWER: usize = 16 * 1024;

/// Opens connections to upstreams.
pub(super) struct Dialer {
    resolver: Resolver,
    rules: Vec<ResolveRule>,
    proxy: Option<UpstreamProxy>,
    tls: TlsConfigs,
    limits: Limits,
    counters: Arc<Counters>,
    /// Where this proxy listens.
    own: SocketAddr,
}

/// A new connection.
pub(super) struct Dialed {
    pub(super) stream: BoxStream,
    /// Whether ALPN chose HTTP/2.
    pub(super) h2: bool,
}

impl Dialer {
    pub(super) fn new(
        settings: UpstreamSettings,
        limits: Limits,
        counters: Arc<Counters>,
        own: SocketAddr,
    ) -> Result<Self, ProxyError> {
        let tls = TlsConfigs::new(&settings)?;
        let UpstreamSettings { resolve: rules, proxy, .. } = settings;
        Ok(Self { resolver: Resolver::new(), rules, proxy, tls, limits, counters, own })
    }

    pub(super) fn note_failure(&self, origin: &Origin, detail: String) {
        self.counters.warn(Warning::UpstreamFailed { origin: origin.to_string(), detail });
    }

    /// The proxy in front that requests in clear text are sent to as they are.
    pub(super) fn forward_proxy(&self, origin: &Origin) -> Option<&ProxyAddress> {
        let proxy = self.proxy_for(origin.scheme, &origin.host)?;
        (origin.scheme == Scheme::Http && proxy.kind == ProxyKind::Http).then_some(proxy)
    }

    /// A connection that can carry requests for an origin.
    pub(super) async fn dial(
        &self,
        origin: &Origin,
        via: Option<&Target>,
        offer_h2: bool,
    ) -> Result<Dialed, ForwardError> {
        let target = match via {
            Some(via) => via.clone(),
            None => Target { host: origin.host.clone(), port: origin.port },
        };
        if let Some(proxy) = self.forward_proxy(origin) {
            let stream = self.connect_tcp(&proxy.host, proxy.port).await?;
            return Ok(Dialed { stream: self.count(stream), h2: false });
        }
        let stream = self.tunnel(origin.scheme, &target).await?;
        match origin.scheme {
            Scheme::Http => Ok(Dialed { stream, h2: offer_h2 }),
            Scheme::Https => {
                let offer = if offer_h2 { Offer::Http2 } else { Offer::Http1 };
                self.encrypt(stream, &origin.host, offer).await
            }
        }
    }

    /// A connection whose bytes reach the target as they are.
    pub(super) async fn tunnel(&self, scheme: Scheme, target: &Target) -> Result<BoxStream, ForwardError> {
        let Some(proxy) = self.proxy_for(scheme, &target.host) else {
            let stream = self.connect_tcp(&target.host, target.port).await?;
            return Ok(self.count(stream));
        };
        let looked_up = match proxy.kind {
            ProxyKind::Socks5 => Some(self.look_up(target).await?),
            ProxyKind::Http | ProxyKind::Socks5Names => None,
        };
        let target = looked_up.as_ref().unwrap_or(target);
        let stream = self.connect_tcp(&proxy.host, proxy.port).await?;
        let mut stream = self.count(stream);
        let through = async {
            match proxy.kind {
                ProxyKind::Http => connect_through(&mut stream, proxy, target).await,
                ProxyKind::Socks5 | ProxyKind::Socks5Names => {
                    socks::connect(&mut stream, proxy.login.as_ref(), target).await
                }
            }
        };
        timeout(self.limits.connect, through)
            .await
            .map_err(|_| ForwardError::timeout("answer of the upstream proxy"))??;
        Ok(stream)
    }

    /// The address of a target, by a rule or by a look-up.
    async fn look_up(&self, target: &Target) -> Result<Target, ForwardError> {
        let Target { host, port } = target;
        if let Some(rule) = self.rule(host, *port) {
            return Ok(Target { host: rule.address.to_string(), port: rule.target_port });
        }
        let looking = timeout(self.limits.connect, self.resolver.resolve(host));
        let addresses = looking.await.map_err(|_| ForwardError::timeout("address"))?;
        let addresses = addresses.map_err(|error| ForwardError::new(FailureKind::Dns, error.to_string()))?;
        let unknown = || ForwardError::new(FailureKind::Dns, format!("{host} has no address"));
        let address = addresses.first().ok_or_else(unknown)?;
        Ok(Target { host: address.to_string(), port: *port })
    }

    fn rule(&self, host: &str, port: u16) -> Option<&ResolveRule> {
        self.rules.iter().find(|rule| rule.host == host && rule.port == port)
    }

    fn proxy_for(&self, scheme: Scheme, host: &str) -> Option<&ProxyAddress> {
        let proxy = self.proxy.as_ref().filter(|proxy| !proxy.is_excepted(host))?;
        match scheme {
            Scheme::Http => proxy.http.as_ref(),
            Scheme::Https => proxy.https.as_ref(),
        }
    }

    async fn connect_tcp(&self, host: &str, port: u16) -> Result<TcpStream, ForwardError> {
        let stream = self.reach(host, port).await?;
        if self.is_own(&stream) {
            let detail = format!("{host}:{port} is this proxy itself");
            return Err(ForwardError::new(FailureKind::Refused, detail));
        }
        Ok(stream)
    }

    /// Whether a connection goes round to this proxy, under whatever name.
    fn is_own(&self, stream: &TcpStream) -> bool {
        let (Ok(near), Ok(far)) = (stream.local_addr(), stream.peer_addr()) else { return false };
        far.port() == self.own.port()
            && if self.own.ip().is_unspecified() { near.ip() == far.ip() } else { far.ip() == self.own.ip() }
    }

    async fn reach(&self, host: &str, port: u16) -> Result<TcpStream, ForwardError> {
        let deadline = Instant::now() + self.limits.connect;
        if let Some(rule) = self.rule(host, port) {
            let address = SocketAddr::new(rule.address, rule.target_port);
            return match timeout_at(deadline, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => Ok(stream),
                Ok(Err(error)) => Err(ForwardError::new(FailureKind::Refused, error.to_string())),
                Err(_) => Err(ForwardError::timeout("TCP connection")),
            };
        }
        self.resolver.connect_tcp(host, port, deadline).await.map_err(|error| {
            let kind = match &error {
                ConnectTcpError::Resolve(_) => FailureKind::Dns,
                ConnectTcpError::Connect { .. } => FailureKind::Refused,
                ConnectTcpError::Timeout { .. } => FailureKind::Timeout,
            };
            ForwardError::new(kind, error.to_string())
        })
    }

    fn count(&self, stream: TcpStream) -> BoxStream {
        self.counters.upstream_connection();
        Box::new(TcpTransport::new(stream).0)
    }

    /// TLS with a host on a connection to it.
    pub(super) async fn encrypt(
        &self,
        stream: BoxStream,
        host: &str,
        offer: Offer,
    ) -> Result<Dialed, ForwardError> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| ForwardError::new(FailureKind::Tls, error.to_string()))?;
        if self.tls.is_insecure(host) {
            self.counters.warn(Warning::CertificateNotChecked { host: host.to_owned() });
        }
        let connector = tokio_rustls::TlsConnector::from(self.tls.of(host, offer));
        let stream = timeout(self.limits.connect, connector.connect(name, stream))
            .await
            .map_err(|_| ForwardError::timeout("TLS handshake"))?
            .map_err(|error| ForwardError::tls(&error))?;
        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok(Dialed { stream: Box::new(stream), h2 })
    }
}

/// Asks a proxy for a tunnel (RFC 9110 section 9.3.6).
async fn connect_through(
    stream: &mut BoxStream,
    proxy: &ProxyAddress,
    target: &Target,
) -> Result<(), ForwardError> {
    let refused = |what: String| ForwardError::new(FailureKind::Refused, what);
    let authority = target.authority();
    let mut request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n");
    if let Some(authorization) = &proxy.authorization {
        request.push_str("Proxy-Authorization: ");
        request.push_str(authorization.expose_secret());
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    let broken = |_| refused("the upstream proxy closed the connection".to_owned());
    stream.write_all(request.as_bytes()).await.map_err(broken)?;
    stream.flush().await.map_err(broken)?;
    // Byte by byte: what follows the head belongs to the tunnel.
    let mut answer = BytesMut::new();
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() > CONNECT_ANSWER {
            return Err(refused("the upstream proxy's answer is too large".to_owned()));
        }
        answer.extend_from_slice(&[stream.read_u8().await.map_err(broken)?]);
    }
    let status = std::str::from_utf8(&answer).ok().and_then(|text| text.split(' ').nth(1));
    match status {
        Some(status) if status.starts_with('2') => Ok(()),
        Some(status) => {
            let status = mcpeak_core::escape::terminal(status, mcpeak_core::escape::Keep::Nothing);
            Err(refused(format!("the upstream proxy answered CONNECT with {status}")))
        }
        None => Err(refused("the upstream proxy's answer is not HTTP".to_owned())),
    }
}
