//! HTTP Archive 1.2, with the extensions that browsers write: `_webSocketMessages`, `_eventSourceMessages`.
//!
//! What our own files say beyond the format is in `_mcpeak` members, so that a session that is exported and imported is the same.

mod read;
mod write;

pub(crate) use read::read;
pub use write::export;
