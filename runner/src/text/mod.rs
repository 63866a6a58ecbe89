//! Sentences of reports and errors, one implementation per language.

mod en;
mod ko;

use mcpeak_core::locale::Locale;

use crate::determinism::{DifferenceHint, Unavailable};
use crate::diagnostic::{Cause, ViolationFacts};
use crate::lint::{FindingFacts, FindingGroup};
use crate::report::StopReason;
use crate::reset::ResetErrorKind;
use crate::suite::{Problem, SuiteErrorKind};

/// What happened and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// What happened.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// Words that stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Before an error's code.
    Error,
    /// Before a hint.
    Fix,
    /// Before the message of an assertion that was not evaluated.
    Skipped,
    /// Before the reason of a stop.
    Stopped,
    /// Nothing in a list.
    Nothing,
    /// No response on one side of a comparison.
    NoResponse,
    /// The root of a value.
    Root,
    /// Heading of the totals of several suites.
    Total,
}

/// The state of the approval, with what the lines say.
#[derive(Clone, Copy, Debug)]
pub enum ApprovalFacts<'a> {
    /// Unchanged.
    Matched {
        /// Fingerprint, twelve digits.
        fingerprint: &'a str,
    },
    /// Changed.
    Mismatched {
        /// Approved fingerprint, twelve digits.
        approved: &'a str,
        /// Fingerprint now, twelve digits.
        current: &'a str,
        /// Whether every case passed.
        passed: bool,
    },
    /// Never approved.
    Absent,
}

/// The outcome of a comparison of two passes.
#[derive(Clone, Copy, Debug)]
pub struct DeterminismFacts {
    /// Cases compared.
    pub compared: usize,
    /// Cases that ran in neither pass.
    pub skipped: usize,
    /// Cases that differ.
    pub differences: usize,
    /// Whether the state was reset before each pass.
    pub reset: bool,
}

/// What the diagnostics block of a server says.
#[derive(Clone, Copy, Debug)]
pub enum ServerLine<'a> {
    /// Heading for a process.
    ProcessHeading,
    /// How it ended.
    Exit {
        /// Exit code.
        code: Option<i32>,
        /// Signal name.
        signal: Option<&'a str>,
    },
    /// Heading of stderr.
    Stderr {
        /// Lines shown.
        shown: usize,
        /// Lines above them.
        above: usize,
        /// Whether the beginning was dropped while collecting.
        truncated: bool,
    },
    /// Nothing on stderr.
    StderrEmpty,
    /// Heading for an endpoint.
    HttpHeading,
    /// The endpoint.
    Endpoint(&'a str),
    /// The last status.
    Status(Option<u16>),
    /// The session.
    Session(Option<&'a str>),
}

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
pub trait Text: Sync {
    /// Words that stand alone.
    fn label(&self, label: Label) -> &'static str;
    /// A broken rule of the suite format.
    fn issue(&self, problem: &Problem) -> Sentence;
    /// A suite that could not be used.
    fn suite_error(&self, kind: &SuiteErrorKind, path: Option<&str>) -> Sentence;
    /// Why a case did not pass.
    fn diagnostic(&self, cause: &Cause<'_>) -> Sentence;
    /// The hint for an operation error that has none.
    fn operation_hint(&self) -> &'static str;
    /// A low-level cause.
    fn cause_note(&self, cause: &str) -> String;
    /// A violation of a response schema, without its path.
    fn violation(&self, facts: &ViolationFacts<'_>) -> String;
    /// An object, by its size.
    fn object_size(&self, keys: usize) -> String;
    /// An array, by its size.
    fn array_size(&self, items: usize) -> String;
    /// After a text that was cut at its end.
    fn cut_mark(&self, total: usize) -> String;
    /// Before a text that was cut at its beginning.
    fn skipped_before(&self, skipped: usize) -> String;
    /// After a log line that was cut.
    fn cut_line(&self, omitted: usize) -> String;
    /// After lines that are not shown.
    fn more_lines(&self, more: usize) -> String;
    /// What the server returned, as one line.
    fn received(&self, value: &str) -> String;
    /// After the first of several messages.
    fn more_diagnostics(&self, more: usize) -> String;
    /// Refusals whose grounds are unknown.
    fn unverified_rejections(&self, count: usize) -> Vec<String>;
    /// Why the run stopped.
    fn stop(&self, reason: &StopReason) -> String;
    /// Heading of the findings of a case.
    fn finding_heading(&self, group: FindingGroup, case_id: &str) -> String;
    /// One finding.
    fn finding(&self, facts: &FindingFacts) -> String;
    /// Cases that were approved as defects of the server and fail still.
    fn server_defects(&self, case_ids: &[&str]) -> String;
    /// The state of the approval.
    fn approval(&self, facts: &ApprovalFacts<'_>) -> Vec<String>;
    /// The outcome of comparing two passes.
    fn determinism(&self, facts: &DeterminismFacts) -> Vec<String>;
    /// Two values that differ.
    fn difference(&self, path: Option<&str>, first: &str, second: &str) -> String;
    /// What the difference looks like.
    fn difference_hint(&self, hint: DifferenceHint) -> &'static str;
    /// Why two passes could not be compared.
    fn determinism_unavailable(&self, reason: &Unavailable) -> Vec<String>;
    /// A line of the diagnostics block.
    fn server(&self, line: &ServerLine<'_>) -> String;
    /// A reset command that failed.
    fn reset_error(&self, command: &str, kind: &ResetErrorKind) -> Sentence;
    /// The totals of several suites.
    fn suites_total(&self, suites: usize, passed: usize) -> String;
}

/// The sentences of a language.
pub fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}
