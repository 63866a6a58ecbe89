//! Writes diagnostics in one language, without secrets.

use mcpeak_core::client::ToolResult;
use mcpeak_core::error::McpError;
use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;
use serde_json::{Map, Value, json};

use super::facts::Cause;
use super::model::{Diagnostic, DiagnosticCode};
use crate::body::{Body, extract};
use crate::clamp::{clamp, clamp_to, clamp_value};
use crate::mask::Masker;
use crate::schema::Evaluation;
use crate::text::{self, Sentence};

/// Lines of a response that notes repeat.
const MAX_NOTE_LINES: usize = 50;

/// Longest message about an operation error, in code points.
const MAX_SENTENCE: usize = 2_000;

/// Causes of an operation error that are told.
const MAX_CAUSES: usize = 3;

/// Writes diagnostics in one language, without secrets.
#[derive(Clone)]
pub struct Diagnostics {
    /// The language.
    pub locale: Locale,
    /// What takes the secrets out.
    pub masker: Masker,
}

impl Diagnostics {
    /// In a language, without these values.
    pub fn new(locale: Locale, sensitive: &[Secret<String>]) -> Self {
        Self { locale, masker: Masker::new(sensitive) }
    }

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
        let odd = result.raw.get("isError").filter(|value| !matches!(value, Value::Bool(_) | Value::Null));
        let cause = match odd {
            Some(_) => Cause::IsErrorNotBoolean,
            None if expected => Cause::ExpectedError,
            None => Cause::ExpectedSuccess,
        };
        let mut diagnostic = self.plain(&cause);
        diagnostic.expected = Some(Value::Bool(expected));
        diagnostic.actual = Some(
            odd.map_or(Value::Bool(!expected), |value| clamp_value(&self.masker.value(value), self.locale)),
        );
        let notes = self.response_lines(result);
        diagnostic.notes = (!notes.is_empty()).then_some(notes);
        diagnostic
    }

    /// The operation ended with an error.
    pub fn operation_failed(&self, error: &McpError) -> Diagnostic {
        let text = text::of(self.locale);
        let message = self.sentence(&error.message(self.locale));
        let causes: Vec<String> =
            error.causes.iter().take(MAX_CAUSES).map(|cause| self.words(cause)).collect();
        let mut hint = self.sentence(&error.hint(self.locale));
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

    /// A sentence that quotes text from outside: without secrets, cut only when it is far too long for a sentence.
    fn sentence(&self, text: &str) -> String {
        clamp_to(&self.masker.text(text), MAX_SENTENCE, self.locale)
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
