//! Secrets in bodies. What is not a secret keeps its very bytes: replacements are spliced into the text as it was written.

use mcpeak_core::redact::is_sensitive_name;

use super::{Redaction, is_count, redact_form, redact_urls};
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
}

/// A body with its secrets replaced; `None` if it has none.
pub(crate) fn redact_body(redaction: &Redaction, kind: &BodyKind, body: &[u8]) -> Option<Vec<u8>> {
    let named = match (kind, std::str::from_utf8(body)) {
        (BodyKind::Json, Ok(text)) => match parse(text) {
            Ok(node) => redact_node(redaction, text, &node).or_else(|| redact_urls(redaction, text)),
            Err(_) => redact_lines(redaction, text, ""),
        },
        (BodyKind::Form, Ok(text)) => Some(redact_form(redaction, text)).filter(|form| form != text),
        (BodyKind::EventStream, Ok(text)) => redact_lines(redaction, text, "data:"),
        (BodyKind::Multipart(boundary), Ok(text)) => redact_multipart(redaction, text, boundary),
        (BodyKind::Other, Ok(text)) => redact_urls(redaction, text),
        (_, Err(_)) => None,
    };
    match named {
        Some(named) => Some(redaction.bytes(named.as_bytes()).unwrap_or_else(|| named.into_bytes())),
        None => redaction.bytes(body),
    }
}

/// A replacement of one string, number or URL in a text.
struct Edit {
    offset: usize,
    length: usize,
    text: String,
}

fn redact_json(redaction: &Redaction, text: &str) -> Option<String> {
    redact_node(redaction, text, &parse(text).ok()?)
}

/// `node` is the whole of `text`.
fn redact_node(redaction: &Redaction, text: &str, node: &Node<'_>) -> Option<String> {
    let mut edits = Vec::new();
    collect(redaction, node, None, &mut edits);
    splice(text, edits)
}

/// JSON documents on lines of their own: NDJSON, and the `data:` lines of an event stream.
fn redact_lines(redaction: &Redaction, text: &str, prefix: &str) -> Option<String> {
    let mut edits = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let data = line.strip_prefix(prefix).map(str::trim_end);
        if let Some(data) = data.filter(|data| !data.is_empty())
            && let Some(redacted) = redact_json(redaction, data).or_else(|| redact_urls(redaction, data))
        {
            edits.push(Edit { offset: offset + prefix.len(), length: data.len(), text: redacted });
        }
        offset += line.len();
    }
    splice(text, edits)
}

/// Finds what to replace; below a sensitive name every string is a secret.
fn collect(redaction: &Redaction, node: &Node<'_>, under: Option<&str>, edits: &mut Vec<Edit>) {
    match &node.kind {
        Kind::Null | Kind::Bool(_) => {}
        Kind::Number => {
            if under.is_some_and(|name| !is_count(name, node.raw)) {
                replace(node, &redaction.sensitive(node.raw), edits);
            }
        }
        Kind::String => collect_string(redaction, node, under, edits),
        Kind::Array(items) => {
            for item in items {
                collect(redaction, item, under, edits);
            }
        }
        Kind::Object(members) => {
            for (name, value) in members {
                let name = name.text().unwrap_or_default();
                let under = if is_sensitive_name(&name) { Some(&*name) } else { under };
                collect(redaction, value, under, edits);
            }
        }
    }
}

fn collect_string(redaction: &Redaction, node: &Node<'_>, under: Option<&str>, edits: &mut Vec<Edit>) {
    let text = node.text().unwrap_or_default();
    if let Some(name) = under {
        if !is_count(name, &text) && !text.is_empty() {
            replace(node, &redaction.sensitive(&text), edits);
        }
        return;
    }
    // Tools often carry a whole JSON document in a string.
    let nested = if text.starts_with(['{', '[']) { redact_json(redaction, &text) } else { None };
    if let Some(redacted) = nested.or_else(|| redact_urls(redaction, &text)) {
        replace(node, &redacted, edits);
    }
}

fn replace(node: &Node<'_>, text: &str, edits: &mut Vec<Edit>) {
    let text = quote(text);
    if text != node.raw {
        edits.push(Edit { offset: node.offset, length: node.raw.len(), text });
    }
}

fn redact_multipart(redaction: &Redaction, text: &str, boundary: &str) -> Option<String> {
    let mut edits = Vec::new();
    let delimiter = format!("--{boundary}");
    let mut offset = 0;
    for part in text.split(&delimiter) {
        if let Some((head, content)) = part.split_once("\r\n\r\n") {
            let content = content.strip_suffix("\r\n").unwrap_or(content);
            let name = parameter(head, "name").unwrap_or_default();
            let is_file = parameter(head, "filename").is_some();
            if is_sensitive_name(&name) && !is_file && !is_count(&name, content) {
                let at = offset + head.len() + 4;
                edits.push(Edit { offset: at, length: content.len(), text: redaction.sensitive(content) });
            }
        }
        offset += part.len() + delimiter.len();
    }
    splice(text, edits)
}

fn splice(text: &str, edits: Vec<Edit>) -> Option<String> {
    if edits.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        out.push_str(&text[from..edit.offset]);
        out.push_str(&edit.text);
        from = edit.offset + edit.length;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// A quoted or bare parameter of a header: `name="x"`.
pub(crate) fn parameter(head: &str, name: &str) -> Option<String> {
    for piece in head.split([';', '\n']) {
        let Some((key, value)) = piece.trim().split_once('=') else { continue };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
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
