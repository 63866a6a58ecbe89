//! Bytes that tell when they are on their way.
//!
//! HTTP/2 may drop what is queued on a stream that is reset. A body that breaks off therefore waits until everything before the
//! break has left the queue; the client then gets what came, as it does on HTTP/1.

use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use futures_util::task::AtomicWaker;

/// How many pieces of a body are still queued.
#[derive(Debug, Default)]
pub(super) struct Queued {
    pieces: AtomicUsize,
    waiting: AtomicWaker,
}

impl Queued {
    /// A piece that counts until it has been written.
    pub(super) fn piece(self: &Arc<Self>, bytes: Bytes) -> Sent {
        self.pieces.fetch_add(1, Ordering::AcqRel);
        Sent { bytes, queued: Arc::clone(self) }
    }

    /// Ready when no piece is queued.
    pub(super) fn poll_empty(&self, context: &mut Context<'_>) -> Poll<()> {
        self.waiting.register(context.waker());
        if self.pieces.load(Ordering::Acquire) == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A piece of a body; dropped when it has been written.
#[derive(Debug)]
pub(crate) struct Sent {
    bytes: Bytes,
    queued: Arc<Queued>,
}

impl Buf for Sent {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        self.bytes.chunks_vectored(slices)
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }

    fn copy_to_bytes(&mut self, length: usize) -> Bytes {
        self.bytes.copy_to_bytes(length)
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.queued.pieces.fetch_sub(1, Ordering::AcqRel);
        self.queued.waiting.wake();
    }
}
