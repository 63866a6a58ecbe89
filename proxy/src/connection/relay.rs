//! Bytes passed on unread: what is not HTTP, and hosts that the user keeps out.

use std::sync::Arc;

use tokio::io::{AsyncWriteExt as _, copy_bidirectional_with_sizes};

use super::serve::Arrived;
use crate::report::Warning;
use crate::route::Target;
use crate::shared::Shared;
use crate::transport::BoxStream;

/// Buffer of one direction.
const BUFFER: usize = 64 * 1024;

/// Passes a connection on to where it was meant to go. In replay there is no such place: the connection ends.
pub(super) async fn relay(arrived: Arrived, shared: &Arc<Shared>) {
    let Arrived { stream, buffered, route, reset, .. } = arrived;
    let refuse = async |stream: BoxStream, reset: Option<crate::transport::ResetSwitch>| {
        if let Some(reset) = reset {
            reset.reset(stream).await;
        }
    };
    let Some(target) = route.target.filter(|target| !shared.is_own(&target.host, target.port)) else {
        return refuse(stream, reset).await;
    };
    let Some(upstream) = shared.engine.upstream() else {
        shared.counters.warn(Warning::RefusedUnread { destination: target.authority() });
        return refuse(stream, reset).await;
    };
    match upstream.tunnel(&target).await {
        Ok(far) => {
            note(shared, &target);
            splice(stream, &buffered, far, &[], shared).await;
        }
        Err(error) => {
            tracing::debug!(?error, "forward: tunnel");
            refuse(stream, reset).await;
        }
    }
}

/// Counts a connection whose bytes nobody reads.
pub(super) fn note(shared: &Shared, target: &Target) {
    shared.counters.tunnelled();
    shared.counters.warn(Warning::PassedUnread { destination: target.authority() });
}

/// Copies both ways until both sides have ended or the proxy stops. The byte slices were read before.
pub(super) async fn splice(
    mut near: BoxStream,
    from_near: &[u8],
    mut far: BoxStream,
    from_far: &[u8],
    shared: &Shared,
) {
    let copy = async {
        far.write_all(from_near).await?;
        near.write_all(from_far).await?;
        copy_bidirectional_with_sizes(&mut near, &mut far, BUFFER, BUFFER).await
    };
    // A relayed connection has no end of its own between messages that this side could wait for.
    tokio::select! {
        copied = copy => {
            if let Err(error) = copied {
                tracing::debug!(%error, "a relayed connection broke");
            }
        }
        () = shared.stop.cancelled() => {}
    }
}
