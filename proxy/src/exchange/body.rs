//! A body that was captured while it streamed by.

use std::path::PathBuf;

use bytes::Bytes;

/// The bytes of a body after it went by.
#[derive(Debug)]
pub enum Captured {
    /// No bytes.
    Empty,
    /// Small enough to hold.
    Memory(Bytes),
    /// Written, already redacted, to a file while it streamed.
    Spooled {
        /// The file; whoever stores the exchange moves it, whoever drops it deletes it.
        path: PathBuf,
        /// Bytes on the wire.
        wire_length: u64,
        /// SHA-256 of the bytes in the file.
        sha256: [u8; 32],
    },
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
