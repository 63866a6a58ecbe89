//! Header fields: what is stored of a request, what of a response.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcpeak_core::redact::{is_count, is_sensitive_name, split_scheme};
use regex::{Captures, Regex};

use super::{Redaction, redact_urls};
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

/// Attributes of a cookie (RFC 6265bis section 4.1.2, and those that browsers added); what else stands there is a value.
const COOKIE_ATTRIBUTES: [&str; 9] =
    ["expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned", "priority"];

/// `name=value` and `name="value"` among the parameters of a field.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(^|[\s;,])([A-Za-z0-9_-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+))"#)
        .expect("a constant pattern compiles")
});

/// The request fields that are stored: the allow-list and the names that matching was told to look at.
pub(crate) fn request_fields(redaction: &Redaction, headers: &Headers, further: &[String]) -> Headers {
    let stored = |name: &str| {
        STORED.iter().any(|stored| name.eq_ignore_ascii_case(stored))
            || further.iter().any(|stored| name.eq_ignore_ascii_case(stored))
    };
    redact_those(redaction, headers, stored)
}

/// The response fields that are stored: end-to-end ones; `Content-Length` only where it says something about a body that is
/// not there or delimits the body, and `Transfer-Encoding` likewise.
pub(crate) fn response_fields(redaction: &Redaction, headers: &Headers, framing: Framing) -> Headers {
    let named: Vec<String> = headers
        .get_all("connection")
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let kept = |name: &str| {
        let lower = name.to_ascii_lowercase();
        let length = lower == "content-length" && matches!(framing, Framing::Chunked | Framing::Close);
        // Where it delimits the body its place and its case are kept: it is sent there again.
        let described = lower == "transfer-encoding" && matches!(framing, Framing::None | Framing::Chunked);
        (described || !HOP_BY_HOP.contains(&lower.as_str())) && !named.contains(&lower) && !length
    };
    redact_those(redaction, headers, kept)
}

/// Every field redacted.
pub(crate) fn redact_fields(redaction: &Redaction, headers: &Headers) -> Headers {
    redact_those(redaction, headers, |_| true)
}

fn redact_those(redaction: &Redaction, headers: &Headers, stored: impl Fn(&str) -> bool) -> Headers {
    let fields = headers.iter().filter(|(name, _)| stored(name));
    // A name cannot hold a pseudonym: a field whose name holds a secret is left out.
    let fields = fields.filter(|(name, _)| redaction.bytes(name.as_bytes()).is_none());
    fields.map(|(name, value)| (name.to_owned(), redact_field(redaction, name, value))).collect()
}

/// Makes the secrets of request fields known, which are never stored themselves, so that an answer that echoes one is redacted.
pub(crate) fn learn_request(redaction: &Redaction, headers: &Headers) {
    for secret in request_secrets(headers) {
        redaction.redactor.pseudonym(secret.as_bytes(), &*redaction.tokens);
    }
}

/// The secrets in request fields: credentials without their scheme, each cookie, what Basic credentials are made of.
pub(crate) fn request_secrets(headers: &Headers) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, value) in headers.iter().filter(|(name, _)| is_sensitive_name(name)) {
        let Ok(value) = std::str::from_utf8(value) else { continue };
        if name.eq_ignore_ascii_case("cookie") {
            let values = value.split(';').map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
            secrets.extend(values.map(|value| value.trim().to_owned()));
            continue;
        }
        let Some((scheme, credentials)) = split_scheme(name, value) else {
            secrets.push(value.trim().to_owned());
            // A scheme that nobody knows.
            secrets
                .extend(value.trim().split_once(' ').map(|(_, credentials)| credentials.trim().to_owned()));
            continue;
        };
        secrets.push(credentials.trim().to_owned());
        let basic = scheme.trim().eq_ignore_ascii_case("basic");
        let decoded = if basic { STANDARD.decode(credentials.trim()).ok() } else { None };
        let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(pair) = decoded
            && let Some((_, password)) = pair.split_once(':')
        {
            secrets.push(password.to_owned());
            // A password that is too short to be looked for may stand next to its user.
            secrets.push(pair);
        }
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets
}

fn redact_field(redaction: &Redaction, name: &str, value: &Bytes) -> Bytes {
    let Ok(text) = std::str::from_utf8(value) else {
        let sensitive = is_sensitive_name(name) || name.eq_ignore_ascii_case("set-cookie");
        return if sensitive {
            Bytes::from(redaction.redactor.pseudonym(value, &*redaction.tokens))
        } else {
            redaction.bytes(value).map_or_else(|| value.clone(), Bytes::from)
        };
    };
    let redacted = if name.eq_ignore_ascii_case("set-cookie") {
        redact_cookie(redaction, text)
    } else if is_sensitive_name(name) && !is_count(name, text) {
        redaction.sensitive(name, text)
    } else {
        let urls = redact_urls(redaction, text);
        let text = redact_parameters(redaction, urls.as_deref().unwrap_or(text));
        redaction.text(&text)
    };
    if redacted == text { value.clone() } else { Bytes::from(redacted) }
}

/// `WWW-Authenticate: Custom token="x"` and the like.
fn redact_parameters<'t>(redaction: &Redaction, text: &'t str) -> std::borrow::Cow<'t, str> {
    if !text.contains('=') {
        return text.into();
    }
    PARAMETER.replace_all(text, |captures: &Captures<'_>| {
        let (before, name) = (&captures[1], &captures[2]);
        let (quote, value) = match (captures.get(3), captures.get(4)) {
            (Some(quoted), _) => ("\"", quoted.as_str()),
            (_, bare) => ("", bare.map_or("", |bare| bare.as_str())),
        };
        if is_sensitive_name(name) && !is_count(name, value) {
            format!("{before}{name}={quote}{}{quote}", redaction.sensitive(name, value))
        } else {
            captures[0].to_owned()
        }
    })
}

/// `name=value; attributes` (RFC 6265 section 4.1.1): the value goes, name and attributes stay.
fn redact_cookie(redaction: &Redaction, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, piece) in text.split(';').enumerate() {
        if index > 0 {
            out.push(';');
        }
        let (name, value) = piece.split_once('=').unwrap_or(("", piece));
        let known =
            |text: &str| COOKIE_ATTRIBUTES.iter().any(|known| text.trim().eq_ignore_ascii_case(known));
        if index > 0 && (known(name) || known(piece) || piece.trim().is_empty()) {
            out.push_str(&redact_folded(redaction, name, piece));
            continue;
        }
        let trimmed = value.trim();
        let pseudonym = redaction.sensitive("", trimmed);
        out.push_str(&piece[..piece.len() - value.len()]);
        out.push_str(&if trimmed.is_empty() { value.to_owned() } else { value.replace(trimmed, &pseudonym) });
    }
    redaction.text(&out)
}

/// An attribute; behind a comma another cookie may follow, where fields were joined.
fn redact_folded(redaction: &Redaction, name: &str, piece: &str) -> String {
    let expires = name.trim().eq_ignore_ascii_case("expires");
    let comma = piece.match_indices(',').map(|(at, _)| at).nth(usize::from(expires));
    match comma.map(|at| piece.split_at(at + 1)).and_then(|(own, next)| Some((own, next.split_once('=')?))) {
        Some((own, (cookie, value))) if !value.is_empty() => {
            format!("{own}{cookie}={}", redaction.sensitive("", value.trim()))
        }
        _ => piece.to_owned(),
    }
}
