//! Bodies to and from hyper's.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use http_body::{Body as _, Frame};
use hyper::body::Incoming;
use tokio::time::Sleep;

use super::convert;
use super::sent::{Queued, Sent};
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
pub(crate) struct Leaving {
    body: Body,
    queued: Arc<Queued>,
    /// How long a break waits for what came before it.
    patience: Duration,
    breaking: Option<(BodyError, Pin<Box<Sleep>>)>,
}

impl Leaving {
    pub(super) fn new(body: Body, patience: Duration) -> Self {
        Self { body, queued: Arc::default(), patience, breaking: None }
    }
}

impl http_body::Body for Leaving {
    type Data = Sent;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Sent>, BodyError>>> {
        let this = self.get_mut();
        if let Some((error, deadline)) = &mut this.breaking {
            if this.queued.poll_empty(context).is_pending() {
                std::task::ready!(deadline.as_mut().poll(context));
            }
            return Poll::Ready(Some(Err(*error)));
        }
        match std::task::ready!(this.body.poll_piece(context)) {
            None => Poll::Ready(None),
            Some(Ok(Piece::Data(data))) => Poll::Ready(Some(Ok(Frame::data(this.queued.piece(data))))),
            Some(Ok(Piece::Trailers(fields))) => {
                Poll::Ready(Some(Ok(Frame::trailers(convert::header_map(&fields)))))
            }
            Some(Err(error)) => {
                this.breaking = Some((error, Box::pin(tokio::time::sleep(this.patience))));
                // An empty frame stands in the queue behind all the others, behind the head of the answer too.
                Poll::Ready(Some(Ok(Frame::data(this.queued.piece(Bytes::new())))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.body, Body::Empty)
    }

    // The default size hint on purpose: with an exact one hyper would add a `content-length` that nobody sent.
}
