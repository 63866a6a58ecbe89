//! The accept loop: small, and it survives errors.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::connection::{self, Arrived};
use crate::route::Route;
use crate::shared::Shared;
use crate::transport::TcpTransport;

/// How long accepting rests when the system has no descriptors left.
const BACK_OFF: Duration = Duration::from_millis(100);

/// A listener, and where what it takes goes.
pub(crate) struct Entrance {
    pub(crate) listener: TcpListener,
    pub(crate) route: Route,
}

/// Accepts connections at every entrance until `shutdown` is cancelled. The entrances share the places for connections.
pub(crate) async fn accept(entrances: &[Entrance], shared: &Arc<Shared>, shutdown: &CancellationToken) {
    let places = Arc::new(Semaphore::new(shared.limits.connections.min(Semaphore::MAX_PERMITS)));
    join_all(entrances.iter().map(|entrance| accept_at(entrance, &places, shared, shutdown))).await;
}

async fn accept_at(
    entrance: &Entrance,
    places: &Arc<Semaphore>,
    shared: &Arc<Shared>,
    shutdown: &CancellationToken,
) {
    let Entrance { listener, route } = entrance;
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            accepted = async {
                // Never closed, so that a place always comes; the place goes with the connection's task.
                let place = Arc::clone(places).acquire_owned().await.ok()?;
                Some((place, listener.accept().await))
            } => accepted,
        };
        match accepted {
            None => return,
            Some((place, Ok((tcp, _peer)))) => {
                let (stream, reset) = TcpTransport::new(tcp);
                let arrived = Arrived::new(Box::new(stream), route.clone(), Some(reset));
                let serving = connection::serve(arrived, Arc::clone(shared));
                shared.tracker.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Some((_, Err(error))) if is_of_one_connection(&error) => tracing::debug!(%error, "accept"),
            Some((_, Err(error))) => {
                tracing::warn!(%error, "accept: no connection can be taken now");
                tokio::select! {
                    () = tokio::time::sleep(BACK_OFF) => {}
                    () = shutdown.cancelled() => return,
                }
            }
        }
    }
}

/// Whether the error says something about the connection that was to be accepted, and nothing about the next one.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}
