//! The verdict on a case. All its assertions are evaluated; none stops the next.

use mcpeak_core::canonical::utf16_cmp;
use mcpeak_core::client::{Tool, ToolResult};

use serde_json::Value;

use super::outcome::Outcome;
use super::spec;
use crate::body::{Body, extract};
use crate::diagnostic::{Cause, Diagnostic, Diagnostics};
use crate::rejection::{RejectionBasis, basis};
use crate::report::{
    AssertionReport, AssertionStatus, CaseReport, CaseStatus, OperationReport, OperationStatus,
};
use crate::schema::ResponseSchema;
use crate::schema::evaluate::evaluate;
use crate::suite::{Assertion, Case, Suite};

/// All about a case: every assertion is judged, or skipped where there is no result.
pub(super) fn case_report(
    suite: &Suite,
    case: &Case,
    outcome: &Outcome,
    diagnostics: &Diagnostics,
) -> CaseReport {
    let assertions = assertions(case, outcome, diagnostics);
    let timeout_ms = suite.timeout_ms(case);
    let masker = &diagnostics.masker;
    let name = masker.text(&case.name);
    let (operation, diagnostic) = match outcome {
        Outcome::Tools(_) | Outcome::Result(_) => (OperationStatus::Completed, None),
        Outcome::Failed(error) => (OperationStatus::Failed, Some(diagnostics.operation_failed(error))),
        Outcome::TimedOut(_) => {
            let reason = Cause::CaseTimeout { name: &name, timeout_ms };
            (OperationStatus::TimedOut, Some(diagnostics.plain(&reason)))
        }
        Outcome::Cancelled => {
            let reason = Cause::RunAborted { name: &name };
            (OperationStatus::Cancelled, Some(diagnostics.plain(&reason)))
        }
        Outcome::NotRun => (OperationStatus::NotRun, None),
    };
    let result = match outcome {
        Outcome::Result(result) => Some(result),
        _ => None,
    };
    let rejection_basis = basis(case, result);
    let rejection_body = match rejection_basis {
        RejectionBasis::Unverified => result.and_then(|result| diagnostics.rejection_body(result)),
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

fn case_status(operation: OperationStatus, assertions: &[AssertionReport]) -> CaseStatus {
    match operation {
        OperationStatus::Completed => {
            let failed = assertions.iter().any(|assertion| assertion.status == AssertionStatus::Failed);
            if failed { CaseStatus::Failed } else { CaseStatus::Passed }
        }
        OperationStatus::Failed => CaseStatus::Failed,
        OperationStatus::TimedOut => CaseStatus::TimedOut,
        OperationStatus::Cancelled => CaseStatus::Cancelled,
        OperationStatus::NotRun => CaseStatus::NotRun,
    }
}

/// Judges every assertion of a case.
fn assertions(case: &Case, outcome: &Outcome, diagnostics: &Diagnostics) -> Vec<AssertionReport> {
    case.assertions
        .iter()
        .map(|assertion| {
            let (status, diagnostic) = match outcome {
                Outcome::NotRun => (AssertionStatus::NotRun, None),
                Outcome::Failed(_) | Outcome::TimedOut(_) | Outcome::Cancelled => {
                    (AssertionStatus::Skipped, Some(diagnostics.plain(&Cause::ResultUnavailable)))
                }
                Outcome::Tools(_) | Outcome::Result(_) => match judge(assertion, outcome, diagnostics) {
                    Some(diagnostic) => (AssertionStatus::Failed, Some(diagnostic)),
                    None => (AssertionStatus::Passed, None),
                },
            };
            AssertionReport { spec: spec::assertion(assertion, &diagnostics.masker), status, diagnostic }
        })
        .collect()
}

/// Why an assertion fails; `None` when it holds.
fn judge(assertion: &Assertion, outcome: &Outcome, diagnostics: &Diagnostics) -> Option<Diagnostic> {
    match (assertion, outcome) {
        (Assertion::ToolExists { tool }, Outcome::Tools(tools)) => tool_exists(tool, tools, diagnostics),
        (Assertion::IsError { expected }, Outcome::Result(result)) => {
            (is_error(result) != Some(*expected)).then(|| diagnostics.is_error_mismatch(*expected, result))
        }
        (Assertion::BodyMatchesSchema { schema }, Outcome::Result(result)) => {
            body(schema, result, diagnostics)
        }
        (Assertion::StructuredContentMatchesSchema { schema }, Outcome::Result(result)) => {
            structured(schema, result, diagnostics)
        }
        // The validation lets no assertion through that does not fit the operation.
        _ => Some(diagnostics.plain(&Cause::ResultUnavailable)),
    }
}

/// `isError`, false where it is absent; `None` where it is no boolean, which is neither a success nor a refusal.
fn is_error(result: &ToolResult) -> Option<bool> {
    match result.raw.get("isError") {
        None | Some(Value::Null) => Some(false),
        Some(value) => value.as_bool(),
    }
}

fn tool_exists(name: &str, tools: &[Tool], diagnostics: &Diagnostics) -> Option<Diagnostic> {
    if tools.iter().any(|tool| tool.name == name) {
        return None;
    }
    let mut listed: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
    listed.sort_by(|left, right| utf16_cmp(left, right));
    listed.dedup();
    Some(diagnostics.tool_not_found(name, &listed))
}

fn body(schema: &ResponseSchema, result: &ToolResult, diagnostics: &Diagnostics) -> Option<Diagnostic> {
    let value = match extract(result) {
        Ok(Body::Json(value)) => value,
        Ok(Body::Text(text)) => text.into(),
        Err(problem) => return Some(diagnostics.plain(&Cause::Body(problem))),
    };
    let evaluation = evaluate(&schema.root, &value);
    let cause = Cause::BodyMismatch { total: evaluation.total };
    (evaluation.total > 0).then(|| diagnostics.schema_mismatch(&cause, &schema.raw, &value, &evaluation))
}

fn structured(schema: &ResponseSchema, result: &ToolResult, diagnostics: &Diagnostics) -> Option<Diagnostic> {
    let Some(value) = result.structured_content() else {
        return Some(diagnostics.plain(&Cause::StructuredMissing));
    };
    let evaluation = evaluate(&schema.root, value);
    let cause = Cause::StructuredMismatch { total: evaluation.total };
    (evaluation.total > 0).then(|| diagnostics.schema_mismatch(&cause, &schema.raw, value, &evaluation))
}
