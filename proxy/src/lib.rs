//! The proxy: records what a server calls on the outside, and replays it without a network.
//!
//! | module | what it holds |
//! |---|---|
//! | [`authority`] | the CA and the leaves that clients see |
//! | [`engine`] | what becomes of a request: replay, record, pass |
//! | [`error`] | why a proxy cannot start or finish |
//! | [`exchange`] | one request and what became of it, as plain data |
//! | [`matching`] | which recorded exchange answers a request, and why none does |
//! | [`redact`] | secrets of an HTTP message replaced by pseudonyms, and put back |
//! | [`report`] | what a session did, for people and machines |
//! | [`session`] | recordings: the journal, the file, the store in memory |
//! | [`settings`] | what a proxy is told before it starts |
//! | [`text`] | sentences for people, one implementation per language |

pub mod authority;
pub mod engine;
pub mod error;
pub mod exchange;
pub mod matching;
pub mod redact;
pub mod report;
pub mod session;
pub mod settings;
pub mod text;
