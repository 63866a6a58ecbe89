//! One pass over a suite.

use std::time::Duration;

use mcpeak_core::client::{Connection, Tool, ToolResult};
use mcpeak_core::error::{ConnectionLost, Detail, ErrorCode, McpError, Phase};
use mcpeak_core::locale::Locale;
use tracing::debug;

use super::event::{Event, EventKind};
use super::options::RunOptions;
use super::{judge, spec};
use crate::approval::ApprovalCheck;
use crate::diagnostic::{Cause, Diagnostics};
use crate::lint::{Finding, lint};
use crate::mask::Masker;
use crate::rejection::{RejectionBasis, basis};
use crate::report::{
    CaseReport, CaseStatus, LostCause, OperationReport, OperationStatus, RunStatus, RunnerReport, StopReason,
    Summary, signal_name,
};
use crate::suite::{Case, Operation, Suite};

/// How much longer than its deadline a connection may take before the runner gives up on it.
const OVERRUN: Duration = Duration::from_secs(2);

/// What a server answered to a case, raw.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The tools of all pages.
    Tools(Vec<Tool>),
    /// The result of a call.
    Result(ToolResult),
    /// An error.
    Failed(McpError),
    /// The deadline passed.
    TimedOut(McpError),
    /// The run was interrupted meanwhile.
    Cancelled,
    /// The run had stopped before.
    NotRun,
}

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

/// Runs every case in order. Ends by the sum of the deadlines; stops early on a timeout, an interruption, or when the
/// connection is lost. The connection stays open.
pub async fn run_suite(
    suite: &Suite,
    connection: &dyn Connection,
    options: &RunOptions,
    sink: &mut (dyn FnMut(&Event) + Send),
) -> Run {
    let masker = Masker::new(&options.sensitive);
    let mut pass = Pass {
        suite,
        connection,
        options,
        diagnostics: Diagnostics { locale: options.locale, masker },
        sink,
        sequence: 0,
        stop: None,
    };
    pass.run().await
}

impl Run {
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
        status(self.stop.as_ref(), &Summary::of(&self.cases))
    }

    /// The report.
    pub fn report(&self) -> RunnerReport {
        RunnerReport::of(self)
    }
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
        let tools = self.tools_for_findings().await;
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
            status: status(self.stop.as_ref(), &summary),
            stop_reason: self.stop.clone(),
            summary,
        });
        let findings =
            tools.as_deref().map(|tools| lint(suite, tools, &self.diagnostics.masker)).unwrap_or_default();
        Run {
            suite_id: self.diagnostics.masker.text(&suite.id),
            suite_name: self.diagnostics.masker.text(&suite.name),
            default_timeout_ms: suite.default_timeout_ms,
            cases,
            outcomes,
            tools_called: suite.cases.iter().map(|case| case.tool().map(str::to_owned)).collect(),
            stop: self.stop.take(),
            approval: ApprovalCheck::of(suite),
            findings,
            tools,
            diagnostics: self.diagnostics.clone(),
        }
    }

    fn emit(&mut self, kind: EventKind) {
        self.sequence += 1;
        (self.sink)(&Event { sequence: self.sequence, kind });
    }

    /// The tools, for findings only: an error here is no verdict, the cases will tell.
    async fn tools_for_findings(&self) -> Option<Vec<Tool>> {
        let deadline = self.options.lint_deadline?;
        let listed = tokio::select! {
            biased;
            () = self.options.cancel.cancelled() => return None,
            listed = tokio::time::timeout(deadline + OVERRUN, self.connection.list_tools(deadline)) => listed,
        };
        match listed {
            Ok(Ok(tools)) => Some(tools),
            Ok(Err(error)) => {
                debug!(code = error.code.as_str(), "no tools for findings");
                None
            }
            Err(_) => None,
        }
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
        let outcome = self.operate(&case.operation, Duration::from_millis(timeout_ms)).await;
        self.stop = stop_after(&case_id, &outcome);
        outcome
    }

    async fn operate(&self, operation: &Operation, deadline: Duration) -> Outcome {
        let request = async {
            match operation {
                Operation::ListTools => self.connection.list_tools(deadline).await.map(Outcome::Tools),
                Operation::CallTool { tool, input } => {
                    self.connection.call_tool(tool, input, deadline).await.map(Outcome::Result)
                }
            }
        };
        let answer = tokio::select! {
            biased;
            () = self.options.cancel.cancelled() => return Outcome::Cancelled,
            answer = tokio::time::timeout(deadline + OVERRUN, request) => answer,
        };
        match answer {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) if error.is_timeout() => Outcome::TimedOut(error),
            Ok(Err(error)) => Outcome::Failed(error),
            Err(_) => Outcome::TimedOut(overrun(operation, deadline)),
        }
    }

    fn close_case(&mut self, case: &Case, outcome: &Outcome) -> CaseReport {
        let report = self.case_report(case, outcome);
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

    fn case_report(&self, case: &Case, outcome: &Outcome) -> CaseReport {
        let assertions = judge::assertions(case, outcome, &self.diagnostics);
        let timeout_ms = self.suite.timeout_ms(case);
        let masker = &self.diagnostics.masker;
        let name = masker.text(&case.name);
        let (operation, diagnostic) = match outcome {
            Outcome::Tools(_) | Outcome::Result(_) => (OperationStatus::Completed, None),
            Outcome::Failed(error) => {
                (OperationStatus::Failed, Some(self.diagnostics.operation_failed(error)))
            }
            Outcome::TimedOut(_) => {
                let cause = Cause::CaseTimeout { name: &name, timeout_ms };
                (OperationStatus::TimedOut, Some(self.diagnostics.plain(&cause)))
            }
            Outcome::Cancelled => {
                let cause = Cause::RunAborted { name: &name };
                (OperationStatus::Cancelled, Some(self.diagnostics.plain(&cause)))
            }
            Outcome::NotRun => (OperationStatus::NotRun, None),
        };
        let result = match outcome {
            Outcome::Result(result) => Some(result),
            _ => None,
        };
        let rejection_basis = basis(case, result);
        let rejection_body = match rejection_basis {
            RejectionBasis::Unverified => result.and_then(|result| self.diagnostics.rejection_body(result)),
            RejectionBasis::Verified | RejectionBasis::NotApplicable => None,
        };
        CaseReport {
            id: masker.text(&case.id),
            name: name.clone(),
            spec: spec::case(case, masker),
            status: case_status(operation, &assertions),
            operation: OperationReport {
                status: operation,
                timeout_ms: (operation != OperationStatus::NotRun).then_some(timeout_ms),
                diagnostic,
            },
            assertions,
            rejection_basis,
            rejection_body,
        }
    }
}

