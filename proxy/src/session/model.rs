//! The exchanges of a session file as typed values.

use bytes::Bytes;

use crate::exchange::{FailureKind, Framing, Headers, Incomplete, Origin, Scheme};
pub use crate::json::Layout;

/// A session file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Rules that take volatile parts out of matching, as written.
    pub rules: Vec<String>,
    /// Exchanges in canonical order.
    pub exchanges: Vec<Exchange>,
    /// What is volatile.
    pub meta: Meta,
}

/// Facts that are not part of the traffic. They change only when the traffic does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Name and version of the tool that recorded.
    pub tool: Option<String>,
    /// When, in UTC (RFC 3339).
    pub recorded_at: Option<String>,
}

/// One request and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// `<key>#<occurrence>`: unique in a file, so that a careless merge is noticed.
    pub id: Option<String>,
    /// The request, redacted.
    pub request: Request,
    /// What became of it.
    pub answer: Answer,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Method, case kept.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// The stored fields: an allow-list.
    pub headers: Headers,
    /// The body.
    pub body: Option<Body>,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A response.
    Response(Response),
    /// None, for this reason.
    Failure(FailureKind),
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Reason phrase; `None` over HTTP/2.
    pub reason: Option<String>,
    /// End-to-end fields in order.
    pub headers: Headers,
    /// How the body was delimited.
    pub framing: Framing,
    /// The body.
    pub body: Option<Body>,
    /// Trailers.
    pub trailers: Headers,
    /// Where the body stopped short.
    pub incomplete: Option<Incomplete>,
}

/// A stored body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The content: `Content-Encoding` undone, secrets replaced.
    pub form: Form,
    /// SHA-256 in hex of the bytes that are replayed when nobody edited the file.
    pub sha256: Option<String>,
    /// The `Content-Encoding` that was undone.
    pub encoding: Option<String>,
    /// The encoded bytes, which an unedited body is replayed with.
    pub wire: Option<Wire>,
    /// Too large to be held while it was captured: matched by the hash of its bytes, whatever its type.
    pub streamed: bool,
}

/// A body's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON whose exact bytes the layout gives back.
    Json {
        /// The document without white space, tokens as they were written.
        compact: String,
        /// Its white space.
        layout: Layout,
        /// Whether a line feed follows.
        newline: bool,
    },
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Its charset when that is not UTF-8.
        charset: Option<String>,
    },
    /// Any bytes.
    Base64(Bytes),
    /// Bytes in a side file, named relative to the session file's folder.
    File(String),
    /// Chunks of a stream with the time of each.
    Events(Vec<Event>),
}

/// One chunk of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Milliseconds after the response head.
    pub at: u64,
    /// Its text.
    pub data: String,
}

/// Encoded bytes of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wire {
    /// In the file.
    Inline(Bytes),
    /// In a side file.
    File(String),
}

/// Splits an absolute URL as [`crate::exchange::RequestHead::url`] writes it.
pub(crate) fn split_url(url: &str) -> Option<(Origin, &str, Option<&str>)> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        _ => return None,
    };
    let (authority, target) = rest.split_at(rest.find(['/', '?', '*']).unwrap_or(rest.len()));
    let authority = authority.rsplit_once('@').map_or(authority, |(_, authority)| authority);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port.parse().ok()?)),
        _ => (authority, None),
    };
    if host.is_empty() {
        return None;
    }
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    Some((Origin::new(scheme, host, port), if path.is_empty() { "/" } else { path }, query))
}

/// Names of enum values in the file.
pub(crate) mod names {
    use crate::exchange::{FailureKind, Framing, IncompleteCause};

    pub(crate) const FRAMINGS: [(&str, Framing); 5] = [
        ("none", Framing::None),
        ("content-length", Framing::ContentLength),
        ("chunked", Framing::Chunked),
        ("close", Framing::Close),
        ("h2", Framing::H2),
    ];

    pub(crate) const FAILURES: [(&str, FailureKind); 5] = [
        ("dns", FailureKind::Dns),
        ("refused", FailureKind::Refused),
        ("tls", FailureKind::Tls),
        ("timeout", FailureKind::Timeout),
        ("reset", FailureKind::Reset),
    ];

    pub(crate) const CAUSES: [(&str, IncompleteCause); 3] = [
        ("upstream", IncompleteCause::Upstream),
        ("client", IncompleteCause::Client),
        ("timeout", IncompleteCause::Timeout),
    ];

    /// The name of a value; every value is in its table.
    pub(crate) fn of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
        table.iter().find(|(_, entry)| entry == value).map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::split_url;

    #[test]
    fn splits_what_a_head_writes() {
        let (origin, path, query) = split_url("https://[::1]:8443/a/b?x=1?y").unwrap();
        assert_eq!((origin.to_string().as_str(), path, query), ("https://[::1]:8443", "/a/b", Some("x=1?y")));
        let (origin, path, query) = split_url("http://h").unwrap();
        assert_eq!((origin.to_string().as_str(), path, query), ("http://h", "/", None));
        let (origin, path, _) = split_url("http://h*").unwrap();
        assert_eq!((origin.to_string().as_str(), path), ("http://h", "*"));
        assert!(
            split_url("ftp://h/").is_none()
                && split_url("h/x").is_none()
                && split_url("http://h:x/").is_none()
        );
    }
}
