//! Diagnostics: what differed, what was really seen, how to fix it.

use mcpeak_core::canonical::utf16_cmp;
use mcpeak_core::client::ToolResult;
use mcpeak_core::error::McpError;
use mcpeak_core::locale::Locale;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::body::{Body, BodyProblem, extract};
use crate::clamp::{clamp, clamp_value, cut_length, summary};
use crate::json::{compact, type_name};
use crate::mask::Masker;
use crate::schema::{Evaluation, Violation, ViolationCode, ViolationKind, render_path};
use crate::text::{self, Sentence};

/// Members of an object that a violation lists.
const MAX_OBSERVED_KEYS: usize = 20;

/// Lines of a response that notes repeat.
const MAX_NOTE_LINES: usize = 50;

/// Causes of an operation error that are told.
const MAX_CAUSES: usize = 3;

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

/// Writes diagnostics in one language, without secrets.
#[derive(Clone)]
pub struct Diagnostics {
    /// The language.
    pub locale: Locale,
    /// What takes the secrets out.
    pub masker: Masker,
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

impl Cause<'_> {
    const fn code(&self) -> DiagnosticCode {
        match self {
            Self::ToolNotFound { .. } => DiagnosticCode::ToolNotFound,
            Self::ExpectedError | Self::ExpectedSuccess => DiagnosticCode::IsErrorMismatch,
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

impl Diagnostics {
    /// A diagnostic that is only a sentence.
    pub fn plain(&self, cause: &Cause<'_>) -> Diagnostic {
        let Sentence { message, hint } = text::of(self.locale).diagnostic(cause);
        Diagnostic {
            code: cause.code(),
            message,
            expected: None,
            actual: None,
            hint,
            violations: None,
            total_violations: None,
            notes: None,
        }
    }

    /// `toolExists` failed.
    pub fn tool_not_found(&self, tool: &str, listed: &[String]) -> Diagnostic {
        let listed: Vec<String> = listed.iter().map(|name| self.words(name)).collect();
        let mut diagnostic = self.plain(&Cause::ToolNotFound { tool: &self.words(tool), listed: &listed });
        diagnostic.expected = Some(Value::String(self.words(tool)));
        diagnostic.actual = Some(json!(listed));
        diagnostic
    }

    /// `isError` failed; the notes repeat what the server said.
    pub fn is_error_mismatch(&self, expected: bool, result: &ToolResult) -> Diagnostic {
        let cause = if expected { Cause::ExpectedError } else { Cause::ExpectedSuccess };
        let mut diagnostic = self.plain(&cause);
        diagnostic.expected = Some(Value::Bool(expected));
        diagnostic.actual = Some(Value::Bool(!expected));
        let notes = self.response_lines(result);
        diagnostic.notes = (!notes.is_empty()).then_some(notes);
        diagnostic
    }

    /// The operation ended with an error.
    pub fn operation_failed(&self, error: &McpError) -> Diagnostic {
        let text = text::of(self.locale);
        let message = self.words(&error.message(self.locale));
        let causes: Vec<String> =
            error.causes.iter().take(MAX_CAUSES).map(|cause| self.words(cause)).collect();
        let mut hint = self.words(&error.hint(self.locale));
        if hint.is_empty() {
            text.operation_hint().clone_into(&mut hint);
        }
        let actual = error_value(error.code.as_str(), &message, &causes);
        let notes: Vec<String> = causes.iter().map(|cause| text.cause_note(cause)).collect();
        Diagnostic {
            code: DiagnosticCode::OperationFailed,
            message,
            expected: None,
            actual: Some(actual),
            hint,
            violations: None,
            total_violations: None,
            notes: (!notes.is_empty()).then_some(notes),
        }
    }

    /// A schema found violations; `expected` and `actual` are the whole schema and the whole value.
    pub fn schema_mismatch(
        &self,
        cause: &Cause<'_>,
        schema: &Value,
        value: &Value,
        evaluation: &Evaluation<'_>,
    ) -> Diagnostic {
        let mut diagnostic = self.plain(cause);
        diagnostic.expected = Some(self.masker.schema(schema));
        diagnostic.actual = Some(clamp_value(&self.masker.value(value), self.locale));
        diagnostic.violations =
            Some(evaluation.violations.iter().map(|violation| self.violation(violation)).collect());
        diagnostic.total_violations = Some(evaluation.total);
        diagnostic
    }

    /// What a refusal said, for the report.
    pub fn rejection_body(&self, result: &ToolResult) -> Option<String> {
        match extract(result).ok()? {
            Body::Json(value) => Some(clamp(&self.masker.line(&value), self.locale)),
            Body::Text(text) => Some(self.words(&text)),
        }
    }

    /// A text from outside: without secrets, then cut.
    pub fn words(&self, text: &str) -> String {
        clamp(&self.masker.text(text), self.locale)
    }

    /// What a result says, one line each: text line by line, structure as one line of JSON. Blocks of other kinds are named.
    fn response_lines(&self, result: &ToolResult) -> Vec<String> {
        let mut lines = Vec::new();
        match extract(result) {
            Ok(Body::Json(value)) => lines.push(clamp(&self.masker.line(&value), self.locale)),
            Ok(Body::Text(text)) => self.push_lines(&mut lines, &text),
            Err(_) => {
                for block in result.content().and_then(Value::as_array).into_iter().flatten() {
                    match block.get("text").and_then(Value::as_str) {
                        Some(text) => self.push_lines(&mut lines, text),
                        None => lines.push(self.words(&format!(
                            "({})",
                            block.get("type").and_then(Value::as_str).unwrap_or("?")
                        ))),
                    }
                }
            }
        }
        if lines.len() > MAX_NOTE_LINES {
            let more = lines.len() - MAX_NOTE_LINES;
            lines.truncate(MAX_NOTE_LINES);
            lines.push(text::of(self.locale).more_lines(more));
        }
        lines
    }

    fn push_lines(&self, lines: &mut Vec<String>, text: &str) {
        // Masked as a whole before it is split: a secret may contain a line break.
        let masked = self.masker.text(text);
        lines.extend(
            masked.lines().filter(|line| !line.trim().is_empty()).map(|line| clamp(line, self.locale)),
        );
    }

    fn violation(&self, violation: &Violation<'_>) -> ViolationReport {
        let actual = violation.actual.map(|value| self.masker.at(&violation.path, value));
        let shown = actual.as_ref().map(|value| self.show(value)).unwrap_or_default();
        let path = self.masker.text(&render_path(&violation.path));
        let mut report = ViolationReport {
            code: violation.kind.code(),
            path,
            message: String::new(),
            expected: None,
            actual: actual.as_ref().map(|value| match &violation.kind {
                ViolationKind::Const(_) | ViolationKind::Enum(_) => clamp_value(value, self.locale),
                _ => clamp_value(&summary(value), self.locale),
            }),
            actual_chars: actual.as_ref().and_then(Value::as_str).and_then(cut_length),
            observed_keys: None,
            observed_keys_total: None,
        };
        let sentence = self.facts(violation, actual.as_ref(), &shown, &mut report);
        report.message = format!("{}: {sentence}", report.path);
        report
    }

    /// Fills in what a kind of violation expects, and gives its sentence.
    fn facts(
        &self,
        violation: &Violation<'_>,
        actual: Option<&Value>,
        shown: &str,
        report: &mut ViolationReport,
    ) -> String {
        let text = text::of(self.locale);
        let (expected, sentence) = match violation.kind {
            ViolationKind::Type(name) => {
                let actual = actual.map(|value| self.show_typed(value)).unwrap_or_default();
                let facts = ViolationFacts::Type { expected: name.as_str(), actual: &actual };
                (json!(name.as_str()), text.violation(&facts))
            }
            ViolationKind::Const(value) => {
                let value = self.masker.at(&violation.path, value);
                let expected = self.show_whole(&value);
                let actual = actual.map(|value| self.show_whole(value)).unwrap_or_default();
                let facts = ViolationFacts::Const { expected: &expected, actual: &actual };
                (clamp_value(&value, self.locale), text.violation(&facts))
            }
            ViolationKind::Enum(values) => {
                let values: Vec<Value> =
                    values.iter().map(|value| self.masker.at(&violation.path, value)).collect();
                let list: Vec<String> = values.iter().map(compact).collect();
                let expected = clamp(&list.join(", "), self.locale);
                let actual = actual.map(|value| self.show_whole(value)).unwrap_or_default();
                let facts = ViolationFacts::Enum { expected: &expected, actual: &actual };
                (clamp_value(&Value::Array(values), self.locale), text.violation(&facts))
            }
            ViolationKind::Required(members) => {
                let observed = self.observed_keys(members);
                let total = members.len();
                let sentence = text.violation(&ViolationFacts::Required { observed: &observed, total });
                report.observed_keys_total = (total > observed.len()).then_some(total);
                report.observed_keys = Some(observed);
                return sentence;
            }
            ViolationKind::AdditionalProperty => return text.violation(&ViolationFacts::Additional),
            ViolationKind::MinItems(limit, found) => {
                (json!(limit), text.violation(&ViolationFacts::MinItems { limit, found }))
            }
            ViolationKind::MinLength(limit, found) => {
                (json!(limit), text.violation(&ViolationFacts::MinLength { limit, found }))
            }
            ViolationKind::MaxLength(limit, found) => {
                (json!(limit), text.violation(&ViolationFacts::MaxLength { limit, found }))
            }
            ViolationKind::Contains(part) => {
                let part = self.masker.at(&violation.path, &json!(part));
                let facts = ViolationFacts::Contains { part: &self.show(&part), actual: shown };
                (part.clone(), text.violation(&facts))
            }
            ViolationKind::Minimum(limit) => {
                let facts = ViolationFacts::Minimum { limit: &compact(&json!(limit)), actual: shown };
                (json!(limit), text.violation(&facts))
            }
            ViolationKind::Maximum(limit) => {
                let facts = ViolationFacts::Maximum { limit: &compact(&json!(limit)), actual: shown };
                (json!(limit), text.violation(&facts))
            }
        };
        report.expected = Some(expected);
        sentence
    }

    fn observed_keys(&self, members: &Map<String, Value>) -> Vec<String> {
        let mut keys: Vec<&String> = members.keys().collect();
        keys.sort_by(|left, right| utf16_cmp(left, right));
        keys.into_iter().take(MAX_OBSERVED_KEYS).map(|key| self.words(key)).collect()
    }

    /// A scalar as JSON, a structure by its size.
    fn show(&self, value: &Value) -> String {
        match value {
            Value::Object(members) => text::of(self.locale).object_size(members.len()),
            Value::Array(items) => text::of(self.locale).array_size(items.len()),
            Value::String(text) => {
                let shown = clamp(text, self.locale);
                match cut_length(text) {
                    // The mark stands outside the quotes, or it would look like part of the value.
                    Some(_) => {
                        let end =
                            text.char_indices().nth(crate::clamp::LIMIT).map_or(text.len(), |(at, _)| at);
                        format!("{}{}", compact(&json!(text[..end])), &shown[end..])
                    }
                    None => compact(value),
                }
            }
            other => compact(other),
        }
    }

    fn show_typed(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Object(_) | Value::Array(_) => self.show(value),
            other => format!("{} ({})", type_name(other), self.show(other)),
        }
    }

    fn show_whole(&self, value: &Value) -> String {
        match value {
            Value::String(_) => self.show(value),
            other => clamp(&compact(other), self.locale),
        }
    }
}

fn error_value(name: &str, message: &str, causes: &[String]) -> Value {
    let mut value = Map::new();
    value.insert("type".to_owned(), json!("error"));
    value.insert("name".to_owned(), json!(name));
    value.insert("message".to_owned(), json!(message));
    // Innermost first: each cause is wrapped by the one before it.
    let chain = causes.iter().rev().fold(None, |inner: Option<Value>, cause| {
        let mut value = json!({"type": "error", "name": "Error", "message": cause});
        if let (Some(inner), Some(members)) = (inner, value.as_object_mut()) {
            members.insert("cause".to_owned(), inner);
        }
        Some(value)
    });
    if let Some(cause) = chain {
        value.insert("cause".to_owned(), cause);
    }
    Value::Object(value)
}
