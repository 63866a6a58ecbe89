//! Byte streams under the protocols.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::{Buf as _, BytesMut};
use mcpeak_core::accepted::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A byte stream of any kind.
pub(crate) type BoxStream = Box<dyn Stream>;

/// Makes a TCP connection end with a reset instead of an orderly close.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResetSwitch(Arc<AtomicBool>);

impl ResetSwitch {
    /// Ends the connection under `stream` with a reset. Works through TLS: the order travels down with a flush.
    pub(crate) async fn reset(&self, mut stream: BoxStream) {
        use tokio::io::AsyncWriteExt as _;
        self.0.store(true, Ordering::Relaxed);
        let moment = std::time::Duration::from_millis(100);
        let _ = tokio::time::timeout(moment, stream.flush()).await;
    }
}

/// A TCP connection with its reset switch.
pub(crate) struct TcpTransport {
    tcp: TcpStream,
    reset: ResetSwitch,
}

impl TcpTransport {
    pub(crate) fn new(tcp: TcpStream) -> (Self, ResetSwitch) {
        // Without it an answer of two small writes waits for a delayed acknowledgement, 40 ms on Linux.
        if let Err(error) = tcp.set_nodelay(true) {
            tracing::debug!(%error, "accept: TCP_NODELAY");
        }
        let reset = ResetSwitch::default();
        (Self { tcp, reset: reset.clone() }, reset)
    }
}

impl AsyncRead for TcpTransport {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(context, buffer)
    }
}

impl AsyncWrite for TcpTransport {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(context, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.reset.0.load(Ordering::Relaxed) {
            self.tcp.set_zero_linger()?;
        }
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}

/// A stream some of whose bytes were read before.
pub(crate) struct Rewind {
    prefix: BytesMut,
    inner: BoxStream,
}

impl Rewind {
    pub(crate) const fn new(prefix: BytesMut, inner: BoxStream) -> Self {
        Self { prefix, inner }
    }

    /// The stream as it was, wrapped only if there are bytes to give back.
    pub(crate) fn boxed(prefix: BytesMut, inner: BoxStream) -> BoxStream {
        if prefix.is_empty() { inner } else { Box::new(Self::new(prefix, inner)) }
    }
}

impl AsyncRead for Rewind {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.prefix.is_empty() {
            return Pin::new(&mut self.inner).poll_read(context, buffer);
        }
        let length = self.prefix.len().min(buffer.remaining());
        buffer.put_slice(&self.prefix[..length]);
        self.prefix.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Rewind {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
