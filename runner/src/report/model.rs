//! The report, key by key as the JSON has it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::approval::{ApprovalCheck, ApprovalState};
use crate::determinism::Determinism;
use crate::diagnostic::Diagnostic;
use crate::json::pretty;
use crate::lint::Finding;
use crate::rejection::RejectionBasis;
use crate::run::Run;
use crate::suite::{ApprovedCase, ApprovedStatus};

/// The report of one suite: no time, no host, no version. Carries no secrets.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunnerReport {
    /// Always 1.
    pub schema_version: u8,
    /// Which suite.
    pub suite: SuiteHead,
    /// How the run ended.
    pub status: RunStatus,
    /// Why it stopped early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Every case, in the order of the suite.
    pub cases: Vec<CaseReport>,
    /// Counts.
    pub summary: Summary,
    /// Approval and findings.
    pub spec: SpecReport,
    /// Comparison with a second pass, if it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub determinism: Option<Determinism>,
}

/// Which suite.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteHead {
    /// `id`.
    pub id: String,
    /// `name`.
    pub name: String,
    /// `defaultTimeoutMs`, if the file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_timeout_ms: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RunStatus {
    /// Nothing failed.
    Passed,
    /// A case failed or timed out, or none was run.
    Failed,
    /// Interrupted from outside.
    Aborted,
}

/// Why a run stopped early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StopReason {
    /// The deadline of a case passed.
    Timeout {
        /// The case.
        case_id: String,
    },
    /// Interrupted from outside.
    AbortSignal {
        /// The case that was running, if one was.
        #[serde(skip_serializing_if = "Option::is_none")]
        case_id: Option<String>,
    },
    /// The connection is gone.
    ConnectionLost {
        /// The case that was running.
        case_id: String,
        /// How it was lost.
        cause: LostCause,
        /// Exit code of the process.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// Signal that ended it: `SIGKILL`.
        #[serde(skip_serializing_if = "Option::is_none")]
        signal: Option<String>,
    },
}

/// How a connection was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LostCause {
    /// The process ended.
    ProcessExited,
    /// The byte stream broke.
    TransportFailed,
    /// The server forgot the session.
    HttpSessionLost,
}

/// A case and how it ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseReport {
    /// `id`.
    #[serde(skip)]
    pub id: String,
    /// `name`.
    #[serde(skip)]
    pub name: String,
    /// The case as the suite has it, without secrets.
    pub spec: Value,
    /// How it ended.
    pub status: CaseStatus,
    /// How its request ended.
    pub operation: OperationReport,
    /// Each assertion.
    pub assertions: Vec<AssertionReport>,
    /// On what grounds the server refused.
    pub rejection_basis: RejectionBasis,
    /// What it said, where the grounds are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection_body: Option<String>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CaseStatus {
    /// Every assertion holds.
    Passed,
    /// The request or an assertion failed.
    Failed,
    /// The deadline passed.
    TimedOut,
    /// Interrupted meanwhile.
    Cancelled,
    /// The run had stopped before.
    NotRun,
}

/// How a request ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationReport {
    /// How.
    pub status: OperationStatus,
    /// The deadline; absent where nothing was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Why it did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<Diagnostic>,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OperationStatus {
    /// There is a result.
    Completed,
    /// There is an error.
    Failed,
    /// The deadline passed.
    TimedOut,
    /// Interrupted meanwhile.
    Cancelled,
    /// Nothing was sent.
    NotRun,
}

/// An assertion and how it ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AssertionReport {
    /// The assertion as the suite has it, without secrets.
    pub spec: Value,
    /// How it ended.
    pub status: AssertionStatus,
    /// Why it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<Diagnostic>,
}

/// How an assertion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum AssertionStatus {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// There was no result to look at.
    Skipped,
    /// The case was not run.
    NotRun,
}

/// Counts of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// All.
    pub total: usize,
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Timed out.
    pub timed_out: usize,
    /// Interrupted.
    pub cancelled: usize,
    /// Not run.
    pub not_run: usize,
    /// Refused as expected, on unknown grounds.
    pub rejection_unverified: usize,
}

/// Approval and findings.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpecReport {
    /// Whether the suite is the approved one.
    pub approval: ApprovalState,
    /// Fingerprint of the suite.
    pub fingerprint: String,
    /// Findings, case by case.
    pub findings: Vec<Finding>,
    /// Fingerprint that was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_fingerprint: Option<String>,
    /// How each case stood at approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<Vec<ApprovedCase>>,
}

