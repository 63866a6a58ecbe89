//! How a body is delimited (RFC 9112 section 6.3).

use super::HeadError;
use super::head::{RequestLine, StatusLine};
use crate::exchange::{Framing, Headers, Version};

/// How a body on the wire ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// There is no body.
    None,
    /// After so many bytes.
    Known(u64),
    /// With the last chunk.
    Chunked,
    /// With the connection.
    UntilClose,
}

impl Length {
    /// The fact that recordings keep.
    pub(crate) const fn framing(self) -> Framing {
        match self {
            Self::None => Framing::None,
            Self::Known(_) => Framing::ContentLength,
            Self::Chunked => Framing::Chunked,
            Self::UntilClose => Framing::Close,
        }
    }

    pub(crate) fn of_request(line: &RequestLine) -> Result<Self, HeadError> {
        if line.headers.contains("transfer-encoding") {
            // A length next to a coding is how requests are smuggled past a proxy.
            let smuggling = line.headers.contains("content-length") || line.version == Version::Http10;
            return if smuggling || !ends_chunked(&line.headers) {
                Err(HeadError::Malformed)
            } else {
                Ok(Self::Chunked)
            };
        }
        Ok(match content_length(&line.headers)? {
            None => Self::None,
            Some(0) => Self::Known(0),
            Some(length) => Self::Known(length),
        })
    }

    pub(crate) fn of_response(line: &StatusLine, method: &str) -> Result<Self, HeadError> {
        if method == "HEAD" || line.status < 200 || matches!(line.status, 204 | 304) {
            return Ok(Self::None);
        }
        if line.headers.contains("transfer-encoding") {
            return Ok(if ends_chunked(&line.headers) { Self::Chunked } else { Self::UntilClose });
        }
        Ok(content_length(&line.headers)?.map_or(Self::UntilClose, Self::Known))
    }
}

fn ends_chunked(headers: &Headers) -> bool {
    headers
        .get_all("transfer-encoding")
        .last()
        .and_then(|value| value.rsplit(',').next())
        .is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
}

/// One length, however often it is said; two that differ are an error (RFC 9112 section 6.3 rule 5).
fn content_length(headers: &Headers) -> Result<Option<u64>, HeadError> {
    if !headers.contains("content-length") {
        return Ok(None);
    }
    let mut found = None;
    for part in headers.get_all("content-length").flat_map(|value| value.split(',')) {
        let part = part.trim();
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(HeadError::Malformed);
        }
        let length: u64 = part.parse().map_err(|_| HeadError::Malformed)?;
        if found.is_some_and(|other| other != length) {
            return Err(HeadError::Malformed);
        }
        found = Some(length);
    }
    found.map(Some).ok_or(HeadError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::{Headers, Length, RequestLine, StatusLine, Version};

    fn fields(pairs: &[(&str, &str)]) -> Headers {
        pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned().into())).collect()
    }

    fn request(pairs: &[(&str, &str)]) -> Option<Length> {
        Length::of_request(&RequestLine {
            method: "POST".into(),
            target: "/".into(),
            version: Version::Http11,
            headers: fields(pairs),
        })
        .ok()
    }

    fn response(status: u16, method: &str, pairs: &[(&str, &str)]) -> Option<Length> {
        let line =
            StatusLine { version: Version::Http11, status, reason: String::new(), headers: fields(pairs) };
        Length::of_response(&line, method).ok()
    }

    #[test]
    fn requests() {
        assert_eq!(request(&[]), Some(Length::None));
        assert_eq!(request(&[("Content-Length", "5")]), Some(Length::Known(5)));
        assert_eq!(request(&[("Content-Length", "5, 5")]), Some(Length::Known(5)));
        assert_eq!(request(&[("Transfer-Encoding", "gzip, Chunked")]), Some(Length::Chunked));
        for bad in [
            &[("Content-Length", "5"), ("Transfer-Encoding", "chunked")][..],
            &[("Content-Length", "5"), ("content-length", "6")],
            &[("Content-Length", "+5")],
            &[("Content-Length", "")],
            &[("Transfer-Encoding", "chunked, gzip")],
        ] {
            assert_eq!(request(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn responses() {
        assert_eq!(response(200, "HEAD", &[("content-length", "9")]), Some(Length::None));
        assert_eq!(response(304, "GET", &[("content-length", "9")]), Some(Length::None));
        assert_eq!(response(200, "GET", &[]), Some(Length::UntilClose));
        assert_eq!(response(200, "GET", &[("transfer-encoding", "gzip")]), Some(Length::UntilClose));
        assert_eq!(response(200, "GET", &[("transfer-encoding", "chunked")]), Some(Length::Chunked));
        assert_eq!(response(200, "GET", &[("content-length", "x")]), None);
    }
}
