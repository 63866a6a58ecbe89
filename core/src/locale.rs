//! The language of sentences for people.

/// A language that every text trait has an implementation for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    /// English.
    #[default]
    En,
    /// Korean, the language of the TypeScript MCPeak.
    Ko,
}

impl Locale {
    /// Reads a locale name as `LANG` and `--locale` give it: `ko`, `ko_KR.UTF-8`, `en`, `C`, …
    /// Anything that is not Korean is English; `None` only for an empty text.
    pub fn from_name(name: &str) -> Option<Self> {
        if name.is_empty() {
            return None;
        }
        let language = name.split(['_', '-', '.', '@']).next().unwrap_or(name);
        Some(if language.eq_ignore_ascii_case("ko") { Self::Ko } else { Self::En })
    }
}

#[cfg(test)]
mod tests {
    use super::Locale;

    #[test]
    fn reads_posix_and_bcp47_names() {
        assert_eq!(Locale::from_name("ko_KR.UTF-8"), Some(Locale::Ko));
        assert_eq!(Locale::from_name("ko-KR"), Some(Locale::Ko));
        assert_eq!(Locale::from_name("KO"), Some(Locale::Ko));
        assert_eq!(Locale::from_name("kok_IN"), Some(Locale::En));
        assert_eq!(Locale::from_name("C.UTF-8"), Some(Locale::En));
        assert_eq!(Locale::from_name(""), None);
    }
}
