//! Messages on their way through the proxy: a head, and a body that streams.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc;

use crate::exchange::{Headers, IncompleteCause, RequestHead, ResponseHead};
use crate::route::Target;
use crate::session::Stored;

/// A request as it was read.
pub(crate) struct Request {
    pub(crate) head: RequestHead,
    /// Where the client's connection was meant to go, where that is not what the origin says.
    pub(crate) via: Option<Target>,
    pub(crate) body: Body,
}

/// What goes back to the client.
pub(crate) enum Reply {
    /// An answer whose body streams.
    Response(Response),
    /// A recorded answer, shared and never copied.
    Stored(Arc<Stored>),
    /// The end of the connection (HTTP/1) or of the stream (HTTP/2) without an answer.
    Abort,
}

/// An answer.
pub(crate) struct Response {
    pub(crate) head: ResponseHead,
    pub(crate) body: Body,
}

/// A body: nothing, bytes that are all there, or a stream.
pub(crate) enum Body {
    Empty,
    Full(Bytes),
    Stream(BodyStream),
}

/// A body that arrives in pieces; asking for the next piece is what lets the sender send on.
pub(crate) type BodyStream = Pin<Box<dyn Stream<Item = Result<Piece, BodyError>> + Send>>;

/// A part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Data(Bytes),
    /// Comes last, if at all.
    Trailers(Headers),
}

/// Why a body ended before it was whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    /// The sender closed or reset.
    #[error("the {} closed before the body was whole", side(*.0))]
    Closed(IncompleteCause),
    /// Not a byte came in time.
    #[error("the body stopped coming")]
    Idle,
    /// Chunked framing was wrong.
    #[error("the chunked framing of the body is damaged")]
    Malformed,
}

impl BodyError {
    /// Whose end it was, as recordings say it.
    pub(crate) const fn cause(self) -> IncompleteCause {
        match self {
            Self::Closed(cause) => cause,
            Self::Idle => IncompleteCause::Timeout,
            Self::Malformed => IncompleteCause::Upstream,
        }
    }
}

const fn side(cause: IncompleteCause) -> &'static str {
    match cause {
        IncompleteCause::Client => "client",
        IncompleteCause::Upstream | IncompleteCause::Timeout => "upstream",
    }
}

impl Body {
    pub(crate) fn stream(body: impl Stream<Item = Result<Piece, BodyError>> + Send + 'static) -> Self {
        Self::Stream(Box::pin(body))
    }

    /// A body that another task or future delivers; the bound of the channel is the back-pressure.
    pub(crate) fn channel(receiver: mpsc::Receiver<Result<Piece, BodyError>>) -> Self {
        Self::stream(ChannelBody(receiver))
    }

    /// A second copy, where the bytes are all there: what lets a request be sent again on a fresh connection.
    pub(crate) fn try_clone(&self) -> Option<Self> {
        match self {
            Self::Empty => Some(Self::Empty),
            Self::Full(bytes) => Some(Self::Full(bytes.clone())),
            Self::Stream(_) => None,
        }
    }

    /// The next piece, `None` at the end.
    pub(crate) async fn piece(&mut self) -> Option<Result<Piece, BodyError>> {
        std::future::poll_fn(|context| self.poll_piece(context)).await
    }

    pub(crate) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Piece, BodyError>>> {
        match self {
            Self::Empty => Poll::Ready(None),
            Self::Full(bytes) => {
                let bytes = std::mem::take(bytes);
                *self = Self::Empty;
                Poll::Ready((!bytes.is_empty()).then_some(Ok(Piece::Data(bytes))))
            }
            Self::Stream(stream) => stream.as_mut().poll_next(context),
        }
    }
}

struct ChannelBody(mpsc::Receiver<Result<Piece, BodyError>>);

impl Stream for ChannelBody {
    type Item = Result<Piece, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
