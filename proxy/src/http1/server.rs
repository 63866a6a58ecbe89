//! The client's leg: reads requests one after the other, has them answered, writes the answers.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::decode::{Decoded, Decoder};
use super::head::RequestLine;
use super::length::Length;
use super::write::{Asked, Written, write_reply};
use super::{HeadError, HeadReader, READ_CHUNK};
use crate::exchange::IncompleteCause;
use crate::message::{Body, BodyError, Piece, Reply};
use crate::respond;
use crate::settings::Limits;
use crate::transport::BoxStream;

/// Pieces of a request body between its reader and the engine.
const BODY_AHEAD: usize = 2;
/// Bytes read ahead of their turn while an answer is under way, so that a client's leaving is noticed.
const READ_AHEAD: usize = 64 * 1024;
/// How long a client that has closed its half waits for an answer.
const HALF_CLOSED: Duration = Duration::from_secs(5);
/// What a client may still send after an answer that did not wait for its body.
const LINGER: Duration = Duration::from_millis(500);

/// Who answers the requests of a connection.
pub(crate) trait Served: Sync {
    /// Answers a request.
    fn answer(&self, line: RequestLine, body: Body) -> impl Future<Output = Reply> + Send;
    /// Whether answers come from a network, so that a client's leaving must end what is under way.
    fn is_live(&self) -> bool;
    /// Deadlines and sizes.
    fn limits(&self) -> &Limits;
    /// Cancelled when no further request is to be read.
    fn stop(&self) -> &CancellationToken;
    /// Whether another protocol is asked for in a way that this side follows.
    fn follows_upgrade(&self, line: &RequestLine) -> bool;
}

/// How the serving ended.
pub(crate) enum End {
    /// In order.
    Closed,
    /// Without an answer or within one. `hard`: the client sees it only if the connection is reset.
    Broken { stream: BoxStream, hard: bool },
    /// The client asked for a tunnel, or for another protocol that is let through.
    Handover { line: RequestLine, stream: BoxStream, buffered: BytesMut },
}

/// Serves a connection until it ends or is handed over.
pub(crate) async fn serve(stream: BoxStream, buffered: BytesMut, served: &impl Served) -> End {
    let (reader, writer) = tokio::io::split(stream);
    let heads = HeadReader::with(buffered);
    let mut connection = Connection { reader, writer, heads, out: BytesMut::new() };
    let mut stop = pin!(served.stop().cancelled());
    loop {
        let line = match connection.read_request(served.limits(), stop.as_mut()).await {
            Ok(Some(line)) => line,
            Ok(None) => return connection.close().await,
            Err(error) => return connection.refuse(&error, served.limits()).await,
        };
        if line.method == "CONNECT" || served.follows_upgrade(&line) {
            let Connection { reader, writer, heads, .. } = connection;
            return End::Handover { line, stream: reader.unsplit(writer), buffered: heads.buffer };
        }
        match connection.exchange(line, served).await {
            Step::Next => {}
            Step::Close => return connection.close().await,
            Step::Linger => return connection.linger().await,
            Step::Break { hard } => {
                return End::Broken { stream: connection.reader.unsplit(connection.writer), hard };
            }
        }
    }
}

enum Step {
    Next,
    Close,
    /// The client may still be sending.
    Linger,
    Break {
        hard: bool,
    },
}

struct Connection {
    reader: ReadHalf<BoxStream>,
    writer: WriteHalf<BoxStream>,
    heads: HeadReader,
    out: BytesMut,
}

impl Connection {
    /// The next request, `None` when the connection is over in order.
    async fn read_request(
        &mut self,
        limits: &Limits,
        stop: impl Future<Output = ()>,
    ) -> Result<Option<RequestLine>, HeadError> {
        if self.heads.buffer.is_empty() {
            self.heads.buffer.reserve(READ_CHUNK);
            tokio::select! {
                biased;
                read = timeout(limits.keep_alive, self.reader.read_buf(&mut self.heads.buffer)) => match read {
                    Ok(Ok(0)) | Err(_) => return Ok(None),
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return Err(HeadError::Io(error)),
                },
                () = stop => return Ok(None),
            }
        }
        let filled =
            timeout(limits.header_read, self.heads.fill(&mut self.reader, limits.header_bytes)).await;
        match filled {
            Ok(Ok(())) => self.heads.take_request(limits.header_bytes).map(Some),
            Ok(Err(HeadError::Closed)) => Ok(None),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(HeadError::Cut),
        }
    }

    async fn exchange(&mut self, line: RequestLine, served: &impl Served) -> Step {
        let length = match Length::of_request(&line) {
            Ok(length) => length,
            Err(error) => {
                let (reply, asked) = (respond::bad_request(&error), Asked::nothing());
                let _ = write_reply(&mut self.writer, &mut self.out, reply, asked, served.limits()).await;
                return Step::Linger;
            }
        };
        let (written, unread) = match self.whole_body(length) {
            Some(body) => (self.exchange_whole(line, body, served).await, false),
            None => self.exchange_streaming(line, length, served).await,
        };
        match written {
            Written::Failed => Step::Break { hard: true },
            Written::Cut => Step::Break { hard: false },
            Written::Last | Written::Whole if unread => Step::Linger,
            Written::Last => Step::Close,
            Written::Whole => Step::Next,
        }
    }

    /// The body of a request that has none, or whose body came along with its head.
    fn whole_body(&mut self, length: Length) -> Option<Body> {
        let length = match length {
            Length::None => 0,
            Length::Known(length) => usize::try_from(length).ok()?,
            Length::Chunked | Length::UntilClose => return None,
        };
        if self.heads.buffer.len() < length {
            return None;
        }
        Some(match length {
            0 => Body::Empty,
            length => Body::Full(self.heads.buffer.split_to(length).freeze()),
        })
    }

