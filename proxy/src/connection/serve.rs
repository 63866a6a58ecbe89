//! Goes from protocol to protocol until the connection ends.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;

use super::leg::Leg;
use super::{decrypt, relay, socks5, tunnel};
use crate::detect::{Protocol, detect};
use crate::exchange::Scheme;
use crate::http1::{self, End};
use crate::http2;
use crate::route::Route;
use crate::shared::Shared;
use crate::transport::{BoxStream, ResetSwitch};

/// Layers that a connection may have: TLS to the proxy, CONNECT, TLS, and one to spare.
const DEEPEST: usize = 5;
/// Ports on which the server speaks first, so that waiting for the client would only lose time.
const SERVER_FIRST: [u16; 9] = [21, 22, 25, 110, 143, 587, 3306, 5672, 6667];

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
    let protocol = if let Some(protocol) = arrived.known.take() {
        protocol
    } else {
        let patience = patience(&arrived.route, shared);
        tokio::select! {
            protocol = detect(&mut arrived.stream, &mut arrived.buffered, patience) => protocol,
            () = shared.stop.cancelled() => return None,
        }
    };
    match protocol {
        Protocol::Tls => decrypt::decrypt(arrived, shared).await,
        Protocol::Http1 => serve_http1(arrived, shared).await,
        Protocol::Http2 => {
            let leg = Arc::new(Leg::new(Arc::clone(shared), arrived.route));
            http2::serve(arrived.stream, arrived.buffered, leg).await;
            None
        }
        Protocol::Socks5 if arrived.route.target.is_none() => socks5::accept(arrived, shared).await,
        Protocol::Socks5 | Protocol::Unknown | Protocol::Silent => {
            relay::relay(arrived, shared).await;
            None
        }
        Protocol::Closed => None,
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
            let arrived = Arrived { stream, buffered, route: leg.into_route(), reset, known: None };
            if line.method == "CONNECT" {
                tunnel::connect(&line, arrived, shared).await
            } else {
                tunnel::upgrade(line, arrived, shared).await;
                None
            }
        }
    }
}

/// How long the first byte is waited for.
fn patience(route: &Route, shared: &Shared) -> Duration {
    let server_first = route.scheme == Scheme::Http
        && route.target.as_ref().is_some_and(|target| SERVER_FIRST.contains(&target.port));
    if server_first { Duration::ZERO } else { shared.limits.detect }
}
