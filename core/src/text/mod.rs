//! Sentences about this crate's errors, one implementation per language.

mod en;
mod ko;
mod ko_rules;

use crate::error::McpError;
use crate::locale::Locale;
use crate::target::TargetError;

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
pub trait Text: Sync {
    /// What happened.
    fn error_message(&self, error: &McpError) -> String;
    /// How to fix it.
    fn error_hint(&self, error: &McpError) -> String;
    /// What is wrong with a target.
    fn target_message(&self, error: &TargetError) -> String;
    /// How to fix it.
    fn target_hint(&self, error: &TargetError) -> String;
}

/// The sentences of a language.
pub fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}

/// The beginning of outside text inside a sentence, on one line.
fn short(text: &str) -> String {
    const CHARACTERS: usize = 200;
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(CHARACTERS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
