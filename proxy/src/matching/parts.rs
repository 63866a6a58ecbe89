//! A request taken apart, each part in its canonical form.

use std::borrow::Cow;
use std::fmt::Write as _;

use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

use crate::exchange::{Headers, Origin};
use crate::json::{Kind, Node, canonical, parse, quote};
use crate::redact::{BodyKind, collapse, form_pairs, parameter};

/// Request fields that always take part.
const MATCHED: [&str; 2] = ["range", "soapaction"];

/// A redacted request, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) method: String,
    pub(crate) origin: String,
    pub(crate) path: String,
    /// Sorted by name; values of one name in order.
    pub(crate) query: Vec<(String, String)>,
    /// Sorted by name, lower-case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: BodyParts,
}

/// A body by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyParts {
    None,
    /// Canonical JSON.
    Json(String),
    /// Like the query.
    Form(Vec<(String, String)>),
    Multipart(Vec<Part>),
    Graphql {
        operation: Option<String>,
        /// White space folded.
        query: String,
        /// Canonical JSON of every further member.
        rest: String,
    },
    /// SHA-256 of the decoded bytes, pseudonyms collapsed.
    Bytes(String),
}

/// One part of a multipart body; the boundary is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) filename: String,
    pub(crate) content_type: String,
    pub(crate) sha256: String,
}

impl Parts {
    /// Takes a redacted request apart. `further` names more fields that take part.
    pub(crate) fn new(
        method: &str,
        origin: &Origin,
        path: &str,
        query: Option<&str>,
        headers: &Headers,
        further: &[String],
        body: BodyParts,
    ) -> Self {
        Self {
            method: method.to_owned(),
            origin: origin.to_string(),
            path: normalise_path(path),
            query: query.map(multimap).unwrap_or_default(),
            headers: matched_headers(headers, further),
            body,
        }
    }
}

impl BodyParts {
    /// Takes a decoded, redacted body apart.
    pub(crate) fn new(content_type: Option<&str>, body: &[u8]) -> Self {
        if body.is_empty() {
            return Self::None;
        }
        let parsed = match (BodyKind::of(content_type, body), std::str::from_utf8(body)) {
            (BodyKind::Json, Ok(text)) => parse(text).ok().map(|node| json_parts(&node)),
            (BodyKind::Form, Ok(text)) => Some(Self::Form(multimap(text))),
            (BodyKind::Multipart(boundary), _) => multipart(body, &boundary).map(Self::Multipart),
            _ => None,
        };
        parsed.unwrap_or_else(|| Self::Bytes(content_sha256(body)))
    }
}

/// SHA-256 of content with its pseudonyms collapsed, in hex.
fn content_sha256(content: &[u8]) -> String {
    hex::encode(Sha256::digest(collapse(content)))
}

fn matched_headers(headers: &Headers, further: &[String]) -> Vec<(String, String)> {
    let mut matched: Vec<(String, String)> = headers
        .iter()
        .filter(|(name, _)| {
            MATCHED.iter().any(|matched| name.eq_ignore_ascii_case(matched))
                || further.iter().any(|matched| name.eq_ignore_ascii_case(matched))
        })
        .map(|(name, value)| (name.to_ascii_lowercase(), String::from_utf8_lossy(value).trim().to_owned()))
        .collect();
    matched.sort_by(|left, right| left.0.cmp(&right.0));
    matched
}

fn multimap(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = form_pairs(text).collect();
    // Stable: the order within a name is kept.
    pairs.sort_by(|left, right| left.0.cmp(&right.0));
    pairs
}

/// RFC 3986 section 6.2.2: unreserved characters decoded, everything that may not stand in a path encoded, hex in upper case.
pub(super) fn normalise_path(path: &str) -> String {
    const PLAIN: &str = "-._~!$&'()*+,;=:@/%";
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || PLAIN.as_bytes().contains(&byte);
    if path.bytes().all(|byte| plain(byte) && byte != b'%') {
        return path.to_owned();
    }
    let path = collapse_encoded(path);
    let bytes = path.as_bytes();
    let mut out = String::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = if byte == b'%' { path.get(at..at + 3) } else { None };
        let decoded =
            escape.and_then(|escape| percent_decode_str(escape).next().filter(|_| is_escape(escape)));
        match decoded {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                out.push(char::from(byte));
            }
            // Writing to a String cannot fail.
            Some(byte) => {
                let _ = write!(out, "%{byte:02X}");
            }
            None if plain(byte) => out.push(char::from(byte)),
            None => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        at += if decoded.is_some() { 3 } else { 1 };
    }
    out
}

