//! The proxy: records what a server calls on the outside, and replays it without a network.
//!
//! | module | what it holds |
//! |---|---|
//! | [`exchange`] | one request and what became of it, as plain data |
//! | `json` | JSON read exactly |
//! | [`matching`] | which recorded exchange answers a request, and why none does |
//! | [`redact`] | secrets of an HTTP message replaced by pseudonyms, and put back |
//! | [`report`] | what a session did, for people and machines |
//! | [`session`] | recordings: the journal, the file, the store in memory |
//! | [`text`] | sentences for people, one implementation per language |

pub mod exchange;
mod json;
pub mod matching;
pub mod redact;
pub mod report;
pub mod session;
pub mod text;
