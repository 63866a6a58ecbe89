//! English.

mod issues;
mod runs;

use super::{ApprovalFacts, DeterminismFacts, Label, Sentence, ServerLine, Text};
use crate::determinism::{DifferenceHint, Unavailable};
use crate::diagnostic::{Cause, ViolationFacts};
use crate::lint::{FindingFacts, FindingGroup};
use crate::report::StopReason;
use crate::reset::ResetErrorKind;
use crate::suite::{Problem, SuiteErrorKind};

pub(super) struct English;

impl Text for English {
    fn label(&self, label: Label) -> &'static str {
        match label {
            Label::Error => "Error",
            Label::Fix => "Fix",
            Label::Skipped => "(skipped) ",
            Label::Stopped => "Stopped",
            Label::Nothing => "(none)",
            Label::NoResponse => "(no response)",
            Label::Root => "(root)",
            Label::Total => "Total",
        }
    }

    fn issue(&self, problem: &Problem) -> Sentence {
        issues::issue(problem)
    }

    fn suite_error(&self, kind: &SuiteErrorKind, path: Option<&str>) -> Sentence {
        issues::suite_error(kind, path)
    }

    fn diagnostic(&self, cause: &Cause<'_>) -> Sentence {
        runs::diagnostic(cause)
    }

    fn operation_hint(&self) -> &'static str {
        "Check the tool that was called, what the server supports, and its log."
    }

    fn cause_note(&self, cause: &str) -> String {
        format!("Cause: {cause}")
    }

    fn violation(&self, facts: &ViolationFacts<'_>) -> String {
        runs::violation(facts)
    }

    fn object_size(&self, keys: usize) -> String {
        format!("object ({keys} {})", plural(keys, "key", "keys"))
    }

    fn array_size(&self, items: usize) -> String {
        format!("array ({items} {})", plural(items, "element", "elements"))
    }

    fn cut_mark(&self, total: usize) -> String {
        format!("…({total} characters in total)")
    }

    fn skipped_before(&self, skipped: usize) -> String {
        format!("…({skipped} characters before)")
    }

    fn cut_line(&self, omitted: usize) -> String {
        format!(" …({omitted} characters omitted)")
    }

    fn more_lines(&self, more: usize) -> String {
        format!("…({more} more {})", plural(more, "line", "lines"))
    }

    fn received(&self, value: &str) -> String {
        format!("The server returned: {value}")
    }

    fn more_diagnostics(&self, more: usize) -> String {
        format!(" ({more} more)")
    }

    fn unverified_rejections(&self, count: usize) -> Vec<String> {
        let cases = plural(count, "case", "cases");
        vec![
            format!("  → {count} {cases} expecting a refusal got one whose grounds are unknown."),
            "    Whether the server refused the input or failed for another reason cannot be told from its words."
                .to_owned(),
            "    Check: look at the responses of these cases (rejectionBody in --json).".to_owned(),
        ]
    }

    fn stop(&self, reason: &StopReason) -> String {
        runs::stop(reason)
    }

    fn finding_heading(&self, group: FindingGroup, case_id: &str) -> String {
        match group {
            FindingGroup::Input => {
                format!("Note: the input of {case_id} differs from what the server declares")
            }
            FindingGroup::Vacuous => format!("Note: an assertion of {case_id} passes whatever comes"),
            FindingGroup::Rejection => {
                format!("Note: {case_id} expects a refusal, but its input breaks nothing that is declared")
            }
            FindingGroup::NotAnalyzable => format!("Note: the input of {case_id} was not checked"),
        }
    }

    fn finding(&self, facts: &FindingFacts) -> String {
        runs::finding(facts)
    }

    fn server_defects(&self, case_ids: &[&str]) -> String {
        format!("    Note: approved as a defect of the server, which is still there: {}", case_ids.join(", "))
    }

    fn approval(&self, facts: &ApprovalFacts<'_>) -> Vec<String> {
        match facts {
            ApprovalFacts::Matched { fingerprint } => {
                vec![format!("Suite: unchanged since approval ({fingerprint}…)")]
            }
            ApprovalFacts::Mismatched { approved, current, passed } => vec![
                "Suite: differs from its approval.fingerprint".to_owned(),
                format!("  → approved {approved}…   now {current}…"),
                if *passed {
                    "  → The cases that passed are not those that were approved. If the change is meant, approve it again: mcpeak generate --force."
                        .to_owned()
                } else {
                    "  → The change may be the cause of the failure: look at the diff of the suite first. If it is meant, approve it again: mcpeak generate --force."
                        .to_owned()
                },
            ],
            ApprovalFacts::Absent => vec![
                "Suite: not approved (no fingerprint)".to_owned(),
                "  → approval.fingerprint would pin it, so that a later change of the suite shows here."
                    .to_owned(),
            ],
        }
    }

    fn determinism(&self, facts: &DeterminismFacts) -> Vec<String> {
        runs::determinism(*facts)
    }

    fn difference(&self, path: Option<&str>, first: &str, second: &str) -> String {
        let path = path.map(|path| format!("{path}: ")).unwrap_or_default();
        format!("{path}first {first}, then {second}")
    }

    fn difference_hint(&self, hint: DifferenceHint) -> &'static str {
        match hint {
            DifferenceHint::Timestamp => "Only a time differs: the response contains the current time.",
            DifferenceHint::RandomId => "Only an identifier differs: the response contains a random id.",
            DifferenceHint::NumericDrift => "Only a number differs: a counter, a duration or live data.",
        }
    }

    fn determinism_unavailable(&self, reason: &Unavailable) -> Vec<String> {
        runs::determinism_unavailable(reason)
    }

    fn server(&self, line: &ServerLine<'_>) -> String {
        runs::server(line)
    }

    fn reset_error(&self, command: &str, kind: &ResetErrorKind) -> Sentence {
        runs::reset_error(command, kind)
    }

    fn suites_total(&self, suites: usize, passed: usize) -> String {
        format!("{passed} of {suites} suites passed")
    }
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

fn sentence(message: impl Into<String>, hint: impl Into<String>) -> Sentence {
    Sentence { message: message.into(), hint: hint.into() }
}
