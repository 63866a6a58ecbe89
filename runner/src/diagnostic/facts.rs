//! What the sentences need to know.

use super::model::DiagnosticCode;
use crate::body::BodyProblem;

/// What a sentence about a diagnostic needs to know.
#[derive(Debug)]
pub enum Cause<'a> {
    /// No tool of this name among those listed.
    ToolNotFound {
        /// The name.
        tool: &'a str,
        /// Names that are listed, sorted.
        listed: &'a [String],
    },
    /// A refusal was expected.
    ExpectedError,
    /// A success was expected.
    ExpectedSuccess,
    /// `isError` is there, but is not a boolean.
    IsErrorNotBoolean,
    /// There is no result.
    ResultUnavailable,
    /// The deadline passed.
    CaseTimeout {
        /// Name of the case.
        name: &'a str,
        /// The deadline.
        timeout_ms: u64,
    },
    /// Stopped from outside.
    RunAborted {
        /// Name of the case.
        name: &'a str,
    },
    /// The body breaks its schema.
    BodyMismatch {
        /// How often.
        total: usize,
    },
    /// `structuredContent` breaks its schema.
    StructuredMismatch {
        /// How often.
        total: usize,
    },
    /// No body.
    Body(BodyProblem),
    /// No `structuredContent`.
    StructuredMissing,
}

/// What a sentence about a violation needs to know; values are ready to be shown.
#[derive(Debug)]
pub enum ViolationFacts<'a> {
    /// `type`.
    Type {
        /// Type asked for.
        expected: &'static str,
        /// Type found, with the value where it is short.
        actual: &'a str,
    },
    /// `const`.
    Const {
        /// Value asked for.
        expected: &'a str,
        /// Value found.
        actual: &'a str,
    },
    /// `enum`.
    Enum {
        /// Values allowed.
        expected: &'a str,
        /// Value found.
        actual: &'a str,
    },
    /// `required`.
    Required {
        /// Members that are there, at most twenty.
        observed: &'a [String],
        /// How many there are.
        total: usize,
    },
    /// `additionalProperties`.
    Additional,
    /// `minItems`.
    MinItems {
        /// Limit.
        limit: u64,
        /// Elements found.
        found: u64,
    },
    /// `minLength`.
    MinLength {
        /// Limit.
        limit: u64,
        /// Code points found.
        found: u64,
    },
    /// `maxLength`.
    MaxLength {
        /// Limit.
        limit: u64,
        /// Code points found.
        found: u64,
    },
    /// `stringContains`.
    Contains {
        /// Part asked for.
        part: &'a str,
        /// Text found.
        actual: &'a str,
    },
    /// `minimum`.
    Minimum {
        /// Limit.
        limit: &'a str,
        /// Number found.
        actual: &'a str,
    },
    /// `maximum`.
    Maximum {
        /// Limit.
        limit: &'a str,
        /// Number found.
        actual: &'a str,
    },
}

impl Cause<'_> {
    pub(super) const fn code(&self) -> DiagnosticCode {
        match self {
            Self::ToolNotFound { .. } => DiagnosticCode::ToolNotFound,
            Self::ExpectedError | Self::ExpectedSuccess | Self::IsErrorNotBoolean => {
                DiagnosticCode::IsErrorMismatch
            }
            Self::ResultUnavailable => DiagnosticCode::OperationResultUnavailable,
            Self::CaseTimeout { .. } => DiagnosticCode::CaseTimeout,
            Self::RunAborted { .. } => DiagnosticCode::RunAborted,
            Self::BodyMismatch { .. } => DiagnosticCode::BodySchemaMismatch,
            Self::StructuredMismatch { .. } => DiagnosticCode::StructuredContentSchemaMismatch,
            Self::Body(_) => DiagnosticCode::BodyExtractionFailed,
            Self::StructuredMissing => DiagnosticCode::StructuredContentExtractionFailed,
        }
    }
}
