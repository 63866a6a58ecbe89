//! Sentences about this crate's errors, one implementation per language.

mod en;
mod ko;

use crate::error::McpError;
use crate::locale::Locale;

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
pub trait Text: Sync {
    /// What happened.
    fn error_message(&self, error: &McpError) -> String;
    /// How to fix it.
    fn error_hint(&self, error: &McpError) -> String;
}

/// The sentences of a language.
pub fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}
