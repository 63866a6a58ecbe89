//! English.

use mcpeak_proxy::interchange::{ImportError, Lost, Note};
use mcpeak_proxy::session::tools::{Drift, SecretKind};
use mcpeak_proxy::verify::{Skip, Verification};

use super::SessionText;

pub(super) struct English;

fn list(statuses: &[u16]) -> String {
    statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

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

    fn lost(&self, note: &Note) -> String {
        let what = match note.lost {
            Lost::NotHttp => "left out, no HTTP request to an absolute URL",
            Lost::NoAnswer => "left out, without an answer or a reason why there is none",
            Lost::BodyMissing => "left out, the file has the size of the body but not the body",
            Lost::Frames => "left out, the frames of a WebSocket",
            Lost::ContentEncoding => "stored without Content-Encoding, which the file has undone",
            Lost::EventTimes => "the times of a stream's events",
        };
        format!("not carried over ({}×): {what}; first {}", note.count, note.example)
    }

    fn imported(&self, exchanges: u64, from: &str, file: &str) -> String {
        let exchanges = count(usize::try_from(exchanges).unwrap_or(usize::MAX), "exchange");
        format!("{exchanges} of {from} imported into {file}")
    }

    fn import_unknown(&self, file: &str, known: &str) -> (String, String) {
        (format!("{file} is no recording of a known tool"), format!("say with --format what it is: {known}"))
    }

    fn import_invalid(&self, file: &str, format: &str, error: &ImportError) -> (String, String) {
        (
            format!("{file} is no valid {format}: {error}"),
            "export it anew with the tool that wrote it".to_owned(),
        )
    }

    fn import_unreadable(&self, file: &str, why: &str) -> (String, String) {
        (format!("{file} cannot be read: {why}"), "check the path and its permissions".to_owned())
    }

    fn export_exists(&self, file: &str) -> (String, String) {
        (format!("{file} exists"), "choose another file, or add --force".to_owned())
    }

    fn drift(&self, drift: &Drift) -> String {
        match drift {
            Drift::Status { recorded, live } => format!("status {live}, recorded {}", list(recorded)),
            Drift::MediaType { recorded, live } => {
                format!("content-type {live}, recorded {}", recorded.join(", "))
            }
            Drift::NotJson => "the body is no JSON any more".to_owned(),
            Drift::Missing { place } => format!("{place} is missing"),
            Drift::Type { place, recorded, live } => {
                format!("{place} is {}, recorded {}", live.join(" or "), recorded.join(" or "))
            }
            Drift::Added { place } => format!("{place} is new"),
        }
    }

    fn no_live_answer(&self, why: &str) -> String {
        format!("no answer: {why}")
    }

    fn skipped(&self, why: &Skip) -> String {
        match why {
            Skip::NeedsValue { placeholder } => format!("not sent, the value of {placeholder} is not known"),
            Skip::NoAnswer => "not sent, no answer is recorded".to_owned(),
        }
    }

    fn verified(&self, verification: &Verification) -> String {
        let drifted = verification.checked.iter().filter(|checked| checked.has_drifted()).count();
        format!(
            "{} checked, {drifted} drifted, {} skipped; {} may change something and never sent",
            count(verification.checked.len(), "request"),
            verification.skipped.len(),
            verification.unsafe_requests
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
