//! A body that was captured while it streamed by.

use std::io;
use std::path::PathBuf;

use bytes::Bytes;
use tokio::sync::oneshot;

/// The bytes of a body after it went by.
#[derive(Debug)]
pub enum Captured {
    /// No bytes.
    Empty,
    /// Small enough to hold: the wire bytes, chunking undone, `Content-Encoding` kept.
    Memory(Bytes),
    /// The same, and where and when its pieces came.
    Pieces(Bytes, Vec<Mark>),
    /// Written, already redacted, to a file while it streamed.
    Spooled(Spooled),
}

/// Where a piece of a stream begins, and when it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Bytes before it.
    pub offset: u64,
    /// Milliseconds after the head of the answer.
    pub at: u64,
}

impl Captured {
    /// Bytes that went by on the wire.
    pub fn wire_length(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Memory(bytes) | Self::Pieces(bytes, _) => bytes.len() as u64,
            Self::Spooled(spooled) => spooled.wire_length,
        }
    }
}

/// A body that outgrew the memory; its file may still be being written.
#[derive(Debug)]
pub struct Spooled {
    /// Bytes that went by on the wire.
    pub wire_length: u64,
    /// Resolves when the file is whole. A file whose handle is dropped is removed when its session is finished.
    pub file: oneshot::Receiver<io::Result<SpoolFile>>,
}

/// A finished spool file.
#[derive(Debug)]
pub struct SpoolFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its length in bytes.
    pub length: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Whether a secret was replaced in it.
    pub redacted: bool,
    /// Whether a `Content-Encoding` was undone on the way, for good.
    pub decoded: bool,
    /// The encoded bytes, where nothing was replaced in the decoded ones.
    pub encoded: Option<EncodedFile>,
}

/// The encoded bytes of a spooled body.
#[derive(Debug)]
pub struct EncodedFile {
    /// Its codings, as `Content-Encoding` names them.
    pub encoding: String,
    /// Where the bytes are.
    pub path: PathBuf,
    /// Their number.
    pub length: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// Where a body stopped short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// Body bytes that had arrived.
    pub after_bytes: u64,
    /// Whose end it was.
    pub cause: IncompleteCause,
}

/// Whose end it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncompleteCause {
    /// The upstream closed or reset.
    Upstream,
    /// The client went away.
    Client,
    /// Nothing came in time.
    Timeout,
}