impl RunnerReport {
    pub(crate) fn of(run: &Run) -> Self {
        let summary = Summary::of(&run.cases);
        let ApprovalCheck { state, fingerprint, approved_fingerprint, mut cases } = run.approval.clone();
        for case in cases.iter_mut().flatten() {
            case.id = run.masker().text(&case.id);
        }
        Self {
            schema_version: 1,
            suite: SuiteHead {
                id: run.suite_id.clone(),
                name: run.suite_name.clone(),
                default_timeout_ms: run.default_timeout_ms,
            },
            status: RunStatus::of(run.stop.as_ref(), &summary),
            stop_reason: run.stop.clone(),
            cases: run.cases.clone(),
            summary,
            spec: SpecReport {
                approval: state,
                fingerprint,
                findings: run.findings.clone(),
                approved_fingerprint,
                cases,
            },
            determinism: None,
        }
    }

    /// Whether every case passed, and there was one: the condition for exit code 0.
    pub fn all_passed(&self) -> bool {
        self.status == RunStatus::Passed
            && self.summary.total > 0
            && self.summary.passed == self.summary.total
    }

    /// The JSON of `--json`: two spaces a level, final newline.
    pub fn to_json(&self) -> String {
        self.to_json_with(None)
    }

    /// The JSON with one more member after `spec`.
    pub fn to_json_with(&self, extra: Option<(&str, Value)>) -> String {
        format!("{}\n", pretty(&self.to_value_with(extra)))
    }

    /// The JSON as a value, with one more member after `spec`.
    pub fn to_value_with(&self, extra: Option<(&str, Value)>) -> Value {
        let mut value = to_value(self);
        if let (Some((key, extra)), Some(members)) = (extra, value.as_object_mut()) {
            let determinism = members.shift_remove("determinism");
            members.insert(key.to_owned(), extra);
            if let Some(determinism) = determinism {
                members.insert("determinism".to_owned(), determinism);
            }
        }
        value
    }

    /// How a case stood at approval.
    pub fn approved_as(&self, case_id: &str) -> Option<ApprovedStatus> {
        self.spec.cases.iter().flatten().find(|case| case.id == case_id).map(|case| case.status)
    }
}

impl RunStatus {
    pub(crate) const fn of(stop: Option<&StopReason>, summary: &Summary) -> Self {
        match stop {
            Some(StopReason::AbortSignal { .. }) => Self::Aborted,
            None if summary.passed < summary.total => Self::Failed,
            _ if summary.failed + summary.timed_out > 0 => Self::Failed,
            _ => Self::Passed,
        }
    }
}

impl Summary {
    /// Counts.
    pub fn of(cases: &[CaseReport]) -> Self {
        let mut summary = Self { total: cases.len(), ..Self::default() };
        for case in cases {
            match case.status {
                CaseStatus::Passed => summary.passed += 1,
                CaseStatus::Failed => summary.failed += 1,
                CaseStatus::TimedOut => summary.timed_out += 1,
                CaseStatus::Cancelled => summary.cancelled += 1,
                CaseStatus::NotRun => summary.not_run += 1,
            }
            summary.rejection_unverified += usize::from(case.rejection_basis == RejectionBasis::Unverified);
        }
        summary
    }

    /// Adds the counts of another suite.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            timed_out: self.timed_out + other.timed_out,
            cancelled: self.cancelled + other.cancelled,
            not_run: self.not_run + other.not_run,
            rejection_unverified: self.rejection_unverified + other.rejection_unverified,
        }
    }
}

impl CaseReport {
    /// Diagnostics of the operation, then of the assertions.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.operation
            .diagnostic
            .iter()
            .chain(self.assertions.iter().filter_map(|assertion| assertion.diagnostic.as_ref()))
    }
}

impl CaseStatus {
    /// As the JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::TimedOut => "timedOut",
            Self::Cancelled => "cancelled",
            Self::NotRun => "notRun",
        }
    }
}

impl AssertionStatus {
    /// As the JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::NotRun => "notRun",
        }
    }
}

/// The name of a signal number on Linux; the number itself where it has none.
pub fn signal_name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        other => return other.to_string(),
    };
    name.to_owned()
}

pub(crate) fn to_value(report: &impl Serialize) -> Value {
    // Maps have string keys only, and serde_json represents every number that occurs.
    serde_json::to_value(report).unwrap_or_else(|_| json!({}))
}
