//! Tokens that are known by what they look like.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// Prefixes and forms that issuers document. The classes are greedy, so a token is taken whole.
const SHAPES: [&str; 26] = [
    // JSON Web Token (RFC 7519): both the header and the claims begin with `{"`.
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    r"sk-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_-]{20,}",
    r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"whsec_[A-Za-z0-9+/]{24,}",
    r"gh[pousr]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"(?:AKIA|ASIA)[A-Z2-7]{16}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{24,}",
    r"gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_-]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-AgE[A-Za-z0-9_-]{50,}",
    r"do[opr]_v1_[a-f0-9]{64}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    r"lin_api_[A-Za-z0-9]{32,}",
    r"ntn_[A-Za-z0-9]{40,}",
    r"figd_[A-Za-z0-9_-]{32,}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    r"hv[sbr]\.[A-Za-z0-9_-]{24,}",
    r"r8_[A-Za-z0-9]{37}",
    // PEM (RFC 7468), line ends as they are or JSON-escaped.
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-[^-]){16,}?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
];

static ANY: LazyLock<Regex> = LazyLock::new(|| {
    // The patterns are constants; a test compiles them.
    Regex::new(&format!("(?s-u)(?:{})", SHAPES.join("|"))).expect("constant patterns compile")
});

/// `Authorization: Scheme credentials` in a text: a dump of a request, a command line.
static AUTHORIZATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i-u)authorization["'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}["'\\]{0,4}(?:[a-z0-9-]{2,24}[ \t]{1,4})?([^\s"'\\,;{}<>&]{8,})"#)
        .expect("a constant pattern compiles")
});

/// The credentials of the first `Authorization` field at or after an offset.
pub(super) fn find_authorization(haystack: &[u8], from: usize) -> Option<Range<usize>> {
    AUTHORIZATION.captures_at(haystack, from)?.get(1).map(|found| found.range())
}

/// The first token at or after an offset.
pub(super) fn find_at(haystack: &[u8], from: usize) -> Option<Range<usize>> {
    let mut from = from;
    while from < haystack.len() {
        let found = ANY.find_at(haystack, from)?;
        if begins_a_word(haystack, found.start()) && looks_random(found.as_bytes()) {
            return Some(found.range());
        }
        from = found.start() + 1;
    }
    None
}

/// Whether what stands before an offset is not part of the same word; the escapes of URLs and JSON end a word.
fn begins_a_word(haystack: &[u8], at: usize) -> bool {
    let before = &haystack[at.saturating_sub(6)..at];
    match before {
        [.., last] if !last.is_ascii_alphanumeric() && *last != b'_' => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [] | [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [b'\\', b'u', digits @ ..] => digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit),
        _ => false,
    }
}

/// Real tokens hold digits or mixed case; words joined by dashes (`sk-some-long-identifier-name`) do not.
fn looks_random(token: &[u8]) -> bool {
    let digits = token.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = token.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    digits >= 2 || upper >= 2
}

#[cfg(test)]
mod tests {
    use super::{find_at, find_authorization};

    #[test]
    fn credentials_of_a_dumped_request() {
        for text in [
            "Authorization: Bearer abcdefgh-1\r\nHost: x",
            "curl -H 'proxy-authorization: Basic abcdefgh-1'",
            r#"\"AUTHORIZATION\": \"abcdefgh-1\""#,
        ] {
            let found = find_authorization(text.as_bytes(), 0).expect(text);
            assert_eq!(&text[found], "abcdefgh-1", "{text}");
        }
        for text in ["Authorization: Bearer {{token:1}}", "authorization code flow", "authorization: none"] {
            assert_eq!(find_authorization(text.as_bytes(), 0), None, "{text}");
        }
    }

    fn found(text: &str) -> Option<&str> {
        find_at(text.as_bytes(), 0).map(|range| &text[range])
    }

    #[test]
    fn takes_tokens_whole() {
        let jwt =
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        let pem = "-----BEGIN RSA PRIVATE KEY-----\\nMIIEowIBAAKCAQEA7\\n-----END RSA PRIVATE KEY-----";
        for token in [
            jwt,
            pem,
            "sk-proj-abcDEF123456ghiJKL7890",
            "sk-ant-api03-abcDEF123456ghiJKL7890",
            "ghp_0123456789abcdefABCDEF0123456789abcd",
            "github_pat_11ABCDEFG0abcdefghijkl_mnop",
            "AKIAIOSFODNN7EXAMPLE",
            "xoxb-1234567890-abcdef",
            "AIzaSyA1234567890abcdefghijklmnopqrstuv",
            "glpat-abcDEF1234567890abcd",
            "hf_abcdefghijABCDEFGHIJ0123456789abcd",
            "npm_0123456789abcdefABCDEF0123456789abcd",
        ] {
            assert_eq!(found(&format!("x={token}")), Some(token));
            assert_eq!(found(&format!("a%3D{token}&b=1")), Some(token), "after a URL escape");
            assert_eq!(found(&format!("line\\n{token}\"")), Some(token), "after a JSON escape");
        }
    }

    #[test]
    fn leaves_ordinary_text_alone() {
        for text in [
            "task-management-system-for-large-teams",
            "sk-learn-style-estimator-interface",
            "disk-0123456789012345678901234",
            "the ghp_ prefix and AKIA alone",
            "a.b.c eyJhbGciOiJIUzI1NiJ9 alone",
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
            "{\"sha\":\"9c1185a5c5e9fc54612808977ee8f548b2258d31\",\"hf_model\":\"x\"}",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
