//! The loaded session.
use super::SessionError;
use crate::exchange::{FailureKind, Framing, Headers, Incomplete, RequestHead};
use crate::matching::{Miss, Repeat};
use crate::report::{Counts, SessionReport};
use bytes::Bytes;
use mcpeak_core::redact::Redactor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a session is replayed.
#[derive(Clone, Debug, Default)]
pub struct ReplayOptions {
    /// When all recordings of a key are used.
    pub repeat: Repeat,
    /// Request headers that take part in matching, beside `range` and `soapaction`.
    pub match_headers: Vec<String>,
    /// The command that records the session again, named in hints.
    pub record_command: Option<String>,
}

/// A session that answers requests; a handle that is cheap to clone.
#[derive(Clone, Debug)]
pub struct Replay {}

impl Replay {
    /// Loads and checks a file.
    pub fn load(_path: &Path, _redactor: Redactor, _options: ReplayOptions) -> Result<Self, SessionError> {
        todo!()
    }
    /// Reads a request's body for matching.
    pub fn request_sink(&self, _head: &RequestHead) -> KeySink {
        todo!()
    }
    /// The recording that answers, taken once.
    pub fn take(&self, _head: &RequestHead, _body: &RequestBody) -> Take {
        todo!()
    }
    /// What was replayed so far.
    pub fn report(&self, _counts: &Counts) -> SessionReport {
        todo!()
    }
}

/// A request's body on its way into a key.
#[derive(Debug)]
pub struct KeySink {}

impl KeySink {
    /// Takes a chunk; never waits.
    pub fn push(&mut self, _chunk: &Bytes) {
        todo!()
    }
    /// The whole body.
    pub fn finish(self) -> RequestBody {
        todo!()
    }
}

/// A request's body as far as matching needs it.
#[derive(Clone, Debug)]
pub enum RequestBody {
    /// No bytes.
    Empty,
    /// The wire bytes.
    Memory(Bytes),
    /// Too large to hold: SHA-256 of the decoded, redacted bytes.
    Streamed {
        /// The hash.
        sha256: [u8; 32],
    },
}

/// The answer to a request.
#[derive(Debug)]
pub enum Take {
    /// A recording.
    Hit(Arc<Stored>),
    /// None.
    Miss(Miss),
}

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
    /// End-to-end fields in recorded order and case. `Content-Length` is among them, with the length of the body that is
    /// sent, where the recorded answer had one; `Transfer-Encoding` and `Connection` never are.
    pub headers: Headers,
    /// How the body was delimited.
    pub framing: Framing,
    /// The bytes to send, `Content-Encoding` applied.
    pub body: StoredBody,
    /// Trailers in order.
    pub trailers: Headers,
    /// Where the recorded body stopped short: send the body, then break off.
    pub incomplete: Option<Incomplete>,
}

/// The bytes to send.
#[derive(Clone, Debug)]
pub enum StoredBody {
    /// None.
    Empty,
    /// Held.
    Memory(Bytes),
    /// In a side file, checked at load; streamed.
    File {
        /// Where.
        path: PathBuf,
        /// Bytes to send.
        length: u64,
    },
}
