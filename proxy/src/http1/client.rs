//! The upstream's leg: one request on a connection, the answer's body hands the connection back.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::time::{Instant, Sleep, timeout};
use tokio_util::io::poll_read_buf;

use super::decode::{Decoded, Decoder};
use super::encode::{self, OutFraming};
use super::head::StatusLine;
use super::length::Length;
use super::{HeadError, HeadReader, READ_CHUNK, transfer};
use crate::exchange::{Headers, IncompleteCause, ResponseHead, Version};
use crate::hop;
use crate::message::{Body, BodyError, Piece, Response};
use crate::session::Codings;
use crate::settings::Limits;
use crate::transport::BoxStream;

/// Most interim answers before the answer: nobody sends more who means to answer.
const INTERIM: usize = 64;

type Writing = Pin<Box<dyn Future<Output = Result<WriteHalf<BoxStream>, WriteError>> + Send>>;
/// Takes a connection back whose exchange is over.
type Park = Box<dyn FnOnce(Connection) + Send>;

/// A connection to an upstream that is between two exchanges.
pub(crate) struct Connection {
    reader: ReadHalf<BoxStream>,
    writer: WriteHalf<BoxStream>,
    heads: HeadReader,
}

/// What a request leads to.
pub(crate) enum Sent {
    /// An answer.
    Response(Response),
    /// The upstream agreed to another protocol (101).
    Switched { head: ResponseHead, stream: BoxStream, buffered: BytesMut },
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// The connection ended before the first byte of an answer. On a kept connection that is how an idle close looks.
    #[error("the upstream closed the connection before it answered")]
    Stale,
    /// The connection ended within the head.
    #[error("the upstream closed the connection within the head of its answer")]
    Cut,
    /// The head is not HTTP, or over the limit.
    #[error("the upstream's answer is not usable: {0}")]
    Head(HeadError),
    /// Nothing came in time.
    #[error("the upstream did not answer in time")]
    Timeout,
    /// The request's own body broke.
    #[error("the request ended before it was whole")]
    Request(BodyError),
}

enum WriteError {
    Io,
    Body(BodyError),
}

impl Connection {
    pub(crate) fn new(stream: BoxStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { reader, writer, heads: HeadReader::default() }
    }

    /// Whether the upstream has closed meanwhile, or sent what nobody asked for.
    pub(crate) fn is_usable(&mut self) -> bool {
        let mut context = Context::from_waker(std::task::Waker::noop());
        poll_read_buf(Pin::new(&mut self.reader), &mut context, &mut self.heads.buffer).is_pending()
    }

    /// Sends a request and reads the head of the answer.
    pub(crate) async fn send(
        self,
        head: OutHead<'_>,
        body: Body,
        limits: &Limits,
        park: Park,
    ) -> Result<Sent, SendError> {
        let Self { mut reader, writer, mut heads } = self;
        let out = head.encode(&body);
        let idle = limits.body_idle;
        let framing = head.framing(&body);
        let mut writing: Option<Writing> = Some(Box::pin(write_request(writer, out, body, framing, idle)));
        let mut writer = None;
        let mut interim = 0;
        let line = loop {
            let line = read_head(&mut reader, &mut heads, &mut writing, &mut writer, limits).await?;
            // Interim answers are for the hop; `100 Continue` was given to the client by this side.
            if line.status >= 200 || line.status == 101 {
                break line;
            }
            interim += 1;
            if interim > INTERIM {
                return Err(SendError::Head(HeadError::Malformed));
            }
        };
        let length = Length::of_response(&line, head.method).map_err(SendError::Head)?;
        let codings = match length {
            Length::Chunked | Length::UntilClose => {
                transfer::codings(&line.headers).map_err(SendError::Head)?
            }
            Length::None | Length::Known(_) => Codings::default(),
        };
        let keeps = line.version == Version::Http11 && !hop::connection_has(&line.headers, "close");
        let head = response_head(line, length);
        if head.status == 101 {
            let writer = writer.ok_or(SendError::Cut)?;
            return Ok(Sent::Switched { head, stream: reader.unsplit(writer), buffered: heads.buffer });
        }
        let mut body = ResponseBody {
            decoder: Decoder::new(length, limits.header_bytes),
            reader: Some(reader),
            heads,
            writing,
            writer,
            park: (keeps && length != Length::UntilClose).then_some(park),
            idle,
            timer: None,
        };
        let body = if body.decoder.is_done() {
            body.finish();
            if body.writing.is_some() { Body::stream(body) } else { Body::Empty }
        } else {
            Body::stream(body)
        };
        Ok(Sent::Response(Response { head, body: transfer::undone(body, &codings) }))
    }
}

