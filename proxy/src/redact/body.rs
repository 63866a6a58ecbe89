//! Secrets in bodies. What is not a secret keeps its very bytes: replacements are spliced into the text as it was written.

use std::borrow::Cow;
use std::sync::Arc;

use mcpeak_core::redact::{Names, Scanner, is_count, is_sensitive_name, parameter};

use super::edit::{Edit, splice};
use super::url::looks_like_form;
use super::{Redaction, redact_form, redact_urls, without_ids};
use crate::json::{Kind, Node, parse, quote};

/// What a body is, by its media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// `application/json`, `+json`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `text/event-stream`.
    EventStream,
    /// `multipart/*` with its boundary.
    Multipart(String),
    /// Anything else.
    Other,
}

impl BodyKind {
    /// The kind of a `Content-Type`. Without one, a body that is a JSON object or array is taken for JSON.
    pub(crate) fn of(content_type: Option<&str>, body: &[u8]) -> Self {
        let Some(content_type) = content_type.filter(|value| !value.trim().is_empty()) else {
            let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
            return if matches!(first, Some(b'{' | b'[')) { Self::Json } else { Self::Other };
        };
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" | "text/json" | "application/x-ndjson" => Self::Json,
            "application/x-www-form-urlencoded" => Self::Form,
            "text/event-stream" => Self::EventStream,
            json if json.ends_with("+json") => Self::Json,
            multipart if multipart.starts_with("multipart/") => {
                boundary(content_type).map_or(Self::Other, Self::Multipart)
            }
            _ => Self::Other,
        }
    }

    /// How values are named where the body is not read as what it says it is.
    pub(crate) fn names(&self) -> Names {
        match self {
            Self::Form => Names::Form,
            Self::Multipart(boundary) => Names::Multipart(boundary.clone()),
            Self::Json | Self::EventStream | Self::Other => Names::Members,
        }
    }
}

/// A body with its secrets replaced; `None` if it has none.
pub(crate) fn redact_body(redaction: &Redaction, kind: &BodyKind, body: &[u8]) -> Option<Vec<u8>> {
    if let Some(redacted) = redact_utf16(redaction, kind, body) {
        return Some(redacted);
    }
    let named = match std::str::from_utf8(body) {
        Ok(text) => redact_named(redaction, kind, text),
        Err(_) => scan(redaction, kind.names(), body),
    };
    match named {
        // Once more by value: a secret may stand before the place that tells its name.
        Some(named) => Some(redaction.bytes(&named).unwrap_or(named)),
        None => redaction.bytes(body),
    }
}

/// By name; `None` if nothing is there to replace.
fn redact_named(redaction: &Redaction, kind: &BodyKind, text: &str) -> Option<Vec<u8>> {
    let document = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let redacted = match kind {
        BodyKind::Form => Some(redact_form(redaction, text)).filter(|form| form != text),
        BodyKind::Multipart(_) => return scan(redaction, kind.names(), text.as_bytes()),
        _ if document.starts_with(['{', '[']) => match parse(document) {
            Ok(node) => redact_document(redaction, text, &node, text.len() - document.len()),
            Err(_) => return scan(redaction, Names::Members, text.as_bytes()),
        },
        _ if looks_like_form(text) => Some(redact_form(redaction, text)).filter(|form| form != text),
        _ => return scan(redaction, Names::Members, text.as_bytes()),
    };
    redacted.map(String::into_bytes)
}

/// Names looked for in the bytes as they are.
fn scan(redaction: &Redaction, names: Names, body: &[u8]) -> Option<Vec<u8>> {
    let mut scanner = Scanner::new(redaction.redactor.clone(), Arc::clone(&redaction.tokens), names);
    let mut out = Vec::with_capacity(body.len());
    scanner.push(body, &mut out);
    scanner.finish(&mut out).then_some(out)
}

