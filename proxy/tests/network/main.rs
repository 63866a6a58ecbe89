//! The proxy over real sockets and real TLS: raw clients and raw upstreams, so that every byte is seen.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod bodies;
mod captured;
mod headers;
mod modes;
mod operations;
mod protocols;
mod record;
mod reverse;
mod scenarios;
mod socks;
mod support;
mod tls;
mod unread;
mod verify;
mod ways_in;
