//! HTTP/2 on both legs (RFC 9113), by hyper; this module translates heads and bodies.
//!
//! | module | what it does |
//! |---|---|
//! | `server` | the client's leg |
//! | `client` | the upstream's leg |
//! | `convert` | heads to and from hyper's |
//! | `body` | bodies to and from hyper's |
//! | `sent` | bytes that tell when they are on their way |

mod body;
mod client;
mod convert;
mod sent;
mod server;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use client::{SendError, Sender, connect, prepare};
pub(crate) use convert::headers;
pub(crate) use server::{Served, serve};

/// Window of one stream: as much as may be under way without waiting for a credit.
const STREAM_WINDOW: u32 = 1024 * 1024;
/// Window of a whole connection.
const CONNECTION_WINDOW: u32 = 4 * 1024 * 1024;

/// Spawns what hyper asks for where its owner can wait for it, and ends it when the owner says so. Without a `cut` a task ends by
/// itself: with its answer at once, or with the connection that it reads from.
#[derive(Clone)]
struct TrackedExecutor {
    tracker: TaskTracker,
    cut: Option<CancellationToken>,
}

impl<F> hyper::rt::Executor<F> for TrackedExecutor
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        let Some(cut) = self.cut.clone() else {
            self.tracker.spawn(future);
            return;
        };
        self.tracker.spawn(async move {
            tokio::select! {
                _ = future => {}
                () = cut.cancelled() => {}
            }
        });
    }
}
