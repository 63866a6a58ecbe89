//! Bodies copied into a recording while they stream. The copy waits for the disk only where it must (a spooled body ahead of
//! its writer), and then the sender waits too: memory stays flat.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use futures_util::Stream;
use tokio::sync::oneshot;

use crate::exchange::{Captured, Framing, Headers, Incomplete, IncompleteCause, Outcome, ResponseHead};
use crate::message::{Body, BodyError, Piece};
use crate::session::{BodySink, OnDisk, Pending};

/// How long the body of a request that has nowhere to go is still read.
const DRAIN: Duration = Duration::from_secs(30);

/// The copy of a request's body, once it is whole.
pub(super) enum RequestCapture {
    Ready(Captured),
    Coming(oneshot::Receiver<Captured>),
}

impl RequestCapture {
    /// The copy; `None` if the body never came to its end.
    pub(super) fn take(self) -> Option<Captured> {
        match self {
            Self::Ready(captured) => Some(captured),
            Self::Coming(mut receiver) => receiver.try_recv().ok(),
        }
    }
}

/// The same body, and its copy.
pub(super) fn capture_request(body: Body, mut sink: BodySink, length: Option<u64>) -> (Body, RequestCapture) {
    match body {
        Body::Empty => (Body::Empty, RequestCapture::Ready(sink.finish())),
        Body::Full(bytes) => {
            sink.push(&bytes);
            (Body::Full(bytes), RequestCapture::Ready(sink.finish()))
        }
        body @ Body::Stream(_) => {
            let (done, copy) = oneshot::channel();
            let tee = RequestTee { body, copy: Some((sink, done)), left: length };
            (Body::stream(tee), RequestCapture::Coming(copy))
        }
    }
}

/// Reads a body to its end for the sake of its copy.
pub(super) async fn drain(mut body: Body) {
    let _ = tokio::time::timeout(DRAIN, async { while let Some(Ok(_)) = body.piece().await {} }).await;
}

struct RequestTee {
    body: Body,
    copy: Option<(BodySink, oneshot::Sender<Captured>)>,
    /// What is still to come, where the client announced it. An upstream may answer on the last byte, before the end of
    /// the body was asked for; the copy must be whole by then.
    left: Option<u64>,
}

impl RequestTee {
    fn complete(&mut self) {
        if let Some((sink, done)) = self.copy.take() {
            let _ = done.send(sink.finish());
        }
    }
}

impl Stream for RequestTee {
    type Item = Result<Piece, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some((sink, _)) = &mut this.copy {
            ready!(sink.poll_ready(context));
        }
        let piece = ready!(this.body.poll_piece(context));
        match &piece {
            Some(Ok(Piece::Data(data))) => {
                if let Some((sink, _)) = &mut this.copy {
                    sink.push(data);
                }
                if let Some(left) = &mut this.left {
                    *left = left.saturating_sub(data.len() as u64);
                    if *left == 0 {
                        this.complete();
                    }
                }
            }
            Some(Ok(Piece::Trailers(_))) | None => this.complete(),
            Some(Err(_)) => this.copy = None,
        }
        Poll::Ready(piece)
    }
}

/// An exchange whose answer is under way. The client gets everything at once but the end: an answer that it has seen to its end
/// is on the disk, so that not even a killed proxy loses it.
pub(super) struct ResponseTee {
    body: Body,
    unfinished: Option<Unfinished>,
    after_bytes: u64,
    trailers: Headers,
    /// The length that was announced: the last of its bytes end the answer for the client.
    announced: Option<u64>,
    waiting: VecDeque<Option<Result<Piece, BodyError>>>,
    on_disk: Option<OnDisk>,
    clock: Clock,
}

/// When pieces come. The clock is read once for all that came together: it is read again only after there was nothing to read.
struct Clock {
    begin: Instant,
    now: Option<u64>,
}

