//! Text from outside, made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Which control characters stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None: the text becomes one line.
    Nothing,
    /// Tabs, as in a server's log lines.
    Tabs,
}

/// Writes every control character (C0, DEL, C1) and the separators U+2028/U+2029 as a literal `\uXXXX`, and with them the
/// bidirectional overrides (U+202A–202E, U+2066–2069), which reorder what a person reads.
pub fn terminal(text: &str, keep: Keep) -> Cow<'_, str> {
    if !text.chars().any(|character| must_escape(character, keep)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if must_escape(character, keep) {
            // Writing to a String cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(character));
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

fn must_escape(character: char, keep: Keep) -> bool {
    match character {
        '\t' => keep != Keep::Tabs,
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Keep, terminal};

    #[test]
    fn escapes_what_a_terminal_would_obey() {
        assert_eq!(terminal("a\u{1b}[31mb", Keep::Nothing), "a\\u001b[31mb");
        assert_eq!(terminal("a\tb\nc", Keep::Tabs), "a\tb\\u000ac");
        assert_eq!(terminal("a\tb", Keep::Nothing), "a\\u0009b");
        assert_eq!(terminal("x\u{9b}y\u{2028}z\u{202e}", Keep::Nothing), "x\\u009by\\u2028z\\u202e");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        assert!(matches!(terminal("서울 21°C", Keep::Nothing), std::borrow::Cow::Borrowed(_)));
    }
}
