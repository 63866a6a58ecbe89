//! Recorded bodies on their way out.

use std::io::Read as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};

use crate::exchange::IncompleteCause;
use crate::message::{Body, BodyError, Piece};
use crate::session::{StoredBody, StoredResponse, Timing};

/// Bytes of a side file in one piece.
const FILE_CHUNK: usize = 128 * 1024;

/// The length to announce for a body that will break off: the one that was announced when it was recorded.
pub(crate) fn promised_length(response: &StoredResponse) -> u64 {
    let sent = response.body.length();
    let announced = response.headers.get("content-length").and_then(|value| value.trim().parse().ok());
    announced.unwrap_or(0).max(sent + 1)
}

/// The recorded body as a body to send.
pub(crate) fn body(stored: &StoredBody) -> Body {
    match stored {
        StoredBody::Empty => Body::Empty,
        StoredBody::Memory(bytes) => Body::Full(bytes.clone()),
        StoredBody::Pieces { pieces, timing } => Body::stream(PiecesBody::new(Arc::clone(pieces), *timing)),
        StoredBody::File { path, length } => Body::stream(FileBody::open(path.clone(), *length)),
    }
}

/// The whole stored answer's body as a stream that breaks off where the recorded one did, trailers included.
pub(crate) struct StoredStream {
    body: Body,
    trailers: Option<Piece>,
    breaks: bool,
}

impl StoredStream {
    pub(crate) fn new(response: &StoredResponse) -> Self {
        let trailers = (!response.trailers.is_empty()).then(|| Piece::Trailers(response.trailers.clone()));
        let breaks = response.incomplete.is_some();
        Self { body: body(&response.body), trailers: trailers.filter(|_| !breaks), breaks }
    }

    /// Whether nothing at all will come.
    pub(crate) const fn is_empty(&self) -> bool {
        matches!(self.body, Body::Empty) && self.trailers.is_none() && !self.breaks
    }

    /// As a body; bytes that are all there and have nothing behind them stay as they are.
    pub(crate) fn into_body(self) -> Body {
        if self.trailers.is_none() && !self.breaks { self.body } else { Body::stream(self) }
    }
}

impl Stream for StoredStream {
    type Item = Result<Piece, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match std::task::ready!(self.body.poll_piece(context)) {
            Some(piece) => Poll::Ready(Some(piece)),
            None if self.breaks => {
                self.breaks = false;
                Poll::Ready(Some(Err(BodyError::Closed(IncompleteCause::Upstream))))
            }
            None => Poll::Ready(self.trailers.take().map(Ok)),
        }
    }
}

/// The pieces of a stream, at once or when they came.
struct PiecesBody {
    pieces: Arc<[(u64, Bytes)]>,
    next: usize,
    /// Since when times count.
    begin: Instant,
    timing: Timing,
    timer: Option<Pin<Box<Sleep>>>,
}

impl PiecesBody {
    fn new(pieces: Arc<[(u64, Bytes)]>, timing: Timing) -> Self {
        Self { pieces, next: 0, begin: Instant::now(), timing, timer: None }
    }
}

impl Stream for PiecesBody {
    type Item = Result<Piece, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some((at, bytes)) = this.pieces.get(this.next) else { return Poll::Ready(None) };
        if this.timing == Timing::Recorded {
            let due = this.begin + Duration::from_millis(*at);
            let timer = this.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            ready!(timer.as_mut().poll(context));
            this.timer = None;
        }
        this.next += 1;
        Poll::Ready(Some(Ok(Piece::Data(bytes.clone()))))
    }
}

/// A side file read in a blocking thread that stays at most two pieces ahead.
struct FileBody {
    pieces: mpsc::Receiver<std::io::Result<Bytes>>,
    left: u64,
}

impl FileBody {
    fn open(path: std::path::PathBuf, length: u64) -> Self {
        let (sender, pieces) = mpsc::channel(2);
        // The thread ends with the file or with the receiver, whichever goes first.
        tokio::task::spawn_blocking(move || {
            if let Err(error) = read_file(&path, length, &sender) {
                tracing::error!(path = %path.display(), %error, "a side file of the session cannot be read");
                let _ = sender.blocking_send(Err(error));
            }
        });
        Self { pieces, left: length }
    }
}

impl Stream for FileBody {
    type Item = Result<Piece, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let broken = BodyError::Closed(IncompleteCause::Upstream);
        match std::task::ready!(self.pieces.poll_recv(context)) {
            Some(Ok(data)) => {
                self.left = self.left.saturating_sub(data.len() as u64);
                Poll::Ready(Some(Ok(Piece::Data(data))))
            }
            None if self.left == 0 => Poll::Ready(None),
            Some(Err(_)) | None => Poll::Ready(Some(Err(broken))),
        }
    }
}

fn read_file(
    path: &std::path::Path,
    length: u64,
    sender: &mpsc::Sender<std::io::Result<Bytes>>,
) -> std::io::Result<()> {
    let mut file = std::fs::File::open(path)?.take(length);
    loop {
        let mut piece = vec![0; FILE_CHUNK];
        let mut filled = 0;
        while filled < piece.len() {
            match file.read(&mut piece[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        piece.truncate(filled);
        if piece.is_empty() || sender.blocking_send(Ok(piece.into())).is_err() {
            return Ok(());
        }
    }
}
