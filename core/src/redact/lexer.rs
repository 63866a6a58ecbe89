//! Values under sensitive names in a stream of bytes, by what the stream is.

use std::ops::Range;

use super::members::{LONGEST, Members};
use super::named::{is_count, names_secret};
use super::url::form_decode;

/// Longest form name and longest head of a part that are looked at.
const HEAD: usize = 16 * 1024;

/// How the values of a body are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Not at all: secrets are known by value and shape only.
    #[default]
    None,
    /// `"name": value`, wherever in the bytes, and parameters and userinfo of URLs.
    Members,
    /// `name=value&name=value`.
    Form,
    /// Parts with names, between these boundaries (RFC 2046 section 5.1); in the parts as [`Names::Members`].
    Multipart(String),
}

/// A value under a sensitive name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Offsets in the stream.
    pub(super) range: Range<u64>,
    pub(super) name: String,
    /// It, its escapes undone.
    pub(super) value: String,
    pub(super) writing: Writing,
}

/// How a pseudonym is written in a value's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// As it is.
    Text,
    /// As a string where a number was.
    Number { backslashes: usize },
}

impl Writing {
    pub(super) fn write(self, pseudonym: String) -> String {
        match self {
            Self::Text => pseudonym,
            Self::Number { backslashes } => {
                let quote = "\\".repeat(backslashes);
                format!("{quote}\"{pseudonym}{quote}\"")
            }
        }
    }
}

/// Reads a stream once, however it is cut.
#[derive(Debug)]
pub(super) struct Lexer {
    /// How far it has read.
    at: u64,
    members: Option<Members>,
    fields: Fields,
}

#[derive(Debug)]
enum Fields {
    None,
    Form { name: Vec<u8>, value: Option<(String, u64)> },
    Multipart { delimiter: Vec<u8>, head: Option<Vec<u8>>, value: Option<(String, u64)> },
}

impl Lexer {
    pub(super) fn new(names: &Names) -> Self {
        let fields = match names {
            Names::None | Names::Members => Fields::None,
            Names::Form => Fields::Form { name: Vec::new(), value: None },
            Names::Multipart(boundary) => {
                Fields::Multipart { delimiter: format!("--{boundary}").into_bytes(), head: None, value: None }
            }
        };
        let members = matches!(names, Names::Members | Names::Multipart(_)).then(Members::default);
        Self { at: 0, members, fields }
    }

    /// Where a secret began that has not ended.
    pub(super) fn open(&self) -> Option<u64> {
        let member = self.members.as_ref().and_then(Members::open);
        let field = match &self.fields {
            Fields::Form { value, .. } | Fields::Multipart { value, .. } => {
                value.as_ref().map(|value| value.1)
            }
            Fields::None => None,
        };
        member.into_iter().chain(field).min()
    }

    /// Reads what is new of the haystack, which begins at `base` in the stream; found values are in order of their ends.
    pub(super) fn feed(&mut self, haystack: &[u8], base: u64, last: bool) -> Vec<Named> {
        let mut found = Vec::new();
        let from = usize::try_from(self.at - base).unwrap_or(usize::MAX).min(haystack.len());
        for index in from..haystack.len() {
            match &mut self.fields {
                Fields::None => break,
                Fields::Form { name, value } => form(haystack, base, index, (name, value), &mut found),
                Fields::Multipart { .. } => self.part(haystack, base, index, &mut found),
            }
        }
        if let Some(members) = &mut self.members {
            members.feed(haystack, base, self.at, &mut found);
        }
        self.at = base + haystack.len() as u64;
        if last {
            if let Fields::Form { value, .. } | Fields::Multipart { value, .. } = &mut self.fields {
                let decode = self.members.is_none();
                close(haystack, base, value, self.at, decode, &mut found);
            }
            if let Some(members) = &mut self.members {
                members.finish(haystack, base, &mut found);
            }
        }
        found.sort_by_key(|named| named.range.start);
        found
    }

    fn part(&mut self, haystack: &[u8], base: u64, index: usize, found: &mut Vec<Named>) {
        let Fields::Multipart { delimiter, head, value } = &mut self.fields else { return };
        if haystack[..=index].ends_with(delimiter) {
            let content = &haystack[..index + 1 - delimiter.len()];
            let content = content.strip_suffix(b"\n").unwrap_or(content);
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            close(haystack, base, value, base + content.len() as u64, false, found);
            *head = Some(Vec::new());
        } else if let Some(lines) = head {
            lines.push(haystack[index]);
            if lines.ends_with(b"\r\n\r\n") || lines.ends_with(b"\n\n") {
                let text = String::from_utf8_lossy(lines);
                let name = parameter(&text, "name").unwrap_or_default();
                let secret = names_secret(&name) && parameter(&text, "filename").is_none();
                *value = secret.then(|| (name, base + index as u64 + 1));
                *head = None;
            } else if lines.len() > HEAD {
                *head = None;
            }
        } else {
            cut(haystack, base, index, value, false, found);
        }
    }
}

fn form(
    haystack: &[u8],
    base: u64,
    index: usize,
    (name, value): (&mut Vec<u8>, &mut Option<(String, u64)>),
    found: &mut Vec<Named>,
) {
    let here = base + index as u64;
    match haystack[index] {
        b'&' => {
            close(haystack, base, value, here, true, found);
            name.clear();
        }
        b'=' if value.is_none() && name.len() < HEAD => {
            let decoded = form_decode(name);
            if names_secret(&decoded) {
                *value = Some((decoded.into_owned(), here + 1));
            }
            // A further sign is part of the value, whatever its name.
            name.resize(HEAD, b'=');
        }
        byte if value.is_none() && name.len() < HEAD => name.push(byte),
        _ => cut(haystack, base, index, value, true, found),
    }
}

/// Ends a value.
fn close(
    haystack: &[u8],
    base: u64,
    value: &mut Option<(String, u64)>,
    end: u64,
    decode: bool,
    found: &mut Vec<Named>,
) {
    let Some((name, start)) = value.take() else { return };
    let offset = |at: u64| usize::try_from(at.saturating_sub(base)).unwrap_or(usize::MAX).min(haystack.len());
    let raw = &haystack[offset(start)..offset(end.max(start))];
    let value = if decode { form_decode(raw) } else { String::from_utf8_lossy(raw) }.into_owned();
    if !raw.is_empty() && !is_count(&name, &value) {
        found.push(Named { range: start..end, name, value, writing: Writing::Text });
    }
}

/// A value that grows too long is given in pieces.
fn cut(
    haystack: &[u8],
    base: u64,
    index: usize,
    value: &mut Option<(String, u64)>,
    decode: bool,
    found: &mut Vec<Named>,
) {
    let end = base + index as u64 + 1;
    if let Some((name, _)) = value.as_ref().filter(|(_, start)| end - start > LONGEST as u64) {
        let name = name.clone();
        close(haystack, base, value, end, decode, found);
        *value = Some((name, end));
    }
}

/// A quoted or bare parameter of a field: `name="x"`.
pub fn parameter(head: &str, name: &str) -> Option<String> {
    let mut rest = head;
    loop {
        let mut quoted = false;
        let end = rest.find(|character: char| {
            quoted ^= character == '"';
            (character == ';' && !quoted) || character == '\n'
        });
        let piece = &rest[..end.unwrap_or(rest.len())];
        if let Some((key, value)) = piece.trim().split_once('=')
            && key.trim().eq_ignore_ascii_case(name)
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
        rest = &rest[end? + 1..];
    }
}
