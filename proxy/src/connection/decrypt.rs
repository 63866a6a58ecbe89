//! TLS with a leaf for the name that the client asks for.

use std::io;
use std::sync::Arc;

use mcpeak_core::accepted::Stream;
use rustls::server::Acceptor;
use rustls::{AlertDescription, Error as TlsError};
use tokio::time::timeout;
use tokio_rustls::LazyConfigAcceptor;

use super::relay::{self, Unread};
use super::serve::Arrived;
use crate::authority::Alpn;
use crate::detect::Protocol;
use crate::exchange::Scheme;
use crate::route::{Route, Target};
use crate::shared::Shared;
use crate::transport::Rewind;

/// The port of a TLS connection that says nothing else.
const HTTPS: u16 = 443;
/// A ClientHello is at most this large (RFC 8446 section 5.1: records of 16 KiB; post-quantum shares fit in one).
const HELLO: usize = 17 * 1024;

/// Takes TLS off. `None` when the handshake failed or the bytes were passed on unread.
pub(super) async fn decrypt(mut arrived: Arrived, shared: &Arc<Shared>) -> Option<Arrived> {
    if !shared.tunnel.is_empty() && arrived.route.fixed.is_none() && shared.engine.upstream().is_some() {
        let named = peek_name(&mut arrived).await;
        let meant = arrived.route.target.as_ref().map(|target| target.host.as_str());
        if named.as_deref().into_iter().chain(meant).any(|host| shared.is_tunnelled(host)) {
            let port = arrived.route.target.as_ref().map_or(HTTPS, |target| target.port);
            let target = named.clone().map(|host| Target { host, port });
            arrived.route.target = arrived.route.target.or(target);
            arrived.route.server_name = named;
            relay::relay(arrived, Unread::Wished, shared).await;
            return None;
        }
    }
    let Arrived { stream, buffered, route, reset, .. } = arrived;
    let (stream, alpn, server_name) =
        timeout(shared.limits.tls_handshake, handshake(Rewind::new(buffered, stream), &route, shared))
            .await
            .ok()??;
    let route = Route { scheme: Scheme::Https, server_name, ..route };
    if let Some(name) = &route.server_name {
        shared.note_host(&route, name);
    }
    Some(Arrived { known: alpn, ..Arrived::new(stream, route, reset) })
}

async fn handshake(
    stream: Rewind,
    route: &Route,
    shared: &Shared,
) -> Option<(Box<dyn Stream>, Option<Protocol>, Option<String>)> {
    let start = match LazyConfigAcceptor::new(Acceptor::default(), stream).await {
        Ok(start) => start,
        Err(error) => {
            tracing::debug!(%error, "decrypt: ClientHello");
            return None;
        }
    };
    let hello = start.client_hello();
    let server_name = hello.server_name().map(str::to_ascii_lowercase);
    let offers_http = hello
        .alpn()
        .is_some_and(|mut offered| offered.any(|protocol| matches!(protocol, b"h2" | b"http/1.1")));
    let name = server_name.as_deref().or_else(|| route.certificate_name());
    // A client that sends no name and came to the listener itself can only mean the listener.
    let own = shared.address.ip().to_string();
    let name = name.unwrap_or(&own);
    let alpn = if offers_http { Alpn::Http } else { Alpn::None };
    let config = match shared.authority.mint().config(name, alpn) {
        Ok(config) => config,
        Err(error) => {
            tracing::debug!(%error, "decrypt: no leaf");
            return None;
        }
    };
    match start.into_stream(config).await {
        Ok(stream) => {
            let known = match stream.get_ref().1.alpn_protocol() {
                Some(b"h2") => Some(Protocol::Http2),
                Some(b"http/1.1") => Some(Protocol::Http1),
                _ => None,
            };
            Some((Box::new(stream), known, server_name))
        }
        Err(error) => {
            if is_refusal(&error) {
                shared.counters.refused_certificate(name, route.program.as_deref());
            }
            tracing::debug!(%error, host = name, "decrypt");
            None
        }
    }
}

/// Whether a client broke the handshake off because of the certificate: by an alert that says so, or without a word.
fn is_refusal(error: &io::Error) -> bool {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>()) {
        Some(TlsError::AlertReceived(alert)) => matches!(
            alert,
            AlertDescription::UnknownCA
                | AlertDescription::BadCertificate
                | AlertDescription::CertificateUnknown
                | AlertDescription::UnsupportedCertificate
                | AlertDescription::CertificateExpired
                | AlertDescription::AccessDenied
        ),
        Some(_) => false,
        None => {
            matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
        }
    }
}

/// The name in the ClientHello, read without using up the bytes.
async fn peek_name(arrived: &mut Arrived) -> Option<String> {
    use tokio::io::AsyncReadExt as _;
    loop {
        let mut acceptor = Acceptor::default();
        acceptor.read_tls(&mut &arrived.buffered[..]).ok()?;
        if let Some(accepted) = acceptor.accept().ok()? {
            return accepted.client_hello().server_name().map(str::to_ascii_lowercase);
        }
        if arrived.buffered.len() > HELLO || arrived.stream.read_buf(&mut arrived.buffered).await.ok()? == 0 {
            return None;
        }
    }
}
