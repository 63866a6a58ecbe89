//! Header fields: what is stored of a request, what of a response.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcpeak_core::redact::is_sensitive_name;

use super::{Redaction, is_count, redact_urls};
use crate::exchange::{Framing, Headers};

/// The only request fields that are stored. Conditional fields are not among them: they are dropped while recording.
const STORED: [&str; 6] =
    ["accept", "accept-language", "content-encoding", "content-type", "range", "soapaction"];

/// Fields between two neighbours (RFC 9110 section 7.6.1), never stored and never replayed.
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authentication-info",
    "te",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
];

/// The request fields that are stored: the allow-list and the names that matching was told to look at.
pub(crate) fn request_fields(redaction: &Redaction, headers: &Headers, further: &[String]) -> Headers {
    let stored = |name: &str| {
        STORED.iter().any(|stored| name.eq_ignore_ascii_case(stored))
            || further.iter().any(|stored| name.eq_ignore_ascii_case(stored))
    };
    let fields = headers.iter().filter(|(name, _)| stored(name));
    fields.map(|(name, value)| (name.to_owned(), redact_field(redaction, name, value))).collect()
}

/// The response fields that are stored: end-to-end ones; `Content-Length` only where it says something about a body that is
/// not there or delimits the body, and `Transfer-Encoding` where it says so about one that is not there (HEAD, 304).
pub(crate) fn response_fields(redaction: &Redaction, headers: &Headers, framing: Framing) -> Headers {
    let named: Vec<String> = headers
        .get_all("connection")
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let kept = |name: &str| {
        let lower = name.to_ascii_lowercase();
        let length = lower == "content-length" && matches!(framing, Framing::Chunked | Framing::Close);
        let described = lower == "transfer-encoding" && framing == Framing::None;
        (described || !HOP_BY_HOP.contains(&lower.as_str())) && !named.contains(&lower) && !length
    };
    let fields = headers.iter().filter(|(name, _)| kept(name));
    fields.map(|(name, value)| (name.to_owned(), redact_field(redaction, name, value))).collect()
}

/// Every field redacted, none dropped.
pub(crate) fn redact_fields(redaction: &Redaction, headers: &Headers) -> Headers {
    headers.iter().map(|(name, value)| (name.to_owned(), redact_field(redaction, name, value))).collect()
}

/// Makes the secrets of request fields known, which are never stored themselves, so that an answer that echoes one is redacted.
pub(crate) fn learn_request(redaction: &Redaction, headers: &Headers) {
    for secret in request_secrets(headers) {
        redaction.redactor.pseudonym(secret.as_bytes(), &*redaction.tokens);
    }
}

/// The secrets in request fields: credentials without their scheme, each cookie, the password of Basic credentials.
pub(crate) fn request_secrets(headers: &Headers) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, value) in headers.iter().filter(|(name, _)| is_sensitive_name(name)) {
        let Ok(value) = std::str::from_utf8(value) else { continue };
        if name.eq_ignore_ascii_case("cookie") {
            let values = value.split(';').filter_map(|pair| pair.split_once('='));
            secrets.extend(values.map(|(_, value)| value.trim().to_owned()));
            continue;
        }
        let (scheme, credentials) = value.split_once(' ').unwrap_or(("", value));
        secrets.push(credentials.trim().to_owned());
        let basic = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(credentials.trim()).ok());
        let decoded = basic.flatten().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some((_, password)) = decoded.as_deref().and_then(|text| text.split_once(':')) {
            secrets.push(password.to_owned());
        }
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets
}

fn redact_field(redaction: &Redaction, name: &str, value: &Bytes) -> Bytes {
    let Ok(text) = std::str::from_utf8(value) else {
        return redaction.bytes(value).map_or_else(|| value.clone(), Bytes::from);
    };
    let redacted = if name.eq_ignore_ascii_case("set-cookie") {
        redact_cookie(redaction, text)
    } else if is_sensitive_name(name) && !is_count(name, text) {
        redaction.sensitive(text)
    } else {
        let text = redact_urls(redaction, text);
        let text = text.as_deref().unwrap_or_else(|| std::str::from_utf8(value).unwrap_or_default());
        redaction.text(text)
    };
    if redacted == text { value.clone() } else { Bytes::from(redacted) }
}

/// `name=value; attributes` (RFC 6265 section 4.1.1): the value goes, name and attributes stay.
fn redact_cookie(redaction: &Redaction, text: &str) -> String {
    let (pair, attributes) = text.split_at(text.find(';').unwrap_or(text.len()));
    match pair.split_once('=') {
        Some((name, value)) if !value.trim().is_empty() => {
            format!("{name}={}{attributes}", redaction.sensitive(value.trim()))
        }
        _ => text.to_owned(),
    }
}
