//! The wire: lossless JSON-RPC in both eras.
//!
//! | module | what it holds |
//! |---|---|
//! | `framing` | newline-delimited messages out of a byte stream |
//! | `judge` | which replies are answers, and which break the protocol |
//! | `message` | a message: raw bytes next to the parsed value |
//! | `sse` | events out of an event stream |
//! | `tolerance` | what is let pass and what ends a request or the connection |
//! | `transcript` | the last bytes in both directions |
//! | `version` | what each protocol version has |
//! | `violation` | a broken rule, described |

mod framing;
pub(crate) mod judge;
mod message;
mod sse;
mod tolerance;
mod transcript;
pub(crate) mod version;
mod violation;

pub use framing::{Line, LineFramer};
pub use judge::{Reply, RpcError, judge_reply};
pub use message::{Kind, Message, Noise, NotAMessage};
pub use sse::{Event, SseOverflow, SseParser};
pub use tolerance::{Oddity, Verdict};
pub use transcript::{Direction, Entry, Transcript};
pub use version::{Cancellation, Era, LATEST_LEGACY, LATEST_MODERN, VERSIONS, Version, find_version};
pub use violation::{ABSENT, Rule, Violation, excerpt};

/// Largest message read from a server, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 10 * 1024 * 1024;
