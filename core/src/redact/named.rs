//! A value under a sensitive name: whether it is a secret, and how much of it.

use super::name::is_sensitive_name;
use super::redactor::{Redactor, Tokens};

/// Schemes of HTTP authentication (the IANA registry, and those that large services made up), in lower case.
const SCHEMES: [&str; 25] = [
    "apikey",
    "api-key",
    "aws4-hmac-sha256",
    "basic",
    "bearer",
    "bot",
    "concealed",
    "digest",
    "dpop",
    "genie-key",
    "gnap",
    "hawk",
    "hmac",
    "hoba",
    "jwt",
    "key",
    "mutual",
    "negotiate",
    "ntlm",
    "oauth",
    "privatetoken",
    "scram-sha-256",
    "sharedkey",
    "token",
    "vapid",
];
/// Units that a count may have, and what stands before an exponent.
const UNITS: [&str; 18] =
    ["", "ns", "us", "µs", "ms", "s", "sec", "m", "min", "h", "d", "k", "M", "%", "e", "E", "e-", "e+"];

/// Whether a name of a query, a form or a part says that its value is a secret: `user[password]`, `auth.token`.
pub fn names_secret(name: &str) -> bool {
    if is_sensitive_name(name) {
        return true;
    }
    let Some(outer) = name.find(['[', '.', ';']) else { return false };
    // Below brackets everything is part of the value; a dot only leads to the last word.
    let bracketed = name[outer..].contains('[') && name.split(['[', ']']).any(is_sensitive_name);
    bracketed
        || name.rsplit(['.', '[', ']', ';']).find(|word| !word.is_empty()).is_some_and(is_sensitive_name)
}

/// Whether a value under `…tokens` counts something: `max_tokens: 100`, `x-ratelimit-reset-tokens: 6m0s`.
pub fn is_count(name: &str, value: &str) -> bool {
    let plural = name.len() >= 6
        && name.is_char_boundary(name.len() - 6)
        && name[name.len() - 6..].eq_ignore_ascii_case("tokens");
    if !plural || value.len() >= 16 {
        return false;
    }
    let mut rest = value.strip_prefix('-').unwrap_or(value);
    while !rest.is_empty() {
        let digits = rest.find(|next: char| !next.is_ascii_digit() && next != '.').unwrap_or(rest.len());
        let unit = rest[digits..].find(|next: char| next.is_ascii_digit()).unwrap_or(rest.len() - digits);
        if digits == 0 || rest.starts_with('.') || !UNITS.contains(&rest[digits..digits + unit].trim()) {
            return false;
        }
        rest = &rest[digits + unit..];
    }
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Scheme, space and credentials of the value of an `…authorization` field.
pub fn split_scheme<'a>(name: &str, value: &'a str) -> Option<(&'a str, &'a str)> {
    let name = name.trim();
    let at = name.len().checked_sub("authorization".len())?;
    if !name.is_char_boundary(at) || !name[at..].eq_ignore_ascii_case("authorization") {
        return None;
    }
    let (scheme, rest) = value.trim_start().split_once(' ')?;
    let credentials = rest.trim_start();
    let known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    (known && !credentials.is_empty()).then(|| value.split_at(value.len() - credentials.len()))
}

/// Whether a text is one pseudonym and nothing else: `{{token}}`, `{{token:1}}`, `{{token:~1}}`, `{{secret:NAME:encoding}}`.
pub fn is_pseudonym(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) else { return false };
    let Some((kind, rest)) = inner.split_once(':') else { return inner == "token" };
    match kind {
        "token" => {
            let digits = rest.strip_prefix('~').unwrap_or(rest);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        "secret" => {
            let (name, encoding) = rest.split_once(':').unwrap_or((rest, "x"));
            let named = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            let encoded = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !name.is_empty()
                && name.bytes().all(named)
                && !encoding.is_empty()
                && encoding.bytes().all(encoded)
        }
        _ => false,
    }
}

impl Redactor {
    /// What a value under a sensitive name becomes: the scheme of an `Authorization` stays, a pseudonym stays.
    pub fn sensitive(&self, name: &str, value: &str, tokens: &dyn Tokens) -> String {
        if value.is_empty() || is_pseudonym(value) {
            return value.to_owned();
        }
        match split_scheme(name, value) {
            Some((scheme, credentials)) if is_pseudonym(credentials) => format!("{scheme}{credentials}"),
            Some((scheme, credentials)) => {
                format!("{scheme}{}", self.pseudonym(credentials.as_bytes(), tokens))
            }
            None => self.pseudonym(value.as_bytes(), tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_count, is_pseudonym, names_secret, split_scheme};
    use crate::redact::{Redactor, UnknownTokens};

    #[test]
    fn a_passphrase_has_no_scheme() {
        let redact = |name: &str, value: &str| Redactor::default().sensitive(name, value, &UnknownTokens);
        assert_eq!(redact("password", "correct horse battery staple"), "{{token}}");
        assert_eq!(redact("password", "Bearer of bad news"), "{{token}}");
        assert_eq!(redact("Authorization", "correct horse battery staple"), "{{token}}");
        assert_eq!(redact("Proxy-Authorization", "Basic  dTpw"), "Basic  {{token}}");
        assert_eq!(redact("authorization", "Bearer Token x y"), "Bearer {{token}}");
        assert_eq!(redact("x-authorization", "bearer {{secret:A}}"), "bearer {{secret:A}}");
        assert_eq!(split_scheme("authorization", "Bearer "), None);
    }

    #[test]
    fn counts_are_numbers_with_units() {
        for value in ["100", "-1", "6ms", "6m0s", "1.5s", "20 s", "1e2"] {
            assert!(is_count("max_tokens", value), "{value}");
        }
        for value in ["9abcQ7z8y", "", "-", "1s2x", "12345678901234567890", "1 2 3 s x"] {
            assert!(!is_count("tokens", value), "{value}");
        }
        assert!(!is_count("token", "1"));
    }

    #[test]
    fn names_in_brackets_and_behind_dots() {
        for name in ["user[password]", "auth.token", "credentials[user]", "a[b][api_key]", "a;password"] {
            assert!(names_secret(name), "{name}");
        }
        for name in ["token.type", "a[b]", "api.key", ""] {
            assert!(!names_secret(name), "{name}");
        }
    }

    #[test]
    fn whole_pseudonyms_only() {
        for text in ["{{token}}", "{{token:3}}", "{{token:~3}}", "{{secret:A.b:json-ascii}}"] {
            assert!(is_pseudonym(text), "{text}");
        }
        for text in ["{{hunter2", "{{token}} x}}", "{{secret:}}", "{{token:a}}", "{{x}}", "{{secret:A:B}}"] {
            assert!(!is_pseudonym(text), "{text}");
        }
    }
}
