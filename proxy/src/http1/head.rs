//! Reading of heads.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::READ_CHUNK;
use crate::exchange::{Headers, Version};

/// Fields that are parsed without a heap allocation for the table.
const USUAL_FIELDS: usize = 64;
/// Fields that are parsed at all.
const MOST_FIELDS: usize = 1024;

/// A buffer from which heads and body bytes are taken in turn.
#[derive(Debug, Default)]
pub(crate) struct HeadReader {
    pub(crate) buffer: BytesMut,
    /// Bytes already searched for the end of a head.
    searched: usize,
}

/// The head of a request as it stands on the wire.
pub(crate) struct RequestLine {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) version: Version,
    pub(crate) headers: Headers,
}

/// The head of a response as it stands on the wire.
pub(crate) struct StatusLine {
    pub(crate) version: Version,
    pub(crate) status: u16,
    pub(crate) reason: String,
    pub(crate) headers: Headers,
}

/// Why no head could be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeadError {
    /// The connection ended before the first byte: the ordinary end.
    #[error("the connection ended")]
    Closed,
    /// The connection ended within a head.
    #[error("the connection ended within a head")]
    Cut,
    /// The head is larger than the limit.
    #[error("the head is larger than {0} bytes")]
    TooLarge(usize),
    /// It is not HTTP.
    #[error("the head is not HTTP/1")]
    Malformed,
    /// The head is fine, but the chunks of the body are not.
    #[error("the chunked framing of the body is damaged")]
    Chunks,
    /// The operating system or TLS reported an error.
    #[error("the connection broke")]
    Io(#[source] std::io::Error),
}

impl HeadReader {
    /// Begins with bytes that were read before.
    pub(crate) fn with(buffer: BytesMut) -> Self {
        Self { buffer, searched: 0 }
    }

    /// Reads until a whole head is in the buffer. Cancel-safe: what was read stays.
    pub(crate) async fn fill(
        &mut self,
        stream: &mut (impl AsyncRead + Unpin),
        limit: usize,
    ) -> Result<(), HeadError> {
        loop {
            if self.has_head() {
                return Ok(());
            }
            if self.buffer.len() > limit {
                return Err(HeadError::TooLarge(limit));
            }
            self.buffer.reserve(READ_CHUNK);
            match stream.read_buf(&mut self.buffer).await {
                Ok(0) if self.buffer.is_empty() => return Err(HeadError::Closed),
                Ok(0) => return Err(HeadError::Cut),
                Ok(_) => {}
                Err(error) => return Err(HeadError::Io(error)),
            }
        }
    }

    /// Takes the head of a request out of the buffer; `fill` first.
    pub(crate) fn take_request(&mut self, limit: usize) -> Result<RequestLine, HeadError> {
        self.take(limit, |text, fields| {
            let mut parsed = httparse::Request::new(fields);
            let httparse::Status::Complete(length) = parsed.parse(text)? else {
                return Ok(None);
            };
            let line = RequestLine {
                method: parsed.method.unwrap_or_default().to_owned(),
                target: parsed.path.unwrap_or_default().to_owned(),
                version: version(parsed.version),
                headers: Headers::new(),
            };
            Ok(Some((length, line, ranges(text, parsed.headers))))
        })
        .and_then(|(mut line, headers)| {
            // Two say two places to go, and the next hop may take the other one (RFC 9112 section 3.2).
            if headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("host")).count() > 1 {
                return Err(HeadError::Malformed);
            }
            line.headers = headers;
            Ok(line)
        })
    }

    /// Takes the head of a response out of the buffer; `fill` first.
    pub(crate) fn take_response(&mut self, limit: usize) -> Result<StatusLine, HeadError> {
        self.take(limit, |text, fields| {
            let mut parsed = httparse::Response::new(fields);
            let mut config = httparse::ParserConfig::default();
            config.allow_spaces_after_header_name_in_responses(true);
            config.allow_obsolete_multiline_headers_in_responses(true);
            let httparse::Status::Complete(length) = config.parse_response(&mut parsed, text)? else {
                return Ok(None);
            };
            let line = StatusLine {
                version: version(parsed.version),
                status: parsed.code.unwrap_or_default(),
                reason: parsed.reason.unwrap_or_default().to_owned(),
                headers: Headers::new(),
            };
            Ok(Some((length, line, ranges(text, parsed.headers))))
        })
        .and_then(|(mut line, headers)| {
            // Below there is no class of status (RFC 9110 section 15), and so no telling whether more is to come.
            if line.status < 100 {
                return Err(HeadError::Malformed);
            }
            line.headers = headers;
            Ok(line)
        })
    }

    fn has_head(&mut self) -> bool {
        // Empty lines before a request line are no head (RFC 9112 section 2.2).
        let leading = self.buffer.iter().take_while(|&&byte| matches!(byte, b'\r' | b'\n')).count();
        if leading > 0 && self.searched == 0 {
            let _ = self.buffer.split_to(leading);
        }
        let from = self.searched.saturating_sub(3);
        self.searched = self.buffer.len();
        let mut rest = &self.buffer[from..];
        while let Some(at) = rest.iter().position(|&byte| byte == b'\n') {
            rest = &rest[at + 1..];
            if rest.first() == Some(&b'\n') || rest.starts_with(b"\r\n") {
                return true;
            }
        }
        false
    }

    fn take<T>(&mut self, limit: usize, parse: Parse<T>) -> Result<(T, Headers), HeadError> {
        let mut few = [httparse::EMPTY_HEADER; USUAL_FIELDS];
        let parsed = match parse(&self.buffer, &mut few) {
            Err(httparse::Error::TooManyHeaders) => {
                let mut many = vec![httparse::EMPTY_HEADER; MOST_FIELDS];
                parse(&self.buffer, &mut many)
            }
            parsed => parsed,
        };
        self.searched = 0;
        match parsed {
            Ok(Some((length, _, _))) if length > limit => Err(HeadError::TooLarge(limit)),
            Ok(Some((length, line, ranges))) => {
                let head = self.buffer.split_to(length).freeze();
                Ok((line, headers(&head, ranges)))
            }
            Ok(None) | Err(_) => Err(HeadError::Malformed),
        }
    }
}

