//! Secrets in URLs: by name in the query, in the userinfo, by value and shape anywhere.

use std::borrow::Cow;
use std::sync::LazyLock;

use mcpeak_core::redact::is_sensitive_name;
use percent_encoding::percent_decode_str;
use regex::{Captures, Regex};

use super::{Redaction, is_count};

/// `?name=value` and `&name=value` inside a text.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"([?&])([A-Za-z0-9_.%\[\]-]+)=([^&#\s"'<>\\]+)"#).expect("a constant pattern compiles")
});

/// `://user:password@` inside a text.
static USERINFO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(://[^/\s"'@?#:\\]*:)([^/\s"'@?#\\]+)@"#).expect("a constant pattern compiles")
});

/// A path by value and shape.
pub(crate) fn redact_path(redaction: &Redaction, path: &str) -> String {
    redaction.text(path)
}

/// A query or a form body: values under sensitive names, and the rest by value and shape.
pub(crate) fn redact_form(redaction: &Redaction, form: &str) -> String {
    let mut out = String::with_capacity(form.len());
    for (index, pair) in form.split('&').enumerate() {
        if index > 0 {
            out.push('&');
        }
        match pair.split_once('=') {
            Some((name, value)) if is_secret(&form_decode(name), &form_decode(value)) => {
                out.push_str(name);
                out.push('=');
                out.push_str(&redaction.sensitive(&form_decode(value)));
            }
            _ => out.push_str(&redaction.text(pair)),
        }
    }
    out
}

/// Passwords and sensitive parameters of URLs inside a text; `None` if there are none.
pub(crate) fn redact_urls(redaction: &Redaction, text: &str) -> Option<String> {
    if !text.contains("://") && !text.contains('?') {
        return None;
    }
    let with_query = PARAMETER.replace_all(text, |captures: &Captures<'_>| {
        let value = form_decode(&captures[3]);
        if is_secret(&form_decode(&captures[2]), &value) {
            format!("{}{}={}", &captures[1], &captures[2], redaction.sensitive(&value))
        } else {
            captures[0].to_owned()
        }
    });
    let redacted = USERINFO.replace_all(&with_query, |captures: &Captures<'_>| {
        format!("{}{}@", &captures[1], redaction.sensitive(&form_decode(&captures[2])))
    });
    (redacted != text).then(|| redacted.into_owned())
}

/// Names and values of a query or form, decoded, in order.
pub(crate) fn form_pairs(form: &str) -> impl Iterator<Item = (String, String)> + '_ {
    form.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (form_decode(name).into_owned(), form_decode(value).into_owned())
    })
}

/// `+` and percent escapes undone.
pub(crate) fn form_decode(text: &str) -> Cow<'_, str> {
    if !text.contains(['+', '%']) {
        return Cow::Borrowed(text);
    }
    let spaced = text.replace('+', " ");
    Cow::Owned(percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

fn is_secret(name: &str, value: &str) -> bool {
    is_sensitive_name(name) && !is_count(name, value)
}