impl Clock {
    fn new() -> Self {
        Self { begin: Instant::now(), now: Some(0) }
    }

    fn waited(&mut self) {
        self.now = None;
    }

    /// Milliseconds since the head came.
    fn now(&mut self) -> u64 {
        let begin = self.begin;
        *self.now.get_or_insert_with(|| u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

struct Unfinished {
    pending: Pending,
    request: RequestCapture,
    head: ResponseHead,
    sink: BodySink,
}

impl ResponseTee {
    pub(super) fn new(pending: Pending, request: RequestCapture, head: ResponseHead) -> Self {
        let sink = pending.response_sink(&head);
        let delimits = head.framing == Framing::ContentLength;
        let announced = head.headers.get("content-length").filter(|_| delimits);
        let announced = announced.and_then(|value| value.trim().parse().ok());
        let unfinished = Some(Unfinished { pending, request, head, sink });
        let (body, trailers, waiting) = (Body::Empty, Headers::new(), VecDeque::new());
        Self {
            body,
            unfinished,
            after_bytes: 0,
            trailers,
            announced,
            waiting,
            on_disk: None,
            clock: Clock::new(),
        }
    }

    pub(super) fn over(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// Stores an answer without a body, and waits until it is stored.
    pub(super) async fn complete(mut self) {
        self.finish(None);
        if let Some(on_disk) = self.on_disk.take() {
            on_disk.await;
        }
    }

    fn finish(&mut self, cause: Option<IncompleteCause>) {
        let Some(Unfinished { pending, request, head, sink }) = self.unfinished.take() else { return };
        // A request that was never read to its end cannot be found again: `pending` is dropped and counts as aborted.
        let Some(request) = request.take() else { return };
        let incomplete = cause.map(|cause| Incomplete { after_bytes: self.after_bytes, cause });
        let trailers = std::mem::take(&mut self.trailers);
        let outcome = Outcome::Response { head, body: sink.finish(), trailers, incomplete };
        self.on_disk = Some(pending.finish(request, outcome));
    }

    /// Copies a piece. Whether the client may have it now: the end has to wait, and with it the bytes that complete the answer.
    fn copy(&mut self, piece: Option<&Result<Piece, BodyError>>) -> bool {
        match piece {
            Some(Ok(Piece::Data(data))) => {
                self.after_bytes += data.len() as u64;
                let at = self.clock.now();
                if let Some(unfinished) = &mut self.unfinished {
                    unfinished.sink.push_at(data, at);
                }
                return self.announced.is_none_or(|announced| self.after_bytes < announced);
            }
            // Nothing comes after trailers, and HTTP/2 does not ask for more.
            Some(Ok(Piece::Trailers(trailers))) => {
                self.trailers = trailers.clone();
                self.finish(None);
            }
            Some(Err(error)) => self.finish(Some(error.cause())),
            None => self.finish(None),
        }
        false
    }
}

impl Stream for ResponseTee {
    type Item = Result<Piece, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(on_disk) = &mut this.on_disk {
                ready!(Pin::new(on_disk).poll(context));
                this.on_disk = None;
            }
            if this.unfinished.is_none()
                && let Some(piece) = this.waiting.pop_front()
            {
                return Poll::Ready(piece);
            }
            if let Some(unfinished) = &mut this.unfinished {
                ready!(unfinished.sink.poll_ready(context));
            }
            let Poll::Ready(piece) = this.body.poll_piece(context) else {
                this.clock.waited();
                return Poll::Pending;
            };
            if this.copy(piece.as_ref()) {
                return Poll::Ready(piece);
            }
            this.waiting.push_back(piece);
        }
    }
}

impl Drop for ResponseTee {
    /// A client that leaves within an answer (an event stream has no other end) leaves a recording that stops there. This is a
    /// hand-over to the recorder's queue, not work.
    fn drop(&mut self) {
        self.finish(Some(IncompleteCause::Client));
    }
}
