//! Heads and framing written.

use std::fmt::Write as _;

use bytes::{BufMut as _, BytesMut};

use super::length::Length;
use crate::exchange::{Headers, Version};
use crate::hop;

/// How the body of the message being written ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutFraming {
    /// There is no body and nothing is said about its length.
    None,
    /// There is no body; the fields about its length stay as they are (HEAD, 304).
    Described,
    /// `Content-Length`.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// The end of the connection.
    Close,
}

impl From<Length> for OutFraming {
    fn from(length: Length) -> Self {
        match length {
            Length::None => Self::None,
            Length::Known(length) => Self::Length(length),
            Length::Chunked => Self::Chunked,
            Length::UntilClose => Self::Close,
        }
    }
}

/// Writes a status line.
pub(crate) fn status_line(out: &mut BytesMut, version: Version, status: u16, reason: Option<&str>) {
    out.put_slice(if version == Version::Http10 { b"HTTP/1.0 " } else { b"HTTP/1.1 " });
    let _ = write!(out, "{status} ");
    let reason = reason.or_else(|| http::StatusCode::from_u16(status).ok()?.canonical_reason());
    out.put_slice(reason.unwrap_or_default().as_bytes());
    out.put_slice(b"\r\n");
}

/// Writes a request line.
pub(crate) fn request_line(out: &mut BytesMut, method: &str, target: &str) {
    out.put_slice(method.as_bytes());
    out.put_u8(b' ');
    out.put_slice(target.as_bytes());
    out.put_slice(b" HTTP/1.1\r\n");
}

/// Writes the end-to-end fields in their order, with exactly one framing: at the place where the sender had it, or last.
/// `also` are fields of this hop. Ends with the empty line.
pub(crate) fn fields(out: &mut BytesMut, headers: &Headers, framing: OutFraming, also: &[(&str, &str)]) {
    let listed = hop::listed_in_connection(headers);
    let mut framed = false;
    for (name, value) in headers.iter() {
        if name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding") {
            if framing == OutFraming::Described {
                field(out, name, value);
            } else if !framed {
                framed = framing_field(out, framing, Some(name));
            }
        } else if !hop::is_hop_by_hop(name) && !listed.contains(name) {
            field(out, name, value);
        }
    }
    if !framed {
        framing_field(out, framing, None);
    }
    for (name, value) in also {
        field(out, name, value.as_bytes());
    }
    out.put_slice(b"\r\n");
}

/// Writes every field as it is, and the empty line.
pub(crate) fn all_fields(out: &mut BytesMut, headers: &Headers) {
    for (name, value) in headers.iter() {
        field(out, name, value);
    }
    out.put_slice(b"\r\n");
}

/// Writes one chunk.
pub(crate) fn chunk(out: &mut BytesMut, data: &[u8]) {
    let _ = write!(out, "{:x}\r\n", data.len());
    out.put_slice(data);
    out.put_slice(b"\r\n");
}

/// Writes the last chunk and the trailers.
pub(crate) fn last_chunk(out: &mut BytesMut, trailers: &Headers) {
    out.put_slice(b"0\r\n");
    for (name, value) in trailers.iter() {
        field(out, name, value);
    }
    out.put_slice(b"\r\n");
}

fn field(out: &mut BytesMut, name: &str, value: &[u8]) {
    // Nothing that would end the field or the head may get out, wherever the value came from (a hand-edited session).
    let clean = |bytes: &[u8]| !bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    if !clean(name.as_bytes()) || !clean(value) {
        return;
    }
    out.put_slice(name.as_bytes());
    out.put_slice(b": ");
    out.put_slice(value);
    out.put_slice(b"\r\n");
}

/// Whether a field was written, which is so only where its name is the one that stands at this place (or no place is given).
fn framing_field(out: &mut BytesMut, framing: OutFraming, at: Option<&str>) -> bool {
    let fits = |wanted: &str| at.is_none_or(|name| name.eq_ignore_ascii_case(wanted));
    match framing {
        OutFraming::Length(length) if fits("content-length") => {
            let _ = write!(out, "{}: {length}\r\n", at.unwrap_or("Content-Length"));
            true
        }
        OutFraming::Chunked if fits("transfer-encoding") => {
            let _ = write!(out, "{}: chunked\r\n", at.unwrap_or("Transfer-Encoding"));
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::{Headers, OutFraming, fields};

    fn written(pairs: &[(&str, &str)], framing: OutFraming) -> String {
        let headers: Headers = pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned().into())).collect();
        let mut out = BytesMut::new();
        fields(&mut out, &headers, framing, &[]);
        String::from_utf8(out.to_vec()).unwrap().replace("\r\n", "|")
    }

    #[test]
    fn h3_exactly_one_framing() {
        let both = [("A", "1"), ("content-LENGTH", "9"), ("Transfer-Encoding", "chunked"), ("B", "2")];
        assert_eq!(written(&both, OutFraming::Length(5)), "A: 1|content-LENGTH: 5|B: 2||");
        assert_eq!(written(&both, OutFraming::Chunked), "A: 1|Transfer-Encoding: chunked|B: 2||");
        assert_eq!(written(&both, OutFraming::Close), "A: 1|B: 2||");
        assert_eq!(written(&[("A", "1")], OutFraming::Length(0)), "A: 1|Content-Length: 0||");
        assert_eq!(written(&[("Content-Length", "9")], OutFraming::Described), "Content-Length: 9||");
    }

    #[test]
    fn hop_by_hop_fields_stay_on_their_hop() {
        let fields = [("Connection", "X-Hop, close"), ("X-Hop", "1"), ("Keep-Alive", "5"), ("X-End", "2")];
        assert_eq!(written(&fields, OutFraming::None), "X-End: 2||");
    }

    #[test]
    fn a_value_cannot_end_its_field() {
        assert_eq!(written(&[("A", "1\r\nEvil: 1"), ("B", "2")], OutFraming::None), "B: 2||");
    }
}
