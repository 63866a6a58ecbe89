//! English.

use mcpeak_proxy::session::tools::SecretKind;

use super::SessionText;

pub(super) struct English;

/// `1 recording`, `2 recordings`.
fn count(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

impl SessionText for English {
    fn secret_kind(&self, kind: &SecretKind) -> String {
        match kind {
            SecretKind::Value { variable } => format!("the value of {variable}"),
            SecretKind::Name => "a secret by its name".to_owned(),
            SecretKind::Shape => "a secret by its shape".to_owned(),
        }
    }

    fn lint_found(&self, found: usize, file: &str) -> String {
        format!("✗ {} in {file}", count(found, "secret"))
    }

    fn lint_clean(&self, file: &str) -> String {
        format!("✓ no secret in {file}")
    }

    fn lint_fix(&self) -> String {
        "record the session again, or write {{secret:NAME}} or {{token:1}} in the place of the secret; what was committed before must be revoked".to_owned()
    }

    fn diff_only_in(&self, file: &str, number: usize) -> String {
        format!("only in {file} ({}):", count(number, "recording"))
    }

    fn diff_changed(&self, number: usize) -> String {
        format!("other answers ({}):", count(number, "recording"))
    }

    fn diff_nothing(&self) -> String {
        "(nothing)".to_owned()
    }

    fn diff_summary(&self, same: usize, only_left: usize, only_right: usize, changed: usize) -> String {
        format!("{same} alike, {changed} changed, {only_left} gone, {only_right} new")
    }

    fn prune_needs_selection(&self) -> (String, String) {
        (
            "nothing says which recordings to take out".to_owned(),
            "give --unused-from REPORT, --host HOST or --errors".to_owned(),
        )
    }

    fn prune_bad_report(&self, path: &str, why: &str) -> (String, String) {
        (
            format!("{path} is no report of a replay: {why}"),
            "write one with `mcpeak test --session FILE --json REPORT`".to_owned(),
        )
    }

    fn pruned(&self, removed: usize, left: usize, file: &str, written: bool) -> String {
        let removed = count(removed, "recording");
        if written {
            format!("{removed} taken out of {file}, {left} left")
        } else {
            format!("{removed} would be taken out of {file}, {left} left; add --write to do it")
        }
    }
}
