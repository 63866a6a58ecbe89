//! A recorded outcome made ready to be sent.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::replay::Timing;
use crate::exchange::{FailureKind, Framing, Headers, Incomplete};

/// A recorded outcome, ready to be sent.
#[derive(Debug)]
pub enum Stored {
    /// An answer.
    Response(StoredResponse),
    /// No answer, for this reason.
    Failure(FailureKind),
}

/// A recorded answer, ready to be sent.
#[derive(Debug)]
pub struct StoredResponse {
    /// Status code.
    pub status: u16,
    /// Reason phrase; `None` when recorded over HTTP/2.
    pub reason: Option<String>,
    /// End-to-end fields in recorded order and case. `Content-Length` is among them where the recorded answer had one, with the
    /// length of the body that is sent (with the announced one where the body is incomplete, or there is none by the kind of
    /// message); `Transfer-Encoding` is where the recorded answer was chunked and says only in which place; `Connection` never is.
    pub headers: Headers,
    /// How the body was delimited.
    pub framing: Framing,
    /// The bytes to send, `Content-Encoding` applied.
    pub body: StoredBody,
    /// Trailers in order.
    pub trailers: Headers,
    /// Where the recorded body stopped short: send the body, then break off.
    pub incomplete: Option<Incomplete>,
    /// The fields as HTTP/2 sends them, made at the first such answer.
    pub(crate) h2_fields: OnceLock<Box<http::HeaderMap>>,
}

/// The bytes to send.
#[derive(Clone, Debug)]
pub enum StoredBody {
    /// None.
    Empty,
    /// Held.
    Memory(Bytes),
    /// The pieces of a stream, each sent by itself.
    Pieces {
        /// Milliseconds after the head, and the bytes.
        pieces: Arc<[(u64, Bytes)]>,
        /// When they are sent.
        timing: Timing,
    },
    /// In a side file, checked at load; streamed.
    File {
        /// Where.
        path: PathBuf,
        /// Bytes to send.
        length: u64,
    },
}

impl StoredBody {
    /// Bytes to send.
    pub fn length(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Pieces { pieces, .. } => pieces.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
            Self::File { length, .. } => *length,
        }
    }
}
