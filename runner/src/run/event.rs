//! What happens during a run, as it happens.

use crate::diagnostic::Diagnostic;
use crate::report::{
    AssertionStatus, CaseReport, CaseStatus, OperationStatus, RunStatus, StopReason, Summary,
};

/// Something that happened. Carries no secrets.
#[derive(Clone, Debug)]
pub struct Event {
    /// From 1, without gaps.
    pub sequence: u64,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// Before anything else.
    SuiteStarted {
        /// `id` of the suite.
        suite_id: String,
        /// `name` of the suite.
        suite_name: String,
        /// Number of cases.
        cases: usize,
    },
    /// A case begins.
    CaseStarted {
        /// Its id.
        case_id: String,
        /// Its name.
        case_name: String,
        /// From 0.
        index: usize,
    },
    /// Its request is sent.
    OperationStarted {
        /// Id of the case.
        case_id: String,
        /// `listTools` or `callTool`.
        operation: &'static str,
        /// The deadline.
        timeout_ms: u64,
    },
    /// Its request ended.
    OperationCompleted {
        /// Id of the case.
        case_id: String,
        /// How.
        status: OperationStatus,
        /// Why it did not complete.
        diagnostic: Option<Diagnostic>,
    },
    /// An assertion was judged, or skipped.
    AssertionCompleted {
        /// Id of the case.
        case_id: String,
        /// From 0, within the case.
        index: usize,
        /// How it ended.
        status: AssertionStatus,
        /// Why it did not pass.
        diagnostic: Option<Diagnostic>,
    },
    /// A case is done; also sent for a case that is not run.
    CaseCompleted {
        /// Its id.
        case_id: String,
        /// How it ended.
        status: CaseStatus,
        /// All about it.
        report: Box<CaseReport>,
    },
    /// The end.
    SuiteCompleted {
        /// How the run ended.
        status: RunStatus,
        /// Why it stopped early.
        stop_reason: Option<StopReason>,
        /// Counts.
        summary: Summary,
    },
}
