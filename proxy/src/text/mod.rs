//! Sentences about sessions, one implementation per language.

mod en;
mod ko;

use mcpeak_core::locale::Locale;

use crate::session::SessionError;

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
pub trait Text: Sync {
    /// What is wrong with a session, and where.
    fn session_error(&self, error: &SessionError) -> String;
    /// How to fix it.
    fn session_hint(&self, error: &SessionError) -> String;
}

/// The sentences of a language.
pub fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}
