//! Literal secret values in every encoding they are met in.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The shortest value that is searched for, in bytes.
const MIN_LENGTH: usize = 8;
/// From this length on even plain letters or digits are searched for.
const LONG: usize = 16;

/// How a secret is written where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// As it is.
    Raw,
    /// Percent-encoded.
    Url(UrlStyle, HexCase),
    /// Inside a JSON string.
    Json(JsonStyle),
    /// Inside a JSON string that is inside a JSON string.
    JsonTwice,
    /// Base64, the part that does not depend on the neighbours.
    Base64 {
        /// Bytes before the value, modulo 3.
        offset: u8,
        /// The alphabet of RFC 4648 section 5.
        url_safe: bool,
    },
}

/// Which characters percent-encoding leaves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UrlStyle {
    /// RFC 3986 unreserved.
    Strict,
    /// ECMAScript's `encodeURIComponent`.
    Component,
    /// `application/x-www-form-urlencoded`: a space is `+`.
    Form,
    /// Unreserved and `/`.
    Path,
    /// Unreserved, sub-delimiters, `:`, `@` and `/`.
    Lenient,
}

/// Case of the hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HexCase {
    /// `%2F`.
    Upper,
    /// `%2f`.
    Lower,
}

/// What a JSON writer escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JsonStyle {
    /// Only what must be.
    Minimal,
    /// `/` too.
    Slash,
    /// Everything outside ASCII too.
    Ascii,
    /// Everything outside ASCII and `/` too.
    AsciiSlash,
    /// `<`, `>` and `&` too.
    Html,
}

const URL_STYLES: [(UrlStyle, &str, &str); 5] = [
    (UrlStyle::Strict, "-_.~", "url"),
    (UrlStyle::Component, "-_.!~*'()", "component"),
    (UrlStyle::Form, "*-._", "form"),
    (UrlStyle::Path, "-_.~/", "path"),
    (UrlStyle::Lenient, "-_.~!$&'()*+,;=:@/", "lenient"),
];

const JSON_STYLES: [(JsonStyle, &str); 5] = [
    (JsonStyle::Minimal, "json"),
    (JsonStyle::Slash, "json-slash"),
    (JsonStyle::Ascii, "json-ascii"),
    (JsonStyle::AsciiSlash, "json-ascii-slash"),
    (JsonStyle::Html, "json-html"),
];

impl Encoding {
    /// Every encoding, the plainest first.
    pub(super) fn all() -> Vec<Self> {
        let mut all = vec![Self::Raw];
        for (style, _, _) in URL_STYLES {
            all.extend([Self::Url(style, HexCase::Upper), Self::Url(style, HexCase::Lower)]);
        }
        all.extend(JSON_STYLES.map(|(style, _)| Self::Json(style)));
        all.push(Self::JsonTwice);
        for url_safe in [false, true] {
            all.extend((0..3).map(|offset| Self::Base64 { offset, url_safe }));
        }
        all
    }

    /// Every encoding but base64.
    pub fn textual() -> impl Iterator<Item = Self> {
        Self::all().into_iter().filter(|encoding| !matches!(encoding, Self::Base64 { .. }))
    }

    /// Its name in a pseudonym; empty for [`Encoding::Raw`].
    pub(super) fn name(self) -> String {
        match self {
            Self::Raw => String::new(),
            Self::Url(style, case) => {
                let name = URL_STYLES.iter().find(|entry| entry.0 == style).map_or("url", |entry| entry.2);
                let suffix = if case == HexCase::Lower { "-lower" } else { "" };
                format!("{name}{suffix}")
            }
            Self::Json(style) => {
                JSON_STYLES.iter().find(|entry| entry.0 == style).map_or("json", |entry| entry.1).to_owned()
            }
            Self::JsonTwice => "json-json".to_owned(),
            Self::Base64 { offset, url_safe } => {
                format!("base64{}{offset}", if url_safe { "url-" } else { "-" })
            }
        }
    }

    /// The encoding of a name in a pseudonym.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|encoding| encoding.name() == name)
    }

    /// A value so written.
    pub fn encode(self, value: &str) -> String {
        match self {
            Self::Raw => value.to_owned(),
            Self::Url(style, case) => percent_encode(value, style, case),
            Self::Json(style) => json_escape(value, style),
            Self::JsonTwice => json_escape(&json_escape(value, JsonStyle::Minimal), JsonStyle::Minimal),
            Self::Base64 { offset, url_safe } => base64_middle(value, usize::from(offset), url_safe),
        }
    }
}