    async fn exchange_whole(&mut self, line: RequestLine, body: Body, served: &impl Served) -> Written {
        let Self { reader, writer, heads, out } = self;
        let asked = Asked::of(&line);
        let respond = async {
            let reply = served.answer(line, body).await;
            write_reply(writer, out, reply, asked, served.limits()).await
        };
        if !served.is_live() {
            return respond.await;
        }
        tokio::select! {
            biased;
            written = respond => written,
            () = gone(reader, &mut heads.buffer) => Written::Failed,
        }
    }

    /// Second: whether the client was still sending when its answer was out.
    async fn exchange_streaming(
        &mut self,
        line: RequestLine,
        length: Length,
        served: &impl Served,
    ) -> (Written, bool) {
        let Self { reader, writer, heads, out } = self;
        let (asked, limits) = (Asked::of(&line), served.limits());
        let waits = line.headers.get("expect").is_some_and(|e| e.eq_ignore_ascii_case("100-continue"));
        if waits && heads.buffer.is_empty() {
            let going_on = writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await;
            if going_on.is_err() || writer.flush().await.is_err() {
                return (Written::Cut, true);
            }
        }
        let (sender, receiver) = mpsc::channel(BODY_AHEAD);
        let (read_whole, damaged) = (AtomicBool::new(false), AtomicBool::new(false));
        let reading = async {
            let mut decoder = Decoder::new(length, limits.header_bytes);
            pump(reader, &mut heads.buffer, &mut decoder, sender, limits, &damaged).await;
            if damaged.load(Ordering::Relaxed) {
                // The client is still there to be told.
                std::future::pending::<()>().await;
            }
            if decoder.is_done() {
                read_whole.store(true, Ordering::Relaxed);
                gone(reader, &mut heads.buffer).await;
            }
        };
        let respond = async {
            let reply = served.answer(line, Body::channel(receiver)).await;
            if matches!(reply, Reply::Abort) && damaged.load(Ordering::Relaxed) {
                let reply = respond::bad_request(&HeadError::Chunks);
                return write_reply(writer, out, reply, asked.last(), limits).await;
            }
            write_reply(writer, out, reply, asked, limits).await
        };
        let written = tokio::select! {
            biased;
            written = respond => written,
            () = reading => Written::Failed,
        };
        (written, !read_whole.load(Ordering::Relaxed))
    }

    async fn refuse(mut self, error: &HeadError, limits: &Limits) -> End {
        let answerable = matches!(error, HeadError::TooLarge(_) | HeadError::Malformed);
        if !answerable {
            return End::Closed;
        }
        tracing::debug!(%error, "read_request");
        let reply = respond::bad_request(error);
        let _ = write_reply(&mut self.writer, &mut self.out, reply, Asked::nothing(), limits).await;
        self.linger().await
    }

    async fn close(mut self) -> End {
        let _ = timeout(LINGER, self.writer.shutdown()).await;
        End::Closed
    }

    /// Closes so that the last answer arrives although the client may still be sending: a socket that is closed with unread
    /// bytes resets, and the reset overtakes the answer.
    async fn linger(mut self) -> End {
        let _ = timeout(LINGER, async {
            let _ = self.writer.shutdown().await;
            loop {
                self.heads.buffer.clear();
                match self.reader.read_buf(&mut self.heads.buffer).await {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
            }
        })
        .await;
        End::Closed
    }
}

/// Reads a body off the wire and hands it on. On a fault the receiver gets it as the last item.
async fn pump(
    reader: &mut ReadHalf<BoxStream>,
    buffer: &mut BytesMut,
    decoder: &mut Decoder,
    sender: mpsc::Sender<Result<Piece, BodyError>>,
    limits: &Limits,
    damaged: &AtomicBool,
) {
    let fault = loop {
        match decoder.decode(buffer) {
            // The engine may answer without having read the body; the rest is read to keep the connection usable.
            Ok(Decoded::Data(data)) => drop(sender.send(Ok(Piece::Data(data))).await),
            Ok(Decoded::Trailers(trailers)) => drop(sender.send(Ok(Piece::Trailers(trailers))).await),
            Ok(Decoded::End) => return,
            Ok(Decoded::More) => {
                buffer.reserve(READ_CHUNK);
                match timeout(limits.body_idle, reader.read_buf(buffer)).await {
                    Ok(Ok(0) | Err(_)) => break BodyError::Closed(IncompleteCause::Client),
                    Ok(Ok(_)) => {}
                    Err(_) => break BodyError::Idle,
                }
            }
            Err(error) => {
                damaged.store(error == BodyError::Malformed, Ordering::Relaxed);
                break error;
            }
        }
    };
    let _ = sender.send(Err(fault)).await;
}

/// Returns when the client has gone. What it sends ahead is kept for its turn.
async fn gone(reader: &mut ReadHalf<BoxStream>, buffer: &mut BytesMut) {
    while buffer.len() < READ_AHEAD {
        buffer.reserve(1024);
        match reader.read_buf(buffer).await {
            // The end of its sending alone does not tell a client that has left from one that has only closed its half. The one is
            // noticed when the answer is written, or after this time; the other gets its answer.
            Ok(0) => return tokio::time::sleep(HALF_CLOSED).await,
            Err(_) => return,
            Ok(_) => {}
        }
    }
    std::future::pending::<()>().await;
}