/// A body in UTF-16, which no search for bytes finds anything in; `None` if it is not, or has no secrets.
fn redact_utf16(redaction: &Redaction, kind: &BodyKind, body: &[u8]) -> Option<Vec<u8>> {
    let little = match body {
        [0xff, 0xfe, ..] => true,
        [0xfe, 0xff, ..] => false,
        [first, 0, second, 0, ..] if first.is_ascii() && second.is_ascii() && *first > 0 && *second > 0 => {
            true
        }
        [0, first, 0, second, ..] if first.is_ascii() && second.is_ascii() && *first > 0 && *second > 0 => {
            false
        }
        _ => return None,
    };
    if !body.len().is_multiple_of(2) {
        return None;
    }
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let units: Vec<u16> = body.chunks_exact(2).map(unit).collect();
    let text = String::from_utf16(&units).ok()?;
    let redacted = redact_body(redaction, kind, text.as_bytes())?;
    // Numbers are given to pseudonyms in bytes; here they would stay provisional.
    let text = without_ids(&String::from_utf8_lossy(&redacted));
    let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    Some(text.encode_utf16().flat_map(bytes).collect())
}

fn redact_document(redaction: &Redaction, text: &str, node: &Node<'_>, offset: usize) -> Option<String> {
    let mut edits = Vec::new();
    collect(redaction, node, None, &mut edits);
    for edit in &mut edits {
        edit.offset += offset;
    }
    splice(text, edits)
}

/// What to replace in a JSON document that is a value itself.
pub(super) fn redact_nested(redaction: &Redaction, text: &str) -> Vec<Edit> {
    let document = text.trim_start();
    let mut edits = Vec::new();
    if let Ok(node) = parse(document) {
        collect(redaction, &node, None, &mut edits);
        for edit in &mut edits {
            edit.offset += text.len() - document.len();
        }
    } else if let Some(redacted) = scan(redaction, Names::Members, text.as_bytes()) {
        let text_of = String::from_utf8_lossy(&redacted).into_owned();
        edits.push(Edit { offset: 0, length: text.len(), text: text_of });
    }
    edits
}

/// Finds what to replace; below a sensitive name every string is a secret.
fn collect(redaction: &Redaction, node: &Node<'_>, under: Option<&str>, edits: &mut Vec<Edit>) {
    match &node.kind {
        Kind::Null | Kind::Bool(_) => {}
        Kind::Number => {
            if let Some(name) = under.filter(|name| !is_count(name, node.raw)) {
                replace(node, &redaction.sensitive(name, node.raw), edits);
            }
        }
        Kind::String => collect_string(redaction, node, under, edits),
        Kind::Array(items) => {
            let field = field_of_pair(items);
            for (index, item) in items.iter().enumerate() {
                let under = field.as_deref().filter(|_| index == 1).or(under);
                collect(redaction, item, under, edits);
            }
        }
        Kind::Object(members) => {
            let field = field_of_object(members);
            for (name, value) in members {
                let name = name.text().unwrap_or_default();
                let under = if is_sensitive_name(&name) { Some(&*name) } else { under };
                let of_field = field.as_deref().filter(|_| name.eq_ignore_ascii_case("value"));
                collect(redaction, value, under.or(of_field), edits);
            }
        }
    }
}

/// The sensitive name of a header field written as `["Authorization", "Bearer x"]`. Other names are left: a list of two names
/// is likelier just that.
fn field_of_pair<'a>(items: &'a [Node<'_>]) -> Option<Cow<'a, str>> {
    let [name, value] = items else { return None };
    let text = name.text().filter(|_| matches!(value.kind, Kind::String))?;
    let lower = text.to_ascii_lowercase();
    (lower.ends_with("authorization") || lower.ends_with("cookie")).then_some(text)
}

/// The sensitive name of a field written as `{"name": "Authorization", "value": "Bearer x"}`.
fn field_of_object<'a>(members: &'a [(Node<'_>, Node<'_>)]) -> Option<Cow<'a, str>> {
    let names = |key: &Node<'_>| {
        key.text()
            .is_some_and(|key| ["name", "key", "header"].iter().any(|known| key.eq_ignore_ascii_case(known)))
    };
    let text = members.iter().find(|(key, _)| names(key)).and_then(|(_, value)| value.text())?;
    is_sensitive_name(&text).then_some(text)
}

