//! An exchange: one request to the outside and what became of it, as plain data.
//!
//! The network side produces these types, the session side stores and matches them; neither knows the other's insides.

mod body;
mod headers;
mod origin;

pub use body::{Captured, EncodedFile, Incomplete, IncompleteCause, Mark, SpoolFile, Spooled};
pub use headers::Headers;
pub use origin::{Origin, Scheme};

/// HTTP version of one leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    H2,
}

/// The head of a request, as the client sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// Method, case kept.
    pub method: String,
    /// Where it goes: the canonical origin, whatever the ingress.
    pub origin: Origin,
    /// Raw path, beginning with `/` (or `*`).
    pub path: String,
    /// Raw query without the `?`.
    pub query: Option<String>,
    /// Version of the client's leg.
    pub version: Version,
    /// All headers in order, hop-by-hop ones included.
    pub headers: Headers,
}

impl RequestHead {
    /// `scheme://host[:port]/path[?query]`, default ports left out.
    pub fn url(&self) -> String {
        match &self.query {
            Some(query) => format!("{}{}?{query}", self.origin, self.path),
            None => format!("{}{}", self.origin, self.path),
        }
    }
}

/// How a message body was delimited (RFC 9112 section 6, RFC 9113 section 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The message has no body by its kind (HEAD, 204, 304) or an HTTP/2 END_STREAM on the head.
    None,
    /// `Content-Length`.
    ContentLength,
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// Until the connection closed.
    Close,
    /// HTTP/2 data frames without `content-length`.
    H2,
}

/// The head of a response, as the upstream sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// Status code.
    pub status: u16,
    /// Reason phrase; `None` on HTTP/2.
    pub reason: Option<String>,
    /// Version of the upstream's leg.
    pub version: Version,
    /// All headers in order, framing headers included.
    pub headers: Headers,
    /// How the body was delimited.
    pub framing: Framing,
}

/// What became of a request that went upstream.
#[derive(Debug)]
pub enum Outcome {
    /// An answer.
    Response {
        /// Its head.
        head: ResponseHead,
        /// Its body as it was on the wire: chunking undone, `Content-Encoding` kept.
        body: Captured,
        /// Trailers, in order.
        trailers: Headers,
        /// Set where the body ended before it was whole.
        incomplete: Option<Incomplete>,
    },
    /// No answer.
    Failure(FailureKind),
}

/// Why there was no answer. These are facts about the network, recorded and replayed as such;
/// mistakes of the proxy itself are never outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The name has no address.
    Dns,
    /// Nobody listens.
    Refused,
    /// No TLS session with the upstream.
    Tls,
    /// Nothing came in time.
    Timeout,
    /// The connection ended before the head of an answer was whole.
    Reset,
}