fn case_status(operation: OperationStatus, assertions: &[crate::report::AssertionReport]) -> CaseStatus {
    match operation {
        OperationStatus::Completed => {
            let failed =
                assertions.iter().any(|assertion| assertion.status == crate::report::AssertionStatus::Failed);
            if failed { CaseStatus::Failed } else { CaseStatus::Passed }
        }
        OperationStatus::Failed => CaseStatus::Failed,
        OperationStatus::TimedOut => CaseStatus::TimedOut,
        OperationStatus::Cancelled => CaseStatus::Cancelled,
        OperationStatus::NotRun => CaseStatus::NotRun,
    }
}

/// A case may still be judged after an ordinary protocol error; nothing can be after these.
fn stop_after(case_id: &str, outcome: &Outcome) -> Option<StopReason> {
    match outcome {
        Outcome::TimedOut(_) => Some(StopReason::Timeout { case_id: case_id.to_owned() }),
        Outcome::Cancelled => Some(StopReason::AbortSignal { case_id: Some(case_id.to_owned()) }),
        Outcome::Failed(error) => {
            let (cause, exit) = match error.connection_lost()? {
                ConnectionLost::ProcessExited(exit) => (LostCause::ProcessExited, exit),
                ConnectionLost::TransportFailed => (LostCause::TransportFailed, Default::default()),
                ConnectionLost::HttpSessionLost => (LostCause::HttpSessionLost, Default::default()),
            };
            Some(StopReason::ConnectionLost {
                case_id: case_id.to_owned(),
                cause,
                exit_code: exit.code,
                signal: exit.signal.map(signal_name),
            })
        }
        Outcome::Tools(_) | Outcome::Result(_) | Outcome::NotRun => None,
    }
}

pub(crate) fn status(stop: Option<&StopReason>, summary: &Summary) -> RunStatus {
    match stop {
        Some(StopReason::AbortSignal { .. }) => RunStatus::Aborted,
        _ if summary.failed + summary.timed_out > 0 => RunStatus::Failed,
        _ => RunStatus::Passed,
    }
}

fn overrun(operation: &Operation, deadline: Duration) -> McpError {
    let (phase, method) = match operation {
        Operation::ListTools => (Phase::ListTools, "tools/list"),
        Operation::CallTool { .. } => (Phase::CallTool, "tools/call"),
    };
    let after_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
    McpError::new(
        ErrorCode::OperationTimeout,
        phase,
        Detail::Timeout { after_ms, waiting_for: method.to_owned() },
    )
}
