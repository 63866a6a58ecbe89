//! Pseudonyms in a text: `{{secret:NAME}}`, `{{secret:NAME:encoding}}`, `{{token:3}}`, provisional `{{token:~3}}`, `{{token}}`.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

/// Plain or percent-encoded.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)(?:\{\{|%7[Bb]%7[Bb])(?:token(?:(?::|%3[Aa])(?:~|%7[Ee])?([0-9]+))?|secret(?::|%3[Aa])[A-Za-z0-9_.-]+(?:(?::|%3[Aa])[a-z0-9-]+)?)(?:\}\}|%7[Dd]%7[Dd])")
        .expect("a constant pattern compiles")
});

static PROVISIONAL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)\{\{token:~([0-9]+)\}\}").expect("a constant pattern compiles"));

/// Whether a text holds a pseudonym with a number: one that a recording handed out.
pub(crate) fn has_numbered(text: &[u8]) -> bool {
    may_hold(text) && ANY.captures_iter(text).any(|captures| captures.get(1).is_some())
}

/// The text with every pseudonym as `{{*}}`.
pub(crate) fn collapse(text: &[u8]) -> Cow<'_, [u8]> {
    if may_hold(text) { ANY.replace_all(text, &b"{{*}}"[..]) } else { Cow::Borrowed(text) }
}

/// The provisional ids of a text in order.
pub(crate) fn provisional_ids(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    PROVISIONAL.captures_iter(text).filter_map(|captures| id(&captures))
}

/// The text with provisional ids replaced by final ones.
pub(crate) fn renumber<'t>(text: &'t [u8], numbers: &dyn Fn(usize) -> Option<usize>) -> Cow<'t, [u8]> {
    PROVISIONAL.replace_all(text, |captures: &Captures<'_>| match id(captures).and_then(numbers) {
        Some(number) => format!("{{{{token:{number}}}}}").into_bytes(),
        None => captures[0].to_vec(),
    })
}

/// The text with provisional pseudonyms as `{{token}}`: reports do not show the order of discovery.
pub(crate) fn without_ids(text: &str) -> String {
    String::from_utf8_lossy(&PROVISIONAL.replace_all(text.as_bytes(), &b"{{token}}"[..])).into_owned()
}

fn id(captures: &Captures<'_>) -> Option<usize> {
    std::str::from_utf8(&captures[1]).ok()?.parse().ok()
}

fn may_hold(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"{{" || pair == b"%7")
}

#[cfg(test)]
mod tests {
    use super::{collapse, has_numbered, provisional_ids, renumber};

    #[test]
    fn reads_every_form() {
        for text in [
            "{{token}}",
            "{{token:1}}",
            "{{token:~12}}",
            "{{secret:A_B}}",
            "{{secret:A:base64-1}}",
            "%7B%7Btoken%3A1%7d%7d",
        ] {
            assert_eq!(&*collapse(format!("a{text}b").as_bytes()), b"a{{*}}b", "{text}");
        }
        assert!(has_numbered(b"x %7B%7Btoken:1%7D%7D") && !has_numbered(b"{{token}} {{secret:A}}"));
        for text in ["{{tokens}}", "{{secret}}", "{{token:x}}", "{{ token }}"] {
            assert_eq!(&*collapse(text.as_bytes()), text.as_bytes(), "{text}");
        }
    }

    #[test]
    fn renumbers() {
        assert_eq!(provisional_ids(b"{{token:~7}} {{token:~3}} {{token:1}}").collect::<Vec<_>>(), [7, 3]);
        let renumbered = renumber(b"{{token:~7}}-{{token:~9}}", &|id| (id == 7).then_some(1));
        assert_eq!(&*renumbered, b"{{token:1}}-{{token:~9}}");
    }
}
