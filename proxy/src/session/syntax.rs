//! What a value of a session file may hold, so that a damaged or edited one cannot say more on the wire than it says in the file.

/// A token (RFC 9110 section 5.6.2): a method, or the name of a field. Pseudonyms may stand in it.
pub(crate) fn is_token(text: &str) -> bool {
    let tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && without_pseudonyms(text).bytes().all(tchar)
}

/// The value of a field or a reason phrase: no control character but the tab (RFC 9110 section 5.5, RFC 9112 section 4).
pub(crate) fn is_field_value(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == b'\t' || !byte.is_ascii_control())
}

/// A URL as a request line can carry it: no space, no control character.
pub(crate) fn is_request_target(text: &str) -> bool {
    !text.bytes().any(|byte| byte == b' ' || byte.is_ascii_control())
}

/// SHA-256 in hex.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The text without `{{secret:NAME}}` and `{{token:1}}`.
fn without_pseudonyms(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some(at) = rest.find("{{") {
        let inner = &rest[at + 2..];
        let end = inner.find("}}").filter(|&end| {
            let inner = &inner[..end];
            inner.starts_with("token:") || inner.starts_with("secret:")
        });
        let Some(end) = end else { break };
        out.push_str(&rest[..at]);
        rest = &inner[end + 2..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{is_field_value, is_request_target, is_sha256, is_token};

    #[test]
    fn f1_tokens_values_and_targets() {
        for good in ["GET", "M-SEARCH", "x_1~", "{{token:1}}", "X-{{secret:A}}-Y"] {
            assert!(is_token(good), "{good}");
        }
        for bad in ["", "A B", "A:", "é", "A\r\n", "{{x}}", "{{token:1}", "{{token:1}}\n"] {
            assert!(!is_token(bad), "{bad:?}");
        }
        assert!(is_field_value("a b\tc é".as_bytes()) && is_field_value(b"\xff") && is_field_value(b""));
        for bad in [&b"a\r\nb"[..], b"\n", b"a\0b", b"\x1b[2J", b"\x7f"] {
            assert!(!is_field_value(bad), "{bad:?}");
        }
        assert!(is_request_target("https://a/b?c={{token:1}}") && !is_request_target("https://a/ b"));
        assert!(!is_request_target("https://a/\r\nX: y"));
        assert!(is_sha256(&"0aF".repeat(22)[..64]) && !is_sha256("00") && !is_sha256(&"g".repeat(64)));
    }
}
