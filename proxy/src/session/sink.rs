//! Bodies captured while they stream by.
use crate::exchange::Captured;
use bytes::Bytes;
use std::task::{Context, Poll};

/// Captures a body. `poll_ready` first, then `push`.
#[derive(Debug)]
pub struct BodySink {}

impl BodySink {
    /// Ready unless a spooled body is ahead of the disk.
    pub fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<()> {
        todo!()
    }
    /// Waits until the sink takes a further chunk.
    pub async fn ready(&mut self) {
        std::future::poll_fn(|context| self.poll_ready(context)).await;
    }
    /// Takes a chunk; never waits.
    pub fn push(&mut self, _chunk: &Bytes) {
        todo!()
    }
    /// The whole body.
    pub fn finish(self) -> Captured {
        todo!()
    }
}
