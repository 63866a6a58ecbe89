//! A file or bytes to a suite.

use std::fmt::Write as _;

use std::fmt;
use std::io;
use std::path::Path;

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;
use serde_json::Value;

use super::build;
use super::model::Suite;
use super::validate::{self, Issue};
use crate::json::js_member_order;
use crate::text::{self, Label, Sentence};

/// Why a suite could not be used.
#[derive(Debug)]
pub struct SuiteError {
    /// What happened.
    pub kind: SuiteErrorKind,
    /// The file, as it was named; absent when bytes were parsed.
    pub path: Option<String>,
}

/// What happened to a suite.
#[derive(Debug)]
pub enum SuiteErrorKind {
    /// Not a `.json` file.
    FormatUnsupported,
    /// The file could not be read.
    ReadFailed {
        /// Kind, for the sentence.
        kind: io::ErrorKind,
        /// The system's words.
        message: String,
    },
    /// Not UTF-8.
    EncodingInvalid {
        /// Offset of the first byte that is not UTF-8.
        offset: usize,
    },
    /// Not JSON.
    JsonInvalid {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The parser's words, without the position.
        message: String,
        /// Whether the document is nested deeper than 128 levels.
        too_deep: bool,
    },
    /// JSON that breaks rules of the suite format.
    ValidationFailed {
        /// All of them, in the order of the document.
        issues: Vec<Issue>,
    },
}

/// Reads and checks a suite. The extension is looked at before the file is read.
pub fn load_suite(path: &Path) -> Result<Suite, SuiteError> {
    let named = |kind| SuiteError { kind, path: Some(path.display().to_string()) };
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if !is_json {
        return Err(named(SuiteErrorKind::FormatUnsupported));
    }
    let bytes = std::fs::read(path).map_err(|error| {
        named(SuiteErrorKind::ReadFailed { kind: error.kind(), message: error.to_string() })
    })?;
    Suite::parse(&bytes).map_err(|error| named(error.kind))
}

impl Suite {
    /// Reads and checks a suite from the bytes of a file. A byte order mark is skipped.
    pub fn parse(bytes: &[u8]) -> Result<Self, SuiteError> {
        let failed = |kind| SuiteError { kind, path: None };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| failed(SuiteErrorKind::EncodingInvalid { offset: error.valid_up_to() }))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value = serde_json::from_str(text).map_err(|error| failed(json_error(text, &error)))?;
        Self::from_value(value).map_err(|issues| failed(SuiteErrorKind::ValidationFailed { issues }))
    }

    /// Checks a suite that is already parsed.
    ///
    /// # Errors
    /// Every issue, in the order of the document.
    #[expect(
        clippy::missing_panics_doc,
        reason = "the invariant holds for every value: a property test says so"
    )]
    pub fn from_value(value: Value) -> Result<Self, Vec<Issue>> {
        let issues = validate::validate(&value);
        if !issues.is_empty() {
            return Err(issues);
        }
        Ok(build::suite(js_member_order(value))
            .expect("the validation has accepted every member that the model reads"))
    }
}

impl SuiteError {
    /// Stable code.
    pub const fn code(&self) -> &'static str {
        match &self.kind {
            SuiteErrorKind::FormatUnsupported => "SUITE_FORMAT_UNSUPPORTED",
            SuiteErrorKind::ReadFailed { .. } => "SUITE_READ_FAILED",
            SuiteErrorKind::EncodingInvalid { .. } => "SUITE_ENCODING_INVALID",
            SuiteErrorKind::JsonInvalid { .. } => "SUITE_JSON_INVALID",
            SuiteErrorKind::ValidationFailed { .. } => "SUITE_VALIDATION_FAILED",
        }
    }

    /// What happened. Text from outside in it is not escaped for a terminal.
    pub fn message(&self, locale: Locale) -> String {
        self.sentence(locale).message
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        self.sentence(locale).hint
    }

    /// The broken rules, if that is the error.
    pub fn issues(&self) -> &[Issue] {
        match &self.kind {
            SuiteErrorKind::ValidationFailed { issues } => issues,
            _ => &[],
        }
    }

    /// The whole error for a terminal: code, message, hint, one entry an issue. Ends with a newline.
    pub fn render(&self, locale: Locale) -> String {
        let text = text::of(locale);
        let (error, fix) = (text.label(Label::Error), text.label(Label::Fix));
        let safe = |words: &str| terminal(words, Keep::Nothing).into_owned();
        let sentence = self.sentence(locale);
        let mut out = format!(
            "{error} [{}]: {}\n{fix}: {}\n",
            self.code(),
            safe(&sentence.message),
            safe(&sentence.hint)
        );
        out.push_str(&self.render_issues(locale));
        out
    }

    /// The broken rules for a terminal, one entry each; empty if none is the error.
    pub fn render_issues(&self, locale: Locale) -> String {
        let text = text::of(locale);
        let fix = text.label(Label::Fix);
        let safe = |words: &str| terminal(words, Keep::Nothing).into_owned();
        let mut out = String::new();
        for issue in self.issues() {
            let sentence = text.issue(&issue.problem);
            let _ = write!(
                out,
                "- [{}] {}: {}\n  {fix}: {}\n",
                issue.code().as_str(),
                safe(&issue.path),
                safe(&sentence.message),
                safe(&sentence.hint)
            );
        }
        out
    }

    fn sentence(&self, locale: Locale) -> Sentence {
        let mut sentence = text::of(locale).suite_error(&self.kind, self.path.as_deref());
        // What is wrong inside a file needs the file named: several may be read in one call.
        let place = match (&self.path, &self.kind) {
            (Some(path), SuiteErrorKind::JsonInvalid { line, column, .. }) => {
                Some(format!("{path}:{line}:{column}"))
            }
            (
                Some(path),
                SuiteErrorKind::EncodingInvalid { .. } | SuiteErrorKind::ValidationFailed { .. },
            ) => Some(path.clone()),
            _ => None,
        };
        if let Some(place) = place {
            sentence.message = format!("{place}: {}", sentence.message);
        }
        sentence
    }
}

