//! One pass over a suite.

use std::time::Duration;

use mcpeak_core::client::Connection;

use super::event::{Event, EventKind};
use super::finished::Run;
use super::options::RunOptions;
use super::outcome::Outcome;
use super::{judge, request};
use crate::diagnostic::Diagnostics;
use crate::report::{CaseReport, RunStatus, StopReason, Summary};
use crate::suite::{Case, Suite};

/// Runs every case in order. Ends by the sum of the deadlines; stops early on a timeout, an interruption, or when the
/// connection is lost. The connection stays open.
pub async fn run_suite(
    suite: &Suite,
    connection: &dyn Connection,
    options: &RunOptions,
    sink: &mut (dyn FnMut(&Event) + Send),
) -> Run {
    let mut pass = Pass {
        suite,
        connection,
        options,
        diagnostics: Diagnostics::new(options.locale, &options.sensitive),
        sink,
        sequence: 0,
        stop: None,
    };
    pass.run().await
}

struct Pass<'a> {
    suite: &'a Suite,
    connection: &'a dyn Connection,
    options: &'a RunOptions,
    diagnostics: Diagnostics,
    sink: &'a mut (dyn FnMut(&Event) + Send),
    sequence: u64,
    stop: Option<StopReason>,
}

impl Pass<'_> {
    async fn run(&mut self) -> Run {
        let suite = self.suite;
        self.emit(EventKind::SuiteStarted {
            suite_id: self.diagnostics.masker.text(&suite.id),
            suite_name: self.diagnostics.masker.text(&suite.name),
            cases: suite.cases.len(),
        });
        let tools = request::tools_for_findings(self.connection, self.options).await;
        let mut cases = Vec::with_capacity(suite.cases.len());
        let mut outcomes = Vec::with_capacity(suite.cases.len());
        for (index, case) in suite.cases.iter().enumerate() {
            if self.stop.is_none() && self.options.cancel.is_cancelled() {
                self.stop = Some(StopReason::AbortSignal { case_id: None });
            }
            let outcome =
                if self.stop.is_some() { Outcome::NotRun } else { self.run_case(case, index).await };
            cases.push(self.close_case(case, &outcome));
            outcomes.push(outcome);
        }
        let summary = Summary::of(&cases);
        self.emit(EventKind::SuiteCompleted {
            status: RunStatus::of(self.stop.as_ref(), &summary),
            stop_reason: self.stop.clone(),
            summary,
        });
        Run::assemble(suite, cases, outcomes, self.stop.take(), tools, self.diagnostics.clone())
    }

    fn emit(&mut self, kind: EventKind) {
        self.sequence += 1;
        (self.sink)(&Event { sequence: self.sequence, kind });
    }

    async fn run_case(&mut self, case: &Case, index: usize) -> Outcome {
        let timeout_ms = self.suite.timeout_ms(case);
        let case_id = self.diagnostics.masker.text(&case.id);
        let case_name = self.diagnostics.masker.text(&case.name);
        self.emit(EventKind::CaseStarted { case_id: case_id.clone(), case_name, index });
        self.emit(EventKind::OperationStarted {
            case_id: case_id.clone(),
            operation: case.operation.kind(),
            timeout_ms,
        });
        let deadline = Duration::from_millis(timeout_ms);
        let outcome = request::send(self.connection, &case.operation, deadline, &self.options.cancel).await;
        self.stop = outcome.stop_reason(&case_id);
        outcome
    }

    fn close_case(&mut self, case: &Case, outcome: &Outcome) -> CaseReport {
        let report = judge::case_report(self.suite, case, outcome, &self.diagnostics);
        if !matches!(outcome, Outcome::NotRun) {
            self.emit(EventKind::OperationCompleted {
                case_id: report.id.clone(),
                status: report.operation.status,
                diagnostic: report.operation.diagnostic.clone(),
            });
            for (index, assertion) in report.assertions.iter().enumerate() {
                self.emit(EventKind::AssertionCompleted {
                    case_id: report.id.clone(),
                    index,
                    status: assertion.status,
                    diagnostic: assertion.diagnostic.clone(),
                });
            }
        }
        self.emit(EventKind::CaseCompleted {
            case_id: report.id.clone(),
            status: report.status,
            report: Box::new(report.clone()),
        });
        report
    }
}