/// The head of a request to an upstream.
#[derive(Clone, Copy)]
pub(crate) struct OutHead<'a> {
    pub(crate) method: &'a str,
    /// Origin-form, or absolute-form towards a proxy.
    pub(crate) target: &'a str,
    pub(crate) headers: &'a Headers,
    /// Fields of this hop.
    pub(crate) also: &'a [(&'a str, &'a str)],
    /// Whether the client announced a length.
    pub(crate) length: Option<u64>,
}

impl OutHead<'_> {
    fn framing(&self, body: &Body) -> OutFraming {
        match (body, self.length) {
            (Body::Empty, Some(_)) => OutFraming::Length(0),
            (Body::Empty, None) => OutFraming::None,
            (Body::Full(bytes), _) => OutFraming::Length(bytes.len() as u64),
            (Body::Stream(_), Some(length)) => OutFraming::Length(length),
            (Body::Stream(_), None) => OutFraming::Chunked,
        }
    }

    fn encode(&self, body: &Body) -> BytesMut {
        let mut out = BytesMut::with_capacity(1024);
        encode::request_line(&mut out, self.method, self.target);
        encode::fields(&mut out, self.headers, self.framing(body), self.also);
        out
    }
}

fn response_head(line: StatusLine, length: Length) -> ResponseHead {
    ResponseHead {
        status: line.status,
        reason: Some(line.reason),
        version: line.version,
        headers: line.headers,
        framing: length.framing(),
    }
}

/// Reads a head while the request may still be going out: an upstream may answer early.
async fn read_head(
    reader: &mut ReadHalf<BoxStream>,
    heads: &mut HeadReader,
    writing: &mut Option<Writing>,
    writer: &mut Option<WriteHalf<BoxStream>>,
    limits: &Limits,
) -> Result<StatusLine, SendError> {
    while let Some(write) = writing {
        tokio::select! {
            biased;
            written = write => {
                *writing = None;
                match written {
                    Ok(half) => *writer = Some(half),
                    // The upstream may have answered before it closed.
                    Err(WriteError::Io) => {}
                    Err(WriteError::Body(error)) => return Err(SendError::Request(error)),
                }
            }
            filled = heads.fill(reader, limits.header_bytes) => {
                filled.map_err(head_error)?;
                return heads.take_response(limits.header_bytes).map_err(head_error);
            }
        }
    }
    timeout(limits.first_byte, heads.fill(reader, limits.header_bytes))
        .await
        .map_err(|_| SendError::Timeout)?
        .map_err(head_error)?;
    heads.take_response(limits.header_bytes).map_err(head_error)
}

fn head_error(error: HeadError) -> SendError {
    match error {
        HeadError::Closed => SendError::Stale,
        HeadError::Io(_) | HeadError::Cut => SendError::Cut,
        other => SendError::Head(other),
    }
}