/// Whether a value can be searched for without hitting ordinary text: at least 8 bytes, and neither a plain word nor a plain
/// number unless it is long.
pub fn is_searchable(value: &str) -> bool {
    if value.len() < MIN_LENGTH {
        return false;
    }
    let plain_number =
        value.chars().all(|character| character.is_ascii_digit() || ".-+_,".contains(character));
    let plain_word = value.chars().all(char::is_alphabetic)
        && (value.chars().skip(1).all(char::is_lowercase) || value.chars().all(char::is_uppercase));
    value.len() >= LONG || !(plain_number || plain_word)
}

/// The distinct writings of a value, the plainest encoding of each.
pub(super) fn variants(value: &str) -> Vec<(Encoding, String)> {
    let mut variants: Vec<(Encoding, String)> = Vec::new();
    for encoding in Encoding::all() {
        let written = encoding.encode(value);
        if written.len() >= MIN_LENGTH && !variants.iter().any(|(_, other)| *other == written) {
            variants.push((encoding, written));
        }
    }
    variants
}

fn percent_encode(value: &str, style: UrlStyle, case: HexCase) -> String {
    let kept = URL_STYLES.iter().find(|entry| entry.0 == style).map_or("", |entry| entry.1);
    let mut out = String::with_capacity(value.len() + 8);
    for byte in value.bytes() {
        // Writing to a String cannot fail.
        let _ = match (byte, case) {
            (b' ', _) if style == UrlStyle::Form => out.write_char('+'),
            _ if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) => {
                out.write_char(char::from(byte))
            }
            (_, HexCase::Upper) => write!(out, "%{byte:02X}"),
            (_, HexCase::Lower) => write!(out, "%{byte:02x}"),
        };
    }
    out
}

fn json_escape(value: &str, style: JsonStyle) -> String {
    let ascii = matches!(style, JsonStyle::Ascii | JsonStyle::AsciiSlash);
    let slash = matches!(style, JsonStyle::Slash | JsonStyle::AsciiSlash);
    let mut out = String::with_capacity(value.len() + 8);
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '/' if slash => out.push_str("\\/"),
            other
                if other < ' '
                    || (ascii && !other.is_ascii())
                    || (style == JsonStyle::Html && "<>&".contains(other)) =>
            {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            other => out.push(other),
        }
    }
    out
}

/// The base64 characters that depend on the value alone when it stands `offset` bytes after a multiple of three.
fn base64_middle(value: &str, offset: usize, url_safe: bool) -> String {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(value.as_bytes());
    let encoded = if url_safe { URL_SAFE_NO_PAD.encode(&bytes) } else { STANDARD_NO_PAD.encode(&bytes) };
    // Characters touched by the bytes before and after are left out.
    let from = (offset * 8).div_ceil(6);
    let to = bytes.len() * 8 / 6;
    encoded.get(from..to).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::{Encoding, HexCase, JsonStyle, UrlStyle, is_searchable, variants};

    #[test]
    fn short_and_plain_values_are_not_searched() {
        for value in
            ["1", "true", "hunter2", "production", "PRODUCTION", "Production", "1234567890", "10.0.0.12"]
        {
            assert!(!is_searchable(value), "{value}");
        }
        for value in ["hunter22", "s3cr3t-value", "abcdefghijklmnopqr", "12345678901234567890", "passWord"] {
            assert!(is_searchable(value), "{value}");
        }
    }

    #[test]
    fn names_are_distinct_and_read_back() {
        for encoding in Encoding::all() {
            assert_eq!(Encoding::from_name(&encoding.name()), Some(encoding));
        }
    }

    #[test]
    fn writes_what_encoders_write() {
        let value = "pä ss/w\"ord+1";
        let url = |style, case| Encoding::Url(style, case).encode(value);
        assert_eq!(url(UrlStyle::Strict, HexCase::Upper), "p%C3%A4%20ss%2Fw%22ord%2B1");
        assert_eq!(url(UrlStyle::Form, HexCase::Lower), "p%c3%a4+ss%2fw%22ord%2b1");
        assert_eq!(Encoding::Json(JsonStyle::AsciiSlash).encode(value), "p\\u00e4 ss\\/w\\\"ord+1");
        assert_eq!(Encoding::JsonTwice.encode("a\"b"), "a\\\\\\\"b");
    }

    #[test]
    fn base64_of_any_neighbourhood_holds_one_variant() {
        let value = "top-secret-value";
        let variants = variants(value);
        for before in 0..6 {
            for after in 0..6 {
                let text = STANDARD.encode(format!("{}{value}{}", "x".repeat(before), "y".repeat(after)));
                assert!(variants.iter().any(|(_, written)| text.contains(written)), "{before} {after}");
            }
        }
    }
}