impl fmt::Display for SuiteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message(Locale::En))
    }
}

impl std::error::Error for SuiteError {}

fn json_error(text: &str, error: &serde_json::Error) -> SuiteErrorKind {
    let line = error.line().max(1);
    let bytes = text.lines().nth(line - 1).unwrap_or_default().as_bytes();
    // The parser counts bytes; an editor counts characters.
    let before = bytes.get(..error.column().saturating_sub(1)).unwrap_or(bytes);
    let column = String::from_utf8_lossy(before).chars().count() + 1;
    let whole = error.to_string();
    let message = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
    let too_deep = message.contains("recursion limit");
    SuiteErrorKind::JsonInvalid { line, column, message, too_deep }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn code(bytes: &[u8]) -> String {
        Suite::parse(bytes).unwrap_err().render(Locale::En)
    }

    #[test]
    fn extension_is_checked_before_reading() {
        let error = load_suite(Path::new("/nowhere/suite.yaml")).unwrap_err();
        assert_eq!(error.code(), "SUITE_FORMAT_UNSUPPORTED");
        let error = load_suite(Path::new("/nowhere/suite.JSON")).unwrap_err();
        assert_eq!(error.code(), "SUITE_READ_FAILED");
        assert!(error.message(Locale::En).contains("/nowhere/suite.JSON"), "{error}");
    }

    #[test]
    fn a_directory_is_named_as_one() {
        let folder = tempfile::Builder::new().suffix(".json").tempdir().unwrap();
        let error = load_suite(folder.path()).unwrap_err();
        assert_eq!(error.code(), "SUITE_READ_FAILED");
        assert!(error.message(Locale::En).contains("folder"), "{error}");
    }

    #[test]
    fn encoding_and_syntax_have_positions() {
        insta::assert_snapshot!(code(b"{\"id\": \"\xff\"}"), @r"
        Error [SUITE_ENCODING_INVALID]: The suite is not UTF-8: byte 8 cannot be decoded.
        Fix: Save the file as UTF-8.
        ");
        insta::assert_snapshot!(code("{\n  \"서울\" 1}".as_bytes()), @r"
        Error [SUITE_JSON_INVALID]: The suite is not JSON: line 2, column 8: expected `:`.
        Fix: Correct the JSON at that position.
        ");
        let deep = "[".repeat(3000);
        insta::assert_snapshot!(code(deep.as_bytes()), @r"
        Error [SUITE_JSON_INVALID]: The suite is nested deeper than 128 levels: line 1, column 128.
        Fix: Flatten the document; 128 levels are the limit.
        ");
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let error = Suite::parse("\u{feff}{}".as_bytes()).unwrap_err();
        assert_eq!(error.code(), "SUITE_VALIDATION_FAILED");
    }

    #[test]
    fn a_file_is_loaded() {
        let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        file.write_all(include_bytes!("../../tests/golden/weather.baseline.suite.json")).unwrap();
        let suite = load_suite(file.path()).unwrap();
        assert_eq!(suite.cases.len(), 8);
        assert_eq!(suite.fingerprint, "a736e81e1c3a33adcc0cc947c59bf7d7ff2d6cfabec8ff2f65fb3d24c14516d3");
    }
}
