//! Secrets in URLs: by name in the query, in the userinfo, by value and shape anywhere.

use mcpeak_core::redact::{UrlSecret, find_parameter, find_userinfo, form_decode, is_count, names_secret};
use percent_encoding::percent_decode_str;

use super::Redaction;
use super::body::redact_nested;
use super::edit::{Edit, splice};

/// How deep values inside values are looked into.
const DEPTH: usize = 4;

/// A path by value and shape, and the parameters that may stand in one.
pub(crate) fn redact_path(redaction: &Redaction, path: &str) -> String {
    let named = if path.contains([';', '#', '@']) { redact_urls(redaction, path) } else { None };
    redaction.text(named.as_deref().unwrap_or(path))
}

/// A query or a form body: values under sensitive names, and the rest by value and shape.
pub(crate) fn redact_form(redaction: &Redaction, form: &str) -> String {
    let mut edits = Vec::new();
    form_edits(redaction, form, 0, DEPTH, &mut edits);
    let named = splice(form, edits);
    // A value that is searched for may hold an ampersand.
    redaction.text(named.as_deref().unwrap_or(form))
}

/// Passwords and sensitive parameters of URLs inside a text; `None` if there are none.
pub(crate) fn redact_urls(redaction: &Redaction, text: &str) -> Option<String> {
    let mut edits = Vec::new();
    url_edits(redaction, text, 0, DEPTH, &mut edits);
    splice(text, edits)
}

/// Names and values of a query or form, decoded, in order.
pub(crate) fn form_pairs(form: &str) -> impl Iterator<Item = (String, String)> + '_ {
    form.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (form_decode(name.as_bytes()).into_owned(), form_decode(value.as_bytes()).into_owned())
    })
}

/// Whether a text reads like a form whatever its type says: `name=value&name=value`, no white space.
pub(super) fn looks_like_form(text: &str) -> bool {
    let name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.%[]~+-".contains(&byte))
    };
    let text = text.trim_end();
    text.split_once('=').is_some_and(|(first, _)| name(first)) && !text.contains(char::is_whitespace)
}

fn form_edits(redaction: &Redaction, form: &str, base: usize, depth: usize, edits: &mut Vec<Edit>) {
    let mut offset = base;
    for pair in form.split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            pair_edits(redaction, name, value, offset + name.len() + 1, depth, edits);
        }
        offset += pair.len() + 1;
    }
}

fn pair_edits(
    redaction: &Redaction,
    name: &str,
    value: &str,
    offset: usize,
    depth: usize,
    edits: &mut Vec<Edit>,
) {
    let decoded_name = form_decode(name.as_bytes());
    if names_secret(&decoded_name) {
        let decoded = form_decode(value.as_bytes());
        if !value.is_empty() && !is_count(&decoded_name, &decoded) {
            let text = redaction.sensitive(&decoded_name, &decoded);
            edits.push(Edit { offset, length: value.len(), text });
        }
        return;
    }
    if let Some((at, name, rest)) = behind_semicolon(value) {
        pair_edits(redaction, name, rest, offset + at, depth, edits);
    }
    value_edits(redaction, value, offset, depth, edits);
}

/// `1;name=value`: some servers take a semicolon for an ampersand.
fn behind_semicolon(value: &str) -> Option<(usize, &str, &str)> {
    let at = value.find(';')? + 1;
    let (name, rest) = value[at..].split_once('=')?;
    Some((at + name.len() + 1, name.rsplit(';').next().unwrap_or(name), rest))
}

/// Looks into a value that may be a URL, JSON or a form of its own.
fn value_edits(redaction: &Redaction, value: &str, offset: usize, depth: usize, edits: &mut Vec<Edit>) {
    if depth == 0 || value.len() < 4 {
        return;
    }
    if !value.contains(['%', '+']) {
        url_edits(redaction, value, offset, depth - 1, edits);
        return;
    }
    let Some((decoded, map)) = decode(value) else { return };
    let mut inner = Vec::new();
    if decoded.trim_start().starts_with(['{', '[']) {
        inner.extend(redact_nested(redaction, &decoded));
    }
    url_edits(redaction, &decoded, 0, depth - 1, &mut inner);
    for edit in inner {
        let (from, to) = (map[edit.offset], map[edit.offset + edit.length]);
        // White space and quotes of a replacement would end the URL.
        let text = edit.text.replace(' ', "%20").replace('"', "%22");
        edits.push(Edit { offset: offset + from, length: to - from, text });
    }
}

fn url_edits(redaction: &Redaction, text: &str, base: usize, depth: usize, edits: &mut Vec<Edit>) {
    let mut add = |find: fn(&[u8], usize) -> Option<UrlSecret>| {
        let mut from = 0;
        while let Some(found) = find(text.as_bytes(), from) {
            let (offset, length) = (base + found.range.start, found.range.len());
            edits.push(Edit { offset, length, text: redaction.sensitive(&found.name, &found.value) });
            from = found.range.end;
        }
    };
    if text.contains(['?', '#', '&', ';']) {
        add(find_parameter);
    }
    if text.contains('@') {
        add(find_userinfo);
    }
    if depth == 0 || !text.contains('%') {
        return;
    }
    let mut offset = base;
    for piece in text.split_inclusive(['?', '#', '&', ';', ' ', '\n', '"', '\'', '<', '>']) {
        if let Some((_, value)) = piece.split_once('=').filter(|(_, value)| value.contains('%')) {
            let value = value.trim_end_matches(['?', '#', '&', ';', ' ', '\n', '"', '\'', '<', '>']);
            let at = offset + piece.find('=').map_or(0, |at| at + 1);
            value_edits(redaction, value, at, depth, edits);
        }
        offset += piece.len();
    }
}

/// A value decoded, and for each of its bytes (and its end) the offset it has in the raw text.
fn decode(raw: &str) -> Option<(String, Vec<usize>)> {
    let (mut bytes, mut map) = (Vec::with_capacity(raw.len()), Vec::with_capacity(raw.len() + 1));
    let mut at = 0;
    while let Some(&byte) = raw.as_bytes().get(at) {
        let escape = raw.get(at..at + 3).filter(|_| byte == b'%');
        let hex = |escape: &str| escape.as_bytes()[1..].iter().all(u8::is_ascii_hexdigit);
        let decoded =
            escape.filter(|escape| hex(escape)).and_then(|escape| percent_decode_str(escape).next());
        map.push(at);
        bytes.push(decoded.unwrap_or(if byte == b'+' { b' ' } else { byte }));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    map.push(at);
    Some((String::from_utf8(bytes).ok()?, map))
}