fn collect_string(redaction: &Redaction, node: &Node<'_>, under: Option<&str>, edits: &mut Vec<Edit>) {
    let text = node.text().unwrap_or_default();
    if let Some(name) = under {
        if !is_count(name, &text) && !text.is_empty() {
            replace(node, &redaction.sensitive(name, &text), edits);
        }
        return;
    }
    // Tools often carry a whole JSON document in a string.
    let nested = if text.trim_start().starts_with(['{', '[']) {
        splice(&text, redact_nested(redaction, &text))
    } else if text.contains("\":") || text.contains("\" :") {
        let scanned = scan(redaction, Names::Members, text.as_bytes());
        scanned.map(|text| String::from_utf8_lossy(&text).into_owned())
    } else {
        None
    };
    let plain = nested.as_deref().unwrap_or(&text);
    let named = redact_urls(redaction, plain).or(nested);
    if let Some(redacted) = named {
        replace(node, &redacted, edits);
    }
}

fn replace(node: &Node<'_>, text: &str, edits: &mut Vec<Edit>) {
    let text = quote(text);
    if text != node.raw {
        edits.push(Edit { offset: node.offset, length: node.raw.len(), text });
    }
}

fn boundary(content_type: &str) -> Option<String> {
    parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcpeak_core::redact::Redactor;
    use mcpeak_core::secret::Secret;

    use super::super::{Ledger, Redaction};
    use super::{BodyKind, redact_body};

    fn redact(content_type: &str, body: &str) -> String {
        let values = [("API_KEY".to_owned(), Secret::new("value-of-api-key-1".to_owned()))];
        let redaction = Redaction { redactor: Redactor::new(values), tokens: Arc::new(Ledger::default()) };
        let kind = BodyKind::of(Some(content_type), body.as_bytes());
        let redacted = redact_body(&redaction, &kind, body.as_bytes());
        String::from_utf8(redacted.unwrap_or_else(|| body.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn r2_json_at_any_depth() {
        let body = r#"{ "a": [{"access_token":"abc", "n": 1.0}], "credentials": {"user":"u","pin":123456}, "t":"{\"password\":\"x\"}" }"#;
        assert_eq!(
            redact("application/json", body),
            r#"{ "a": [{"access_token":"{{token:~1}}", "n": 1.0}], "credentials": {"user":"{{token:~2}}","pin":"{{token:~3}}"}, "t":"{\"password\":\"{{token:~4}}\"}" }"#
        );
    }

    #[test]
    fn counts_and_ordinary_members_stay() {
        let body = r#"{"max_tokens":100,"usage":{"total_tokens":1234},"token":null,"password":"","requires_password":true}"#;
        assert_eq!(redact("application/json", body), body);
    }

    #[test]
    fn r2_form_multipart_and_event_stream() {
        assert_eq!(
            redact("application/x-www-form-urlencoded", "client_secret=a%2Bb&x=1&token=value-of-api-key-1"),
            "client_secret={{token:~1}}&x=1&token={{secret:API_KEY}}"
        );
        assert_eq!(
            redact("text/event-stream", "event: x\ndata: {\"token\":\"abc\"}\n\ndata: [DONE]\n\n"),
            "event: x\ndata:{\"token\":\"{{token:~1}}\"}\n\ndata: [DONE]\n\n".replace("data:{", "data: {")
        );
        let body = "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nhunter2\r\n--B--\r\n";
        assert_eq!(
            redact("multipart/form-data; boundary=B", body),
            body.replacen("hunter2", "{{token:~1}}", 1)
        );
    }

    #[test]
    fn r9_urls_inside_texts() {
        assert_eq!(
            redact("application/json", r#"{"next":"https://u:pw@h/x?page=2&access_token=abc"}"#),
            r#"{"next":"https://u:{{token:~2}}@h/x?page=2&access_token={{token:~1}}"}"#
        );
    }
}