type Parse<T> =
    for<'b> fn(
        &'b [u8],
        &mut [httparse::Header<'b>],
    ) -> Result<Option<(usize, T, Vec<(String, std::ops::Range<usize>)>)>, httparse::Error>;

const fn version(minor: Option<u8>) -> Version {
    match minor {
        Some(0) => Version::Http10,
        _ => Version::Http11,
    }
}

/// Names, and where in `text` the values stand, so that values can share the buffer of the head.
fn ranges(text: &[u8], fields: &[httparse::Header<'_>]) -> Vec<(String, std::ops::Range<usize>)> {
    let base = text.as_ptr().addr();
    fields
        .iter()
        .map(|field| {
            let start = field.value.as_ptr().addr().saturating_sub(base);
            let range = if field.value.is_empty() { 0..0 } else { start..start + field.value.len() };
            (field.name.to_owned(), range)
        })
        .collect()
}

fn headers(head: &Bytes, ranges: Vec<(String, std::ops::Range<usize>)>) -> Headers {
    ranges.into_iter().map(|(name, range)| (name, unfold(head.slice(range)))).collect()
}

/// Obsolete line folding becomes spaces (RFC 9112 section 5.2).
fn unfold(value: Bytes) -> Bytes {
    if !value.contains(&b'\n') {
        return value;
    }
    value.iter().map(|&byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte }).collect()
}

#[cfg(test)]
mod tests {
    use super::{HeadError, HeadReader};

    #[tokio::test]
    async fn h2_case_order_and_repeats_stay() {
        let wire =
            b"\r\nGET /a?b HTTP/1.1\r\nHost: x\r\nX-MiXeD: 1\r\nb: 2\r\nx-mixed:  3 \r\nEmpty:\r\n\r\nrest";
        let mut reader = HeadReader::default();
        reader.fill(&mut &wire[..], 1024).await.unwrap();
        let line = reader.take_request(1024).unwrap();
        let fields: Vec<_> =
            line.headers.iter().map(|(n, v)| format!("{n}={}", String::from_utf8_lossy(v))).collect();
        assert_eq!(fields, ["Host=x", "X-MiXeD=1", "b=2", "x-mixed=3", "Empty="]);
        assert_eq!((line.method.as_str(), line.target.as_str()), ("GET", "/a?b"));
        assert_eq!(&reader.buffer[..], b"rest");
    }

    #[tokio::test]
    async fn limits_and_ends() {
        let mut reader = HeadReader::default();
        let long = [b'a'; 300];
        assert!(matches!(reader.fill(&mut &long[..], 200).await, Err(HeadError::TooLarge(200))));
        let mut reader = HeadReader::default();
        assert!(matches!(reader.fill(&mut &b""[..], 200).await, Err(HeadError::Closed)));
        assert!(matches!(reader.fill(&mut &b"GET / HT"[..], 200).await, Err(HeadError::Cut)));
        let mut reader = HeadReader::default();
        reader.fill(&mut &b"\x16\x03\x01\n\n"[..], 200).await.unwrap();
        assert!(matches!(reader.take_request(200), Err(HeadError::Malformed)));
    }

    #[tokio::test]
    async fn what_can_be_read_two_ways_is_refused() {
        let twice = b"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n";
        let mut reader = HeadReader::default();
        reader.fill(&mut &twice[..], 200).await.unwrap();
        assert!(matches!(reader.take_request(200), Err(HeadError::Malformed)));
        for status in ["000", "099"] {
            let mut reader = HeadReader::default();
            let head = format!("HTTP/1.1 {status} X\r\n\r\n");
            reader.fill(&mut head.as_bytes(), 200).await.unwrap();
            assert!(matches!(reader.take_response(200), Err(HeadError::Malformed)), "{status}");
        }
    }

    #[tokio::test]
    async fn many_fields_and_folded_values() {
        let mut wire = b"HTTP/1.1 200 Quite Fine\r\nA: x\r\n y\r\n".to_vec();
        for index in 0..200 {
            wire.extend(format!("f{index}: {index}\r\n").bytes());
        }
        wire.extend(b"\r\n");
        let mut reader = HeadReader::default();
        reader.fill(&mut &wire[..], 65536).await.unwrap();
        let line = reader.take_response(65536).unwrap();
        assert_eq!((line.status, line.reason.as_str(), line.headers.len()), (200, "Quite Fine", 201));
        assert_eq!(line.headers.get("f199"), Some("199"));
        assert!(!line.headers.get("a").unwrap().contains('\n'));
    }
}
