//! Secrets of URLs inside any bytes: parameters under sensitive names, and the userinfo.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use percent_encoding::percent_decode;
use regex::bytes::Regex;

use super::named::{is_count, names_secret};
use super::value::is_searchable;

/// `?name=value`, `&name=value`, `#name=value`, `;name=value`; `&` also as JSON may escape it.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)(?:[?#&;]|\\u0026|\\u003[fF])([A-Za-z0-9_.%\[\]~-]{1,128})=([^&#\s"'<>\\]+)"#)
        .expect("a constant pattern compiles")
});

/// `://userinfo@`, the slashes as JSON may escape them; everything to the last `@` before the path (RFC 3986 section 3.2.1).
static USERINFO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u):(?:\\{0,4}/){2}([^/\s"'<>?#\\]{1,4096})@"#).expect("a constant pattern compiles")
});

/// A secret under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlSecret {
    /// Where it stands.
    pub range: Range<usize>,
    /// The name it stands under; empty in a userinfo.
    pub name: String,
    /// It, its escapes undone.
    pub value: String,
}

/// `+` and percent escapes undone.
pub fn form_decode(text: &[u8]) -> Cow<'_, str> {
    if !text.iter().any(|byte| matches!(byte, b'+' | b'%')) {
        return String::from_utf8_lossy(text);
    }
    let spaced: Vec<u8> = text.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect();
    Cow::Owned(percent_decode(&spaced).decode_utf8_lossy().into_owned())
}

/// The first parameter under a sensitive name at or after an offset.
pub fn find_parameter(haystack: &[u8], from: usize) -> Option<UrlSecret> {
    let mut from = from;
    while let Some(captures) = PARAMETER.captures_at(haystack, from) {
        let (name, value) = (captures.get(1)?, captures.get(2)?);
        let decoded = form_decode(name.as_bytes());
        if names_secret(&decoded) {
            let text = form_decode(value.as_bytes());
            if !is_count(&decoded, &text) {
                return Some(UrlSecret {
                    range: value.range(),
                    name: decoded.into_owned(),
                    value: text.into_owned(),
                });
            }
        }
        // A value may hold a semicolon and then a parameter.
        from = value.start();
    }
    None
}

/// The first password or token in a userinfo at or after an offset.
pub fn find_userinfo(haystack: &[u8], from: usize) -> Option<UrlSecret> {
    let mut from = from;
    while let Some(captures) = USERINFO.captures_at(haystack, from) {
        let userinfo = captures.get(1)?;
        let colon = userinfo.as_bytes().iter().position(|&byte| byte == b':');
        let user = colon.unwrap_or(userinfo.len());
        let token = is_token(&userinfo.as_bytes()[..user], colon.is_some());
        let range = match colon {
            // A token may stand in the user's place (`TOKEN:x-oauth-basic@`): then nothing of it is a name.
            _ if token => userinfo.range(),
            Some(colon) => userinfo.start() + colon + 1..userinfo.end(),
            None => userinfo.end()..userinfo.end(),
        };
        if !range.is_empty() {
            let value = percent_decode(&haystack[range.clone()]).decode_utf8_lossy().into_owned();
            return Some(UrlSecret { range, name: String::new(), value });
        }
        from = userinfo.end();
    }
    None
}

/// Whether a user's name is a token rather than a name; one that has a password beside it is likelier a name.
fn is_token(user: &[u8], has_password: bool) -> bool {
    let text = String::from_utf8_lossy(user);
    let mixed = user.iter().any(u8::is_ascii_digit) && user.iter().any(u8::is_ascii_alphabetic);
    if has_password { user.len() >= 16 && mixed } else { is_searchable(&text) }
}

#[cfg(test)]
mod tests {
    use super::{find_parameter, find_userinfo};

    #[test]
    fn parameters() {
        for (text, secret) in [
            ("https://h/?user[password]=hunter2", "hunter2"),
            ("https://h/?user%5Bpassword%5D=hunter2&x=1", "hunter2"),
            ("/cb#access_token=hunter2", "hunter2"),
            ("?a=1;password=hunter2", "hunter2"),
            (r"https:\/\/h\/?a=1\u0026auth.token=hunter2", "hunter2"),
            ("?x=1&amp;token=hunter2\">", "hunter2"),
        ] {
            let found = find_parameter(text.as_bytes(), 0).expect(text);
            assert_eq!(&text[found.range], secret, "{text}");
        }
        assert_eq!(find_parameter(b"?tokens=12&a=b&c", 0), None);
    }

    #[test]
    fn userinfo() {
        for (text, secret) in [
            ("https://u:a@pw@h/", "a@pw"),
            ("https://abcTOKEN123@h/", "abcTOKEN123"),
            ("https://0123456789abcdefgh:x@h/", "0123456789abcdefgh:x"),
            (r"redis:\/\/:pw@h", "pw"),
        ] {
            let found = find_userinfo(text.as_bytes(), 0).expect(text);
            assert_eq!(&text[found.range], secret, "{text}");
        }
        for text in ["ssh://git@h/x", "https://h/x@y:z", "https://h?x=a:b@c", "https://u:@h"] {
            assert_eq!(find_userinfo(text.as_bytes(), 0), None, "{text}");
        }
    }
}
