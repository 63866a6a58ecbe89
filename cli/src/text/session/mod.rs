//! Sentences of `mcpeak session`, one implementation per language.

mod en;
mod ko;

use mcpeak_core::locale::Locale;
use mcpeak_proxy::interchange::{ImportError, Note};
use mcpeak_proxy::session::tools::{Drift, SecretKind};
use mcpeak_proxy::verify::{Skip, Verification};

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
/// Text from outside that is passed in is escaped where the result is printed.
pub(crate) trait SessionText: Sync {
    /// What tells that something is a secret.
    fn secret_kind(&self, kind: &SecretKind) -> String;
    /// The last line of a file with secrets in it.
    fn lint_found(&self, count: usize, file: &str) -> String;
    fn lint_clean(&self, file: &str) -> String;
    fn lint_fix(&self) -> String;

    fn diff_only_in(&self, file: &str, count: usize) -> String;
    fn diff_changed(&self, count: usize) -> String;
    fn diff_nothing(&self) -> String;
    fn diff_summary(&self, same: usize, only_left: usize, only_right: usize, changed: usize) -> String;

    fn prune_needs_selection(&self) -> (String, String);
    fn prune_bad_report(&self, path: &str, why: &str) -> (String, String);
    fn lost(&self, note: &Note) -> String;
    fn imported(&self, exchanges: u64, from: &str, file: &str) -> String;
    fn import_unknown(&self, file: &str, known: &str) -> (String, String);
    fn import_invalid(&self, file: &str, format: &str, error: &ImportError) -> (String, String);
    fn import_unreadable(&self, file: &str, why: &str) -> (String, String);
    fn export_exists(&self, file: &str) -> (String, String);
    fn drift(&self, drift: &Drift) -> String;
    fn no_live_answer(&self, why: &str) -> String;
    fn skipped(&self, why: &Skip) -> String;
    fn verified(&self, verification: &Verification) -> String;
    fn pruned(&self, removed: usize, left: usize, file: &str, written: bool) -> String;
}

/// The sentences of a language.
pub(crate) fn of(locale: Locale) -> &'static dyn SessionText {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}
