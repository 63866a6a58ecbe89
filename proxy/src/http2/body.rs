//! Bodies to and from hyper's.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use http_body::{Body as _, Frame};
use hyper::body::Incoming;
use tokio::time::Sleep;

use super::convert;
use crate::exchange::IncompleteCause;
use crate::message::{Body, BodyError, Piece};

/// A body that hyper reads off the wire.
struct Arriving {
    incoming: Incoming,
    sender: IncompleteCause,
    idle: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

/// Takes a body from hyper. `sender` is whose end it is if the body breaks off.
pub(super) fn arriving(incoming: Incoming, sender: IncompleteCause, idle: Duration) -> Body {
    if incoming.is_end_stream() {
        Body::Empty
    } else {
        Body::stream(Arriving { incoming, sender, idle, timer: None })
    }
}

impl Stream for Arriving {
    type Item = Result<Piece, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            match Pin::new(&mut this.incoming).poll_frame(context) {
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(Err(error))) => {
                    tracing::debug!(%error, "an HTTP/2 body broke off");
                    return Poll::Ready(Some(Err(BodyError::Closed(this.sender))));
                }
                Poll::Ready(Some(Ok(frame))) => {
                    this.timer = None;
                    match frame.into_data() {
                        Ok(data) if data.is_empty() => {}
                        Ok(data) => return Poll::Ready(Some(Ok(Piece::Data(data)))),
                        Err(frame) => {
                            if let Ok(trailers) = frame.into_trailers() {
                                return Poll::Ready(Some(Ok(Piece::Trailers(convert::headers(&trailers)))));
                            }
                        }
                    }
                }
                Poll::Pending => {
                    let idle = this.idle;
                    let timer = this.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(idle)));
                    return timer.as_mut().poll(context).map(|()| Some(Err(BodyError::Idle)));
                }
            }
        }
    }
}

/// A body that hyper writes to the wire.
pub(super) struct Leaving(pub(super) Body);

impl http_body::Body for Leaving {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.0.poll_piece(context).map(|piece| {
            piece.map(|piece| {
                piece.map(|piece| match piece {
                    Piece::Data(data) => Frame::data(data),
                    Piece::Trailers(fields) => Frame::trailers(convert::header_map(&fields)),
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Body::Empty)
    }

    // The default size hint on purpose: with an exact one hyper would add a `content-length` that nobody sent.
}
