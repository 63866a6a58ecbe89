//! Which protocol a connection speaks, by its first bytes.

use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What HTTP/2 begins with (RFC 9113 section 3.4).
const H2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The longest method that is waited for.
const LONGEST_METHOD: usize = 24;
/// Line ends before a request that are looked over (RFC 9112 section 2.2).
const MOST_BLANK: usize = 4;

/// What a connection speaks. Not knowing is an answer, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// A TLS ClientHello.
    Tls,
    /// An HTTP/1 request.
    Http1,
    /// HTTP/2 with prior knowledge.
    Http2,
    /// SOCKS version 5.
    Socks5,
    /// Something else.
    Unknown,
    /// Nothing was sent in time.
    Silent,
    /// The connection ended before a byte came.
    Closed,
}

/// Reads until the bytes decide or the deadline passes. Everything read stays in `buffer`.
pub(crate) async fn detect(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut BytesMut,
    deadline: Duration,
) -> Protocol {
    let decided = tokio::time::timeout(deadline, async {
        loop {
            if let Some(protocol) = decide(buffer) {
                return protocol;
            }
            match stream.read_buf(buffer).await {
                Ok(0) | Err(_) if buffer.is_empty() => return Protocol::Closed,
                Ok(0) | Err(_) => return Protocol::Unknown,
                Ok(_) => {}
            }
        }
    })
    .await;
    match decided {
        Ok(protocol) => protocol,
        Err(_) if buffer.is_empty() => Protocol::Silent,
        Err(_) => Protocol::Unknown,
    }
}

/// The protocol, once the bytes tell; `None` while they could still become several.
pub(crate) fn decide(bytes: &[u8]) -> Option<Protocol> {
    match bytes {
        [] | [0x16] => return None,
        [0x16, 0x03, ..] => return Some(Protocol::Tls),
        [0x05, ..] => return Some(Protocol::Socks5),
        _ => {}
    }
    if H2_PREFACE.starts_with(bytes) && bytes.len() < H2_PREFACE.len() {
        // `PRI` alone could be a method of HTTP/1; only the whole preface is HTTP/2.
        return None;
    }
    if bytes.starts_with(H2_PREFACE) {
        return Some(Protocol::Http2);
    }
    decide_http1(bytes)
}

/// `METHOD target`: upper-case letters, a space, and a target of one of the four forms. SMTP and its like begin with
/// a word too, but not with such a target.
fn decide_http1(bytes: &[u8]) -> Option<Protocol> {
    let line = bytes.trim_ascii_start();
    if bytes.len() - line.len() > MOST_BLANK {
        return Some(Protocol::Unknown);
    }
    if line.is_empty() {
        return None;
    }
    let word = line.iter().take_while(|byte| byte.is_ascii_uppercase() || **byte == b'-').count();
    if word > LONGEST_METHOD {
        return Some(Protocol::Unknown);
    }
    match line.get(word) {
        None => return None,
        Some(b' ') if word > 0 => {}
        Some(_) => return Some(Protocol::Unknown),
    }
    let target = &line[word + 1..];
    if &line[..word] == b"CONNECT" {
        return Some(Protocol::Http1);
    }
    let begins = |form: &[u8]| {
        let length = target.len().min(form.len());
        target[..length].eq_ignore_ascii_case(&form[..length])
    };
    match target {
        [] => None,
        [b'/' | b'*', ..] => Some(Protocol::Http1),
        _ if begins(b"http") || begins(b"ws:") || begins(b"wss:") => {
            (target.len() >= 4).then_some(Protocol::Http1)
        }
        _ => Some(Protocol::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::BytesMut;
    use proptest::prelude::*;

    use super::{Protocol, decide, detect};

    #[test]
    fn first_bytes() {
        let cases: &[(&[u8], Option<Protocol>)] = &[
            (b"", None),
            (b"\x16", None),
            (b"\x16\x03\x01", Some(Protocol::Tls)),
            (b"\x16\x09", Some(Protocol::Unknown)),
            (b"\x05\x01\x00", Some(Protocol::Socks5)),
            (b"G", None),
            (b"GET /", Some(Protocol::Http1)),
            (b"\r\nGET /", Some(Protocol::Http1)),
            (b"GET http://a/", Some(Protocol::Http1)),
            (b"GET HTTPS://a/", Some(Protocol::Http1)),
            (b"GET wss://a/", Some(Protocol::Http1)),
            (b"OPTIONS *", Some(Protocol::Http1)),
            (b"CONNECT a:1", Some(Protocol::Http1)),
            (b"M-SEARCH *", Some(Protocol::Http1)),
            (b"PRI", None),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Some(Protocol::Http2)),
            (b"PRI * HTTP/1.1\r\n", Some(Protocol::Http1)),
            (b"EHLO example.com", Some(Protocol::Unknown)),
            (b"SSH-2.0-x", Some(Protocol::Unknown)),
            (b"\x00\x00\x00", Some(Protocol::Unknown)),
            (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", Some(Protocol::Unknown)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(decide(bytes), *expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let (mut near, far) = tokio::io::duplex(64);
        let mut buffer = BytesMut::new();
        assert_eq!(detect(&mut near, &mut buffer, Duration::from_millis(20)).await, Protocol::Silent);
        drop(far);
        assert_eq!(detect(&mut near, &mut buffer, Duration::from_secs(1)).await, Protocol::Closed);
        let mut wire = &b"GE"[..];
        assert_eq!(detect(&mut wire, &mut buffer, Duration::from_secs(1)).await, Protocol::Unknown);
        assert_eq!(&buffer[..], b"GE");
    }

    proptest! {
        #[test]
        fn more_bytes_never_change_a_decision(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0usize..40) {
            let early = decide(&bytes[..cut.min(bytes.len())]);
            if early.is_some() {
                prop_assert_eq!(early, decide(&bytes));
            }
        }
    }
}
