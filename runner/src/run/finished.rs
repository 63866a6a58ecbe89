//! A finished pass.

use mcpeak_core::client::Tool;
use mcpeak_core::locale::Locale;

use super::judge;
use super::options::RunOptions;
use super::outcome::Outcome;
use crate::approval::ApprovalCheck;
use crate::diagnostic::Diagnostics;
use crate::lint::{Finding, lint};
use crate::mask::Masker;
use crate::report::{CaseReport, RunStatus, RunnerReport, StopReason, Summary};
use crate::suite::Suite;

/// A finished pass: reports, and the raw results for a comparison with another pass.
pub struct Run {
    pub(crate) suite_id: String,
    pub(crate) suite_name: String,
    pub(crate) default_timeout_ms: Option<u64>,
    pub(crate) cases: Vec<CaseReport>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) tools_called: Vec<Option<String>>,
    pub(crate) stop: Option<StopReason>,
    pub(crate) approval: ApprovalCheck,
    pub(crate) findings: Vec<Finding>,
    pub(crate) tools: Option<Vec<Tool>>,
    pub(crate) diagnostics: Diagnostics,
}

impl Run {
    /// The run of a suite whose server could not be reached: no case was run, none passed. Keeps such a suite in the
    /// report of several.
    pub fn not_started(suite: &Suite, options: &RunOptions) -> Self {
        let diagnostics = Diagnostics::new(options.locale, &options.sensitive);
        let outcomes = vec![Outcome::NotRun; suite.cases.len()];
        let cases = suite
            .cases
            .iter()
            .map(|case| judge::case_report(suite, case, &Outcome::NotRun, &diagnostics))
            .collect();
        Self::assemble(suite, cases, outcomes, None, None, diagnostics)
    }

    /// Language of the sentences.
    pub fn locale(&self) -> Locale {
        self.diagnostics.locale
    }

    /// Takes secrets out of further text about this run, such as the server's stderr.
    pub fn masker(&self) -> &Masker {
        &self.diagnostics.masker
    }

    /// Why the run stopped early.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    /// The tools that the server listed before the first case.
    pub fn tools(&self) -> Option<&[Tool]> {
        self.tools.as_deref()
    }

    /// Raw answers, in the order of the cases. They may hold secrets: never write them anywhere.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// How the run ended.
    pub fn status(&self) -> RunStatus {
        RunStatus::of(self.stop.as_ref(), &Summary::of(&self.cases))
    }

    /// The report.
    pub fn report(&self) -> RunnerReport {
        RunnerReport::of(self)
    }

    pub(super) fn assemble(
        suite: &Suite,
        cases: Vec<CaseReport>,
        outcomes: Vec<Outcome>,
        stop: Option<StopReason>,
        tools: Option<Vec<Tool>>,
        diagnostics: Diagnostics,
    ) -> Self {
        let masker = &diagnostics.masker;
        Self {
            suite_id: masker.text(&suite.id),
            suite_name: masker.text(&suite.name),
            default_timeout_ms: suite.default_timeout_ms,
            cases,
            outcomes,
            tools_called: suite.cases.iter().map(|case| case.tool().map(str::to_owned)).collect(),
            stop,
            approval: ApprovalCheck::of(suite),
            findings: tools.as_deref().map(|tools| lint(suite, tools, masker)).unwrap_or_default(),
            tools,
            diagnostics,
        }
    }
}
