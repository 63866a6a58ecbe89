//! Deadlines by phase, and sizes.

use std::time::Duration;

/// How long each phase of an exchange may take, and how large its parts may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `detect`: from the first wait on a connection until its protocol is known.
    pub detect: Duration,
    /// `detect`: how long a client may stay silent before its destination is dialled, to see whether the server speaks first.
    pub server_first: Duration,
    /// `decrypt`: the TLS handshake with a client.
    pub tls_handshake: Duration,
    /// `read_request`: from the first byte of a head until the head is whole.
    pub header_read: Duration,
    /// Between two requests of one connection.
    pub keep_alive: Duration,
    /// `resolve` and `forward`: name look-up, TCP connect and TLS handshake with the upstream, each.
    pub connect: Duration,
    /// `read_response`: from the request until the head of the answer.
    pub first_byte: Duration,
    /// Within a body in either direction: without a single byte.
    pub body_idle: Duration,
    /// `close`: from the signal until what is still in flight is cut off.
    pub shutdown: Duration,
    /// Bytes of a message head or of trailers, names and values together.
    pub header_bytes: usize,
    /// Connections served at once; beyond it new ones wait in the kernel's queue.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            detect: Duration::from_secs(10),
            server_first: Duration::from_millis(300),
            tls_handshake: Duration::from_secs(10),
            header_read: Duration::from_secs(30),
            keep_alive: Duration::from_mins(5),
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(1),
            // A quiet event stream is no fault; servers send a comment at least every few minutes.
            body_idle: Duration::from_mins(5),
            shutdown: Duration::from_millis(700),
            header_bytes: 64 * 1024,
            connections: 4096,
        }
    }
}