fn is_escape(escape: &str) -> bool {
    escape.as_bytes()[1..].iter().all(u8::is_ascii_hexdigit)
}

/// Pseudonyms that a client percent-encoded, `:` included, written as the file writes them.
fn collapse_encoded(path: &str) -> Cow<'_, str> {
    if !path.contains("%7B%7B") && !path.contains("%7b%7b") {
        return Cow::Borrowed(path);
    }
    let plain =
        path.replace("%7B%7B", "{{").replace("%7b%7b", "{{").replace("%7D%7D", "}}").replace("%7d%7d", "}}");
    let plain = plain.replace("{{token%3A", "{{token:").replace("{{token%3a", "{{token:");
    Cow::Owned(plain.replace("{{secret%3A", "{{secret:").replace("{{secret%3a", "{{secret:"))
}

fn json_parts(node: &Node<'_>) -> BodyParts {
    graphql(node).unwrap_or_else(|| BodyParts::Json(canonical(node)))
}

/// A GraphQL request over JSON: a `query` text and nothing that the protocol does not name.
fn graphql(node: &Node<'_>) -> Option<BodyParts> {
    let members = node.members()?;
    let (mut operation, mut query, mut rest) = (None, None, Vec::new());
    for (name, value) in members {
        match &*name.text()? {
            "query" if query.is_none() => query = Some(value.text()?.into_owned()),
            "operationName" if operation.is_none() => match value.kind {
                Kind::Null => {}
                _ => operation = Some(value.text()?.into_owned()),
            },
            "variables" | "extensions" => match &value.kind {
                Kind::Null => {}
                Kind::Object(members) if members.is_empty() => {}
                Kind::Object(_) => rest.push(format!("{}:{}", quote(&name.text()?), canonical(value))),
                _ => return None,
            },
            _ => return None,
        }
    }
    let query = query.filter(|query| query.contains('{'))?;
    rest.sort();
    Some(BodyParts::Graphql { operation, query: fold(&query), rest: format!("{{{}}}", rest.join(",")) })
}

/// White space, commas and comments are insignificant outside strings (GraphQL section 2.1).
fn fold(query: &str) -> String {
    let mut out = String::with_capacity(query.len());
    let mut characters = query.chars().peekable();
    let (mut quoted, mut gap) = (false, false);
    while let Some(character) = characters.next() {
        match character {
            '\\' if quoted => {
                out.push(character);
                out.extend(characters.next());
            }
            '#' if !quoted => {
                while characters.next_if(|next| *next != '\n').is_some() {}
                gap = true;
            }
            ',' if !quoted => gap = true,
            space if !quoted && space.is_whitespace() => gap = true,
            _ => {
                quoted ^= character == '"';
                let punctuation = |character: char| "!$&()*.:=@[]{}|".contains(character);
                let joined = out.chars().next_back().is_none_or(punctuation) || punctuation(character);
                if gap && !joined {
                    out.push(' ');
                }
                gap = false;
                out.push(character);
            }
        }
    }
    out
}

fn multipart(body: &[u8], boundary: &str) -> Option<Vec<Part>> {
    let delimiter = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut rest = &body[find(body, delimiter.as_bytes())? + delimiter.len()..];
    loop {
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let end = find(rest, format!("\r\n{delimiter}").as_bytes())?;
        parts.push(part(&rest[..end])?);
        rest = &rest[end + 2 + delimiter.len()..];
    }
}

fn part(bytes: &[u8]) -> Option<Part> {
    let (head, content) = if let Some(content) = bytes.strip_prefix(b"\r\n") {
        ("", content)
    } else {
        let end = find(bytes, b"\r\n\r\n")?;
        (std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 4..])
    };
    let content_type = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-type").then(|| value.trim().to_ascii_lowercase())
    });
    Some(Part {
        name: parameter(head, "name").unwrap_or_default(),
        filename: parameter(head, "filename").unwrap_or_default(),
        content_type: content_type.unwrap_or_default(),
        sha256: content_sha256(content),
    })
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
