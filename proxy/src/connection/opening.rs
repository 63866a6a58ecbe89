//! Who speaks first, and in which protocol.

use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::serve::Arrived;
use crate::detect::{Protocol, detect};
use crate::exchange::Scheme;
use crate::route::Route;
use crate::shared::Shared;
use crate::transport::BoxStream;
use crate::upstream::ForwardError;

/// Ports on which the server speaks first, so that waiting for the client would only lose time.
const SERVER_FIRST: [u16; 9] = [21, 22, 25, 110, 143, 587, 3306, 5672, 6667];
/// The same within TLS.
const SERVER_FIRST_IN_TLS: [u16; 4] = [465, 990, 993, 995];

/// How a layer of a connection begins.
pub(super) enum Opening {
    /// The client spoke, closed, or let its time pass.
    Client(Protocol),
    /// The server spoke first.
    Server { far: BoxStream, first: BytesMut },
    /// The client waits for a server that cannot be reached.
    Unreachable(ForwardError),
    /// The server, or its patience, ended the connection before anybody spoke. `hard`: with a reset.
    Over { hard: bool },
}

/// Waits for the first to speak. The server is dialled only where there is a network and the client stays silent.
pub(super) async fn wait(arrived: &mut Arrived, shared: &Shared) -> Opening {
    if let Some(protocol) = arrived.known.take() {
        return known(protocol, arrived, shared).await;
    }
    let Arrived { stream, buffered, route, .. } = arrived;
    let server_first = is_server_first(route);
    let reachable = route.target.as_ref().filter(|target| !shared.is_own(&target.host, target.port));
    let dials = shared.upstream_of_unread().filter(|_| reachable.is_some() && !server_first);
    let Some(upstream) = dials else {
        let patience = if server_first { Duration::ZERO } else { shared.limits.detect };
        return Opening::Client(detect(stream, buffered, patience).await);
    };
    if timeout(shared.limits.server_first, first_byte(stream, buffered)).await.is_ok() {
        return Opening::Client(detect(stream, buffered, shared.limits.detect).await);
    }
    let dialled = tokio::select! {
        biased;
        () = first_byte(stream, buffered) => None,
        dialled = upstream.tunnel(route) => Some(dialled),
    };
    match dialled {
        None => Opening::Client(detect(stream, buffered, shared.limits.detect).await),
        Some(Ok(far)) => either(arrived, far, shared).await,
        // An HTTP client that takes its time is told in HTTP.
        Some(Err(error)) => match timeout(shared.limits.detect, first_byte(stream, buffered)).await {
            Ok(()) => Opening::Client(detect(stream, buffered, shared.limits.detect).await),
            Err(_) => Opening::Unreachable(error),
        },
    }
}

/// Both sides are there, and neither has spoken.
async fn either(arrived: &mut Arrived, mut far: BoxStream, shared: &Shared) -> Opening {
    let Arrived { stream, buffered, .. } = arrived;
    let mut first = BytesMut::new();
    let read = tokio::select! {
        biased;
        () = first_byte(stream, buffered) => None,
        read = far.read_buf(&mut first) => Some(read),
    };
    match read {
        None => {
            let protocol = detect(stream, buffered, shared.limits.detect).await;
            arrived.far = Some(far);
            Opening::Client(protocol)
        }
        Some(Ok(0)) => Opening::Over { hard: false },
        Some(Ok(_)) => Opening::Server { far, first },
        Some(Err(_)) => Opening::Over { hard: true },
    }
}

/// The protocol that ALPN has told, once the client uses it.
async fn known(protocol: Protocol, arrived: &mut Arrived, shared: &Shared) -> Opening {
    let Arrived { stream, buffered, .. } = arrived;
    match timeout(shared.limits.keep_alive, first_byte(stream, buffered)).await {
        Ok(()) if buffered.is_empty() => Opening::Client(Protocol::Closed),
        Ok(()) => Opening::Client(protocol),
        Err(_) => Opening::Over { hard: false },
    }
}

/// Returns when there are bytes, or when there will be none. Nothing is lost when it is dropped.
async fn first_byte(stream: &mut BoxStream, buffered: &mut BytesMut) {
    if buffered.is_empty() {
        // The end of the stream is found again by whoever reads next.
        let _ = stream.read_buf(buffered).await;
    }
}

fn is_server_first(route: &Route) -> bool {
    let ports: &[u16] = match route.scheme {
        Scheme::Http => &SERVER_FIRST,
        Scheme::Https => &SERVER_FIRST_IN_TLS,
    };
    route.target.as_ref().is_some_and(|target| ports.contains(&target.port))
}
