//! Requests as they leave.

use crate::exchange::{Headers, Origin, RequestHead};
use crate::hop;
use crate::route::{is_h2, origin_form};

/// The head of a request on its way to an upstream, in the fields of HTTP/1.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: &'a str,
    pub(crate) origin: &'a Origin,
    /// Path and query.
    pub(crate) target: String,
    /// End-to-end and framing fields as the client sent them, with `Host`.
    pub(crate) headers: Headers,
    /// What the client announced.
    pub(crate) length: Option<u64>,
    /// Whether the client takes trailers (`TE: trailers`): the one use of TE that HTTP/2 has, and gRPC insists on it.
    pub(crate) trailers: bool,
    /// The protocol that the client wants to change to.
    pub(crate) upgrade: Option<String>,
}

impl<'a> Outgoing<'a> {
    /// The client's own request.
    pub(crate) fn as_asked(head: &'a RequestHead) -> Self {
        Self::build(head, |_| false)
    }

    /// The client's request for the whole of a thing, whatever the client holds already.
    pub(crate) fn unconditional(head: &'a RequestHead) -> Self {
        Self::build(head, hop::is_conditional)
    }

    /// The client's request to change the protocol.
    pub(crate) fn upgrading(head: &'a RequestHead) -> Self {
        let upgrade = head.headers.get("upgrade").map(str::to_owned);
        Self { upgrade, ..Self::as_asked(head) }
    }

    fn build(head: &'a RequestHead, drop: impl Fn(&str) -> bool) -> Self {
        let mut headers = Headers::new();
        if !head.headers.contains("host") {
            headers.push(if is_h2(head.version) { "host" } else { "Host" }, head.origin.authority());
        }
        let mut cookies: Vec<u8> = Vec::new();
        for (name, value) in head.headers.iter() {
            // HTTP/2 may split cookies into crumbs; HTTP/1 has them in one field (RFC 9113 section 8.2.3).
            if is_h2(head.version) && name == "cookie" {
                if !cookies.is_empty() {
                    cookies.extend_from_slice(b"; ");
                }
                cookies.extend_from_slice(value);
            } else if !drop(name) && !name.eq_ignore_ascii_case("expect") {
                // `Expect` is met on the client's leg.
                headers.push(name, value.clone());
            }
        }
        if !cookies.is_empty() {
            headers.push("cookie", cookies);
        }
        let trailers = head.headers.get_all("te").any(|te| te.to_ascii_lowercase().contains("trailers"));
        let length = head.headers.get("content-length").and_then(|value| value.trim().parse().ok());
        Self {
            method: &head.method,
            origin: &head.origin,
            target: origin_form(head),
            headers,
            length,
            trailers,
            upgrade: None,
        }
    }
}
