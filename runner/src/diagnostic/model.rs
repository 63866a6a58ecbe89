//! A diagnostic, key by key as the JSON has it.

use serde::Serialize;
use serde_json::Value;

use crate::schema::ViolationCode;

/// Why a case did not pass. Text from outside in it is without secrets, but not escaped for a terminal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Stable code.
    pub code: DiagnosticCode,
    /// What differed.
    pub message: String,
    /// What was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
    /// How to fix it.
    pub hint: String,
    /// The first ten violations of a schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violations: Option<Vec<ViolationReport>>,
    /// How many violations there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_violations: Option<usize>,
    /// What the server said, line by line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
}

/// Stable code of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DiagnosticCode {
    /// `toolExists` failed.
    ToolNotFound,
    /// `isError` failed.
    IsErrorMismatch,
    /// The operation ended with an error.
    OperationFailed,
    /// An assertion has nothing to look at.
    OperationResultUnavailable,
    /// The deadline of the case passed.
    CaseTimeout,
    /// The run was stopped from outside.
    RunAborted,
    /// The body does not match.
    BodySchemaMismatch,
    /// The result has no body.
    BodyExtractionFailed,
    /// `structuredContent` does not match.
    StructuredContentSchemaMismatch,
    /// The result has no `structuredContent`.
    StructuredContentExtractionFailed,
}

/// One violation of a response schema.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViolationReport {
    /// Stable code.
    pub code: ViolationCode,
    /// Where: `$.items[0].name`.
    pub path: String,
    /// Path and sentence.
    pub message: String,
    /// What the schema asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What is there; long texts are cut, structures told by their size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
    /// Length of a text that was cut, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_chars: Option<usize>,
    /// Members that are there instead of a missing one, sorted, at most twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_keys: Option<Vec<String>>,
    /// How many there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_keys_total: Option<usize>,
}

impl DiagnosticCode {
    /// The code as it is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolNotFound => "TOOL_NOT_FOUND",
            Self::IsErrorMismatch => "IS_ERROR_MISMATCH",
            Self::OperationFailed => "OPERATION_FAILED",
            Self::OperationResultUnavailable => "OPERATION_RESULT_UNAVAILABLE",
            Self::CaseTimeout => "CASE_TIMEOUT",
            Self::RunAborted => "RUN_ABORTED",
            Self::BodySchemaMismatch => "BODY_SCHEMA_MISMATCH",
            Self::BodyExtractionFailed => "BODY_EXTRACTION_FAILED",
            Self::StructuredContentSchemaMismatch => "STRUCTURED_CONTENT_SCHEMA_MISMATCH",
            Self::StructuredContentExtractionFailed => "STRUCTURED_CONTENT_EXTRACTION_FAILED",
        }
    }
}