async fn write_request(
    mut writer: WriteHalf<BoxStream>,
    mut out: BytesMut,
    mut body: Body,
    framing: OutFraming,
    idle: Duration,
) -> Result<WriteHalf<BoxStream>, WriteError> {
    let mut trailers = Headers::new();
    if !matches!(body, Body::Full(_)) {
        write(&mut writer, &mut out, idle).await?;
    }
    let mut sent = 0u64;
    while let Some(piece) = body.piece().await {
        match piece.map_err(WriteError::Body)? {
            Piece::Data(data) => {
                sent += data.len() as u64;
                match framing {
                    OutFraming::Chunked => encode::chunk(&mut out, &data),
                    _ => out.extend_from_slice(&data),
                }
                write(&mut writer, &mut out, idle).await?;
            }
            Piece::Trailers(fields) => trailers = fields,
        }
    }
    match framing {
        OutFraming::Chunked => encode::last_chunk(&mut out, &trailers),
        OutFraming::Length(length) if length != sent => {
            return Err(WriteError::Body(BodyError::Closed(IncompleteCause::Client)));
        }
        _ => {}
    }
    write(&mut writer, &mut out, idle).await?;
    Ok(writer)
}

async fn write(
    writer: &mut (impl AsyncWrite + Unpin),
    out: &mut BytesMut,
    idle: Duration,
) -> Result<(), WriteError> {
    let written = timeout(idle, async {
        writer.write_all(out).await?;
        writer.flush().await
    })
    .await;
    out.clear();
    match written {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(WriteError::Io),
    }
}

struct ResponseBody {
    decoder: Decoder,
    /// `None` once the connection is parked.
    reader: Option<ReadHalf<BoxStream>>,
    heads: HeadReader,
    /// The request that is still going out.
    writing: Option<Writing>,
    writer: Option<WriteHalf<BoxStream>>,
    park: Option<Park>,
    idle: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl ResponseBody {
    /// Hands the connection back, if it can carry a further exchange.
    fn finish(&mut self) {
        if !self.heads.buffer.is_empty() || self.writing.is_some() {
            self.park = None;
        }
        if let (Some(park), Some(writer)) = (self.park.take(), self.writer.take())
            && let Some(reader) = self.reader.take()
        {
            park(Connection { reader, writer, heads: std::mem::take(&mut self.heads) });
        }
    }

    fn poll_wire(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BodyError>> {
        let closed = BodyError::Closed(IncompleteCause::Upstream);
        let Some(reader) = self.reader.as_mut() else { return Poll::Ready(Err(closed)) };
        self.heads.buffer.reserve(READ_CHUNK);
        match poll_read_buf(Pin::new(reader), context, &mut self.heads.buffer) {
            Poll::Ready(Ok(0)) => Poll::Ready(Err(closed)),
            Poll::Ready(Ok(_)) => {
                self.timer = None;
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => {
                tracing::debug!(%error, "read_response");
                // Many servers end TLS without a close_notify; only a body that ends with the connection cares.
                let unclean = error.kind() == std::io::ErrorKind::UnexpectedEof;
                Poll::Ready(Err(if unclean { closed } else { BodyError::Malformed }))
            }
            Poll::Pending => {
                let idle = self.idle;
                let timer = self
                    .timer
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + idle)));
                ready!(timer.as_mut().poll(context));
                Poll::Ready(Err(BodyError::Idle))
            }
        }
    }
}

impl futures_util::Stream for ResponseBody {
    type Item = Result<Piece, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(writing) = &mut this.writing
            && let Poll::Ready(written) = writing.as_mut().poll(context)
        {
            this.writing = None;
            this.writer = written.ok();
        }
        loop {
            match this.decoder.decode(&mut this.heads.buffer) {
                Ok(Decoded::Data(data)) => {
                    if this.decoder.is_done() {
                        this.finish();
                    }
                    return Poll::Ready(Some(Ok(Piece::Data(data))));
                }
                Ok(Decoded::Trailers(trailers)) => {
                    this.finish();
                    return Poll::Ready(Some(Ok(Piece::Trailers(trailers))));
                }
                Ok(Decoded::End) => {
                    this.finish();
                    return Poll::Ready(None);
                }
                Ok(Decoded::More) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
            match ready!(this.poll_wire(context)) {
                Ok(()) => {}
                Err(BodyError::Closed(_)) if this.decoder.close_ends_body() => return Poll::Ready(None),
                Err(BodyError::Malformed) => {
                    return Poll::Ready(Some(Err(BodyError::Closed(IncompleteCause::Upstream))));
                }
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}
