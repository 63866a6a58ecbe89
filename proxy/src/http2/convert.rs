//! Heads to and from hyper's.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::exchange::{Framing, Headers};
use crate::hop;

/// Fields in the order of the map: names in the order of their first appearance.
pub(crate) fn headers(map: &HeaderMap) -> Headers {
    map.iter()
        .map(|(name, value)| (name.as_str().to_owned(), bytes::Bytes::copy_from_slice(value.as_bytes())))
        .collect()
}

/// All fields, names in lower case. What cannot stand in HTTP/2 is left out.
pub(super) fn header_map(headers: &Headers) -> HeaderMap {
    collect(headers, |_| true)
}

/// End-to-end fields; `content-length` only where the message was delimited by one.
pub(super) fn end_to_end(headers: &Headers, framing: Framing, described: bool) -> HeaderMap {
    let listed = hop::listed_in_connection(headers);
    let keeps_length = described || framing == Framing::ContentLength;
    collect(headers, |name| {
        let length = name.eq_ignore_ascii_case("content-length");
        !hop::is_hop_by_hop(name) && !listed.contains(name) && (!length || keeps_length)
    })
}

fn collect(headers: &Headers, keep: impl Fn(&str) -> bool) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| keep(name)) {
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_maybe_shared(value.clone()))
        {
            map.append(name, value);
        }
    }
    map
}
