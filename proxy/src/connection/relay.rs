//! Bytes passed on unread: what is not HTTP, and hosts that the user keeps out.

use std::sync::Arc;

use tokio::io::{AsyncWriteExt as _, copy_bidirectional_with_sizes};

use super::serve::Arrived;
use crate::exchange::Origin;
use crate::report::{Refusal, Warning};
use crate::route::{Route, Target};
use crate::shared::Shared;
use crate::transport::{BoxStream, ResetSwitch};
use crate::upstream::ForwardError;

/// Buffer of one direction.
const BUFFER: usize = 64 * 1024;

/// Why the bytes of a connection stay unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The user said so.
    Wished,
    /// They are not HTTP.
    Unknown,
    /// There are none: the client waits for the server.
    Silent,
}

/// Passes a connection on to where it was meant to go. In replay there is no such place: the connection ends.
pub(super) async fn relay(mut arrived: Arrived, unread: Unread, shared: &Arc<Shared>) {
    let Some(place) = place(&arrived.route, shared) else { return arrived.reset().await };
    let upstream = match unread {
        Unread::Wished => shared.engine.upstream(),
        Unread::Unknown | Unread::Silent => shared.upstream_of_unread(),
    };
    let Some(upstream) = upstream else {
        let why = match unread {
            _ if shared.engine.upstream().is_some() => Refusal::Strict,
            Unread::Silent => Refusal::Silent,
            Unread::Unknown | Unread::Wished => Refusal::NotHttp,
        };
        let origin = Origin::new(arrived.route.scheme, &place.host, Some(place.port));
        // A client of HTTP that opens connections ahead of need is no matter of another protocol.
        if unread != Unread::Silent || !shared.counters.has_asked(&origin) {
            shared.counters.warn(Warning::Refused { destination: place.url(), why });
            shared.counters.refused(&place);
        }
        return arrived.reset().await;
    };
    let far = match arrived.far.take() {
        Some(far) => Ok(far),
        None => upstream.tunnel(&arrived.route).await,
    };
    match far {
        Ok(far) => {
            shared.counters.tunnelled(&place);
            let Arrived { stream, buffered, reset, .. } = arrived;
            splice(stream, &buffered, far, &[], reset, shared).await;
        }
        Err(error) => unreachable(arrived, error, shared).await,
    }
}

/// Goes on with a connection in which the server spoke first.
pub(super) async fn answered(arrived: Arrived, far: BoxStream, first: &[u8], shared: &Shared) {
    if let Some(place) = place(&arrived.route, shared) {
        shared.counters.tunnelled(&place);
    }
    let Arrived { stream, buffered, reset, .. } = arrived;
    splice(stream, &buffered, far, first, reset, shared).await;
}

/// Ends a connection whose destination cannot be reached, as near to what the client would have seen as an open connection allows.
pub(super) async fn unreachable(arrived: Arrived, error: ForwardError, shared: &Shared) {
    tracing::debug!(?error, "forward: tunnel");
    if let Some(place) = place(&arrived.route, shared) {
        shared.counters.refused(&place);
        if let ForwardError::Upstream { detail, .. } = error {
            shared.counters.warn(Warning::UpstreamFailed { origin: place.url(), detail });
        }
    }
    arrived.reset().await;
}

/// Where a connection was meant to go, by name if one is known; `None` for the proxy itself.
fn place(route: &Route, shared: &Shared) -> Option<Target> {
    route.target.as_ref().filter(|target| !shared.is_own(&target.host, target.port))?;
    route.named_target()
}

/// Copies both ways until both sides have ended or the proxy stops. The byte slices were read before.
pub(super) async fn splice(
    mut near: BoxStream,
    from_near: &[u8],
    mut far: BoxStream,
    from_far: &[u8],
    reset: Option<ResetSwitch>,
    shared: &Shared,
) {
    let copy = async {
        far.write_all(from_near).await?;
        near.write_all(from_far).await?;
        near.flush().await?;
        far.flush().await?;
        copy_bidirectional_with_sizes(&mut near, &mut far, BUFFER, BUFFER).await
    };
    // A relayed connection has no end of its own between messages that this side could wait for.
    let copied = tokio::select! {
        copied = copy => copied,
        () = shared.stop.cancelled() => return,
    };
    if let Err(error) = copied {
        tracing::debug!(%error, "a relayed connection broke");
        if let Some(reset) = reset {
            reset.reset(near).await;
        }
    }
}
