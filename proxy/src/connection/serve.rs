//! Goes from protocol to protocol until the connection ends.

use std::sync::Arc;

use bytes::BytesMut;

use super::leg::Leg;
use super::opening::{self, Opening};
use super::relay::Unread;
use super::{decrypt, relay, socks5, tunnel};
use crate::detect::Protocol;
use crate::exchange::Scheme;
use crate::http1::{self, End};
use crate::http2;
use crate::route::Route;
use crate::shared::Shared;
use crate::transport::{BoxStream, ResetSwitch};

/// Layers that a connection may have: TLS to the proxy, CONNECT, TLS, and one to spare.
const DEEPEST: usize = 5;
/// A connection with what is known about it.
pub(crate) struct Arrived {
    pub(crate) stream: BoxStream,
    /// Bytes that were read and not used yet.
    pub(crate) buffered: BytesMut,
    pub(crate) route: Route,
    /// Ends the connection with a reset, where that is possible.
    pub(crate) reset: Option<ResetSwitch>,
    /// The protocol within, where ALPN has told.
    pub(crate) known: Option<Protocol>,
    /// A connection to the destination, opened while the client was silent.
    pub(crate) far: Option<BoxStream>,
}

impl Arrived {
    /// A connection that has not been read from.
    pub(crate) fn new(stream: BoxStream, route: Route, reset: Option<ResetSwitch>) -> Self {
        Self { stream, buffered: BytesMut::new(), route, reset, known: None, far: None }
    }

    /// Ends the connection, with a reset where that is possible.
    pub(super) async fn reset(self) {
        if let Some(reset) = self.reset {
            reset.reset(self.stream).await;
        }
    }
}

/// Serves a connection to its end. Never fails: what goes wrong is the connection's end.
pub(crate) async fn serve(arrived: Arrived, shared: Arc<Shared>) {
    let cut = shared.cut.clone();
    tokio::select! {
        () = layers(arrived, &shared) => {}
        () = cut.cancelled() => {}
    }
}

async fn layers(mut arrived: Arrived, shared: &Arc<Shared>) {
    let unread = arrived.route.captured_host().is_some_and(|host| shared.is_tunnelled(host));
    if unread && shared.engine.upstream().is_some() {
        return relay::relay(arrived, Unread::Wished, shared).await;
    }
    for _ in 0..DEEPEST {
        match layer(arrived, shared).await {
            Some(within) => arrived = within,
            None => return,
        }
    }
    tracing::debug!("detect: too many layers");
}

/// Serves one layer; the next one, if there is one.
async fn layer(mut arrived: Arrived, shared: &Arc<Shared>) -> Option<Arrived> {
    let opening = tokio::select! {
        opening = opening::wait(&mut arrived, shared) => opening,
        () = shared.stop.cancelled() => return None,
    };
    let protocol = match opening {
        Opening::Client(protocol) => protocol,
        Opening::Server { far, first } => {
            relay::answered(arrived, far, &first, shared).await;
            return None;
        }
        Opening::Unreachable(error) => {
            relay::unreachable(arrived, error, shared).await;
            return None;
        }
        Opening::Over { hard } => {
            if hard {
                arrived.reset().await;
            }
            return None;
        }
    };
    note_trust(protocol, &arrived.route, shared);
    match protocol {
        Protocol::Tls => decrypt::decrypt(arrived, shared).await,
        Protocol::Http1 => serve_http1(arrived, shared).await,
        Protocol::Http2 => {
            let leg = Arc::new(Leg::new(Arc::clone(shared), arrived.route));
            http2::serve(arrived.stream, arrived.buffered, leg).await;
            None
        }
        Protocol::Socks5 if arrived.route.target.is_none() => socks5::accept(arrived, shared).await,
        Protocol::Socks5 | Protocol::Unknown => {
            relay::relay(arrived, Unread::Unknown, shared).await;
            None
        }
        Protocol::Silent => {
            relay::relay(arrived, Unread::Silent, shared).await;
            None
        }
        Protocol::Closed => None,
    }
}

/// Several clients complete the handshake, look at the certificate then, and leave without a word.
fn note_trust(protocol: Protocol, route: &Route, shared: &Shared) {
    if route.scheme == Scheme::Https
        && let Some(host) = route.certificate_name()
    {
        match protocol {
            Protocol::Closed => shared.counters.left(host, route.program.as_deref()),
            Protocol::Silent => {}
            _ => shared.counters.trusted(host, route.program.as_deref()),
        }
    }
}

async fn serve_http1(arrived: Arrived, shared: &Arc<Shared>) -> Option<Arrived> {
    let Arrived { stream, buffered, route, reset, .. } = arrived;
    let leg = Leg::new(Arc::clone(shared), route);
    match http1::serve(stream, buffered, &leg).await {
        End::Closed => None,
        End::Broken { stream, hard } => {
            if hard && let Some(reset) = reset {
                reset.reset(stream).await;
            }
            None
        }
        End::Handover { line, stream, buffered } => {
            let arrived = Arrived { buffered, ..Arrived::new(stream, leg.into_route(), reset) };
            if line.method == "CONNECT" {
                tunnel::connect(&line, arrived, shared).await
            } else {
                tunnel::upgrade(line, arrived, shared).await;
                None
            }
        }
    }
}
