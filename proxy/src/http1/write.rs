//! Answers written on the client's leg.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use super::encode::{self, OutFraming};
use super::head::RequestLine;
use crate::exchange::{Framing, Headers, ResponseHead, Version};
use crate::hop;
use crate::message::{Body, Piece, Reply, Response};
use crate::session::{Stored, StoredBody, StoredResponse};
use crate::settings::Limits;
use crate::stored::{self, StoredStream};
use crate::transport::BoxStream;

/// Bodies up to this size travel in one write with their head.
const JOIN: usize = 16 * 1024;

/// What the request said about how it can be answered.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(super) head_only: bool,
    pub(super) version: Version,
    pub(super) keep_alive: bool,
}

impl Asked {
    /// For a request that was read.
    pub(crate) fn of(line: &RequestLine) -> Self {
        Self {
            head_only: line.method == "HEAD",
            version: line.version,
            keep_alive: line.version == Version::Http11 && !hop::connection_has(&line.headers, "close"),
        }
    }

    /// For the last answer of a connection.
    pub(super) fn last(self) -> Self {
        Self { keep_alive: false, ..self }
    }

    /// For a request that could not be read.
    pub(super) const fn nothing() -> Self {
        Self { head_only: false, version: Version::Http11, keep_alive: false }
    }
}

/// What became of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is out, and the connection can carry another one.
    Whole,
    /// It is out, and the connection ends with it.
    Last,
    /// It is not out as a whole, which the client sees by its framing.
    Cut,
    /// It is not out as a whole, which the client sees only if the connection breaks.
    Failed,
}

/// Writes an answer.
pub(super) async fn write_reply(
    writer: &mut (impl AsyncWrite + Unpin),
    out: &mut BytesMut,
    reply: Reply,
    client: Asked,
    limits: &Limits,
) -> Written {
    out.clear();
    let mut writing = Writing { writer, out, client, limits, framed: false };
    let written = match reply {
        Reply::Abort => None,
        Reply::Response(response) => writing.response(response).await,
        Reply::Stored(stored) => match &*stored {
            Stored::Response(response) => writing.stored(response).await,
            Stored::Failure(_) => None,
        },
    };
    match written {
        None if writing.framed => Written::Cut,
        None => Written::Failed,
        Some(OutFraming::Close) => Written::Last,
        Some(_) if !client.keep_alive => Written::Last,
        Some(_) => Written::Whole,
    }
}

struct Writing<'a, W> {
    writer: &'a mut W,
    out: &'a mut BytesMut,
    client: Asked,
    limits: &'a Limits,
    /// Whether the head that was written says where the body ends.
    framed: bool,
}

