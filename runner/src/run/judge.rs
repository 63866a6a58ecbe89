//! Assertions over one result. All are evaluated; none stops the next.

use mcpeak_core::canonical::utf16_cmp;
use mcpeak_core::client::{Tool, ToolResult};

use super::execute::Outcome;
use super::spec;
use crate::body::{Body, extract};
use crate::diagnostic::{Cause, Diagnostic, Diagnostics};
use crate::report::{AssertionReport, AssertionStatus};
use crate::schema::ResponseSchema;
use crate::schema::evaluate::evaluate;
use crate::suite::{Assertion, Case};

/// Judges every assertion of a case.
pub(super) fn assertions(case: &Case, outcome: &Outcome, diagnostics: &Diagnostics) -> Vec<AssertionReport> {
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
            (result.is_error() != *expected).then(|| diagnostics.is_error_mismatch(*expected, result))
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
