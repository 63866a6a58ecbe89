//! HTTP/1 on the wire (RFC 9112), for both legs.
//!
//! Own code, because a recorder must see and repeat what libraries fold away: the case of each field name, the order of
//! fields even where names repeat, the reason phrase, and which framing was used.
//!
//! | module | what it does |
//! |---|---|
//! | `head` | reads heads |
//! | `length` | how a body is delimited |
//! | `decode` | undoes framing |
//! | `transfer` | undoes transfer codings |
//! | `encode` | writes heads and framing |
//! | `server` | the client's leg |
//! | `write` | answers on the client's leg |
//! | `client` | the upstream's leg |

mod client;
mod decode;
mod encode;
mod head;
mod length;
mod server;
mod transfer;
mod write;

pub(crate) use client::OutHead;
pub(crate) use client::{Connection, SendError, Sent};
pub(crate) use head::{HeadError, HeadReader, RequestLine};
pub(crate) use server::{End, Served, serve};
pub(crate) use write::{Asked, answer_once, switching_head};

/// Bytes asked for in one read.
const READ_CHUNK: usize = 16 * 1024;