impl<W: AsyncWrite + Unpin> Writing<'_, W> {
    async fn response(&mut self, response: Response) -> Option<OutFraming> {
        let Response { head, body } = response;
        let full = match &body {
            Body::Empty => Some(0),
            Body::Full(bytes) => Some(bytes.len() as u64),
            Body::Stream(_) => None,
        };
        let declared = head.headers.get("content-length").and_then(|value| value.trim().parse().ok());
        let framing = self.framing(head.status, head.framing, full.or(declared));
        self.head(head.status, head.reason.as_deref(), &head.headers, framing);
        self.body(body, framing).await
    }

    async fn stored(&mut self, response: &StoredResponse) -> Option<OutFraming> {
        let mut length = response.body.length();
        if response.incomplete.is_some() {
            length = stored::promised_length(response);
        }
        let framing = self.framing(response.status, response.framing, Some(length));
        self.head(response.status, response.reason.as_deref(), &response.headers, framing);
        if matches!(framing, OutFraming::None | OutFraming::Described) {
            self.flush().await?;
        } else if matches!(response.body, StoredBody::Pieces { .. }) {
            // A piece may have to wait for its time; what came before it goes out.
            return self.body(StoredStream::new(response).into_body(), framing).await;
        } else {
            self.stored_body(response, framing).await?;
        }
        response.incomplete.is_none().then_some(framing)
    }

    async fn stored_body(&mut self, response: &StoredResponse, framing: OutFraming) -> Option<()> {
        match &response.body {
            StoredBody::Empty | StoredBody::Pieces { .. } => {}
            StoredBody::Memory(bytes) => self.data(bytes, framing).await?,
            StoredBody::File { .. } => {
                let mut body = stored::body(&response.body);
                while let Some(piece) = body.piece().await {
                    if let Ok(Piece::Data(data)) = piece {
                        self.data(&data, framing).await?;
                    } else {
                        return None;
                    }
                }
            }
        }
        if framing == OutFraming::Chunked && response.incomplete.is_none() {
            encode::last_chunk(self.out, &response.trailers);
        }
        self.flush().await
    }

    async fn body(&mut self, mut body: Body, framing: OutFraming) -> Option<OutFraming> {
        let has_body = !matches!(framing, OutFraming::None | OutFraming::Described);
        let mut left = match framing {
            OutFraming::Length(length) => Some(length),
            _ => None,
        };
        let mut trailers = Headers::new();
        loop {
            // What is written so far goes out before waiting for more: the first byte passes at once.
            let piece = if let Some(ready) = poll_once(&mut body).await {
                ready
            } else {
                self.flush().await?;
                body.piece().await
            };
            match piece {
                None => break,
                Some(Ok(Piece::Data(data))) if has_body => {
                    if let Some(left) = &mut left {
                        *left = left.checked_sub(data.len() as u64)?;
                    }
                    self.data(&data, framing).await?;
                }
                // The body of an answer that has none is read so that the connection it came on stays usable.
                Some(Ok(Piece::Data(_))) => {}
                Some(Ok(Piece::Trailers(fields))) => trailers = fields,
                Some(Err(_)) => {
                    // What came before the break is the client's: it must arrive before the connection breaks.
                    self.flush().await?;
                    return None;
                }
            }
        }
        if left.is_some_and(|left| left > 0) {
            self.flush().await?;
            return None;
        }
        if framing == OutFraming::Chunked {
            encode::last_chunk(self.out, &trailers);
        }
        self.flush().await?;
        Some(framing)
    }

    fn framing(&self, status: u16, recorded: Framing, length: Option<u64>) -> OutFraming {
        if self.client.head_only || status == 304 {
            return OutFraming::Described;
        }
        if status < 200 || status == 204 {
            return OutFraming::None;
        }
        let wanted = match (recorded, length) {
            (Framing::ContentLength | Framing::H2, Some(length)) => OutFraming::Length(length),
            (Framing::None, length) => OutFraming::Length(length.unwrap_or(0)),
            (Framing::Close, _) => OutFraming::Close,
            (Framing::Chunked | Framing::H2 | Framing::ContentLength, _) => OutFraming::Chunked,
        };
        // HTTP/1.0 knows no chunks.
        if wanted == OutFraming::Chunked && self.client.version == Version::Http10 {
            return OutFraming::Close;
        }
        wanted
    }

    fn head(&mut self, status: u16, reason: Option<&str>, headers: &Headers, framing: OutFraming) {
        self.framed = framing != OutFraming::Close;
        encode::status_line(self.out, Version::Http11, status, reason);
        let closes = !self.client.keep_alive && framing != OutFraming::Close;
        let also: &[(&str, &str)] = if closes { &[("Connection", "close")] } else { &[] };
        encode::fields(self.out, headers, framing, also);
    }

    async fn data(&mut self, data: &Bytes, framing: OutFraming) -> Option<()> {
        if data.is_empty() {
            return Some(());
        }
        if framing == OutFraming::Chunked {
            encode::chunk(self.out, data);
        } else if data.len() > JOIN {
            // Not worth a copy.
            self.write_out().await?;
            return self.write(data).await;
        } else {
            self.out.extend_from_slice(data);
        }
        if self.out.len() > JOIN {
            self.write_out().await?;
        }
        Some(())
    }

    async fn write_out(&mut self) -> Option<()> {
        let written = timeout(self.limits.body_idle, self.writer.write_all(self.out)).await;
        self.out.clear();
        matches!(written, Ok(Ok(()))).then_some(())
    }

    async fn write(&mut self, data: &Bytes) -> Option<()> {
        // Piece by piece, so that the deadline is one between bytes and not one for the whole body.
        for part in data.chunks(256 * 1024) {
            let written = timeout(self.limits.body_idle, self.writer.write_all(part)).await;
            matches!(written, Ok(Ok(()))).then_some(())?;
        }
        Some(())
    }

    async fn flush(&mut self) -> Option<()> {
        if !self.out.is_empty() {
            self.write_out().await?;
        }
        matches!(timeout(self.limits.body_idle, self.writer.flush()).await, Ok(Ok(()))).then_some(())
    }
}

/// Writes one answer and closes.
pub(crate) async fn answer_once(mut stream: BoxStream, reply: Reply, asked: Asked, limits: &Limits) {
    let written = write_reply(&mut stream, &mut BytesMut::new(), reply, asked.last(), limits).await;
    if matches!(written, Written::Whole | Written::Last) {
        let _ = timeout(limits.shutdown, stream.shutdown()).await;
    }
}

/// Writes the head that ends HTTP on a connection (101), hop-by-hop fields and all: they are about this very hop.
pub(crate) fn switching_head(out: &mut BytesMut, head: &ResponseHead) {
    encode::status_line(out, Version::Http11, head.status, head.reason.as_deref());
    encode::all_fields(out, &head.headers);
}

/// The next piece if it is there already; `None` if it must be waited for.
async fn poll_once(body: &mut Body) -> Option<Option<Result<Piece, crate::message::BodyError>>> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match body.poll_piece(context) {
            std::task::Poll::Ready(piece) => Some(piece),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
