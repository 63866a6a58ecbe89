//! Codes of issues and what each issue knows.

use mcpeak_core::locale::Locale;
use serde_json::Value;

use crate::json::{compact, type_name};
use crate::text;

/// Longest value that is repeated in a sentence, in characters.
const ECHO_LIMIT: usize = 32;

/// A broken rule: where, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Where: `cases[0].assertions[1].schema.minLength`, `$` for the root.
    pub path: String,
    /// Which rule, and what was found.
    pub problem: Problem,
}

/// Stable code of an issue. The set is frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueCode {
    /// A field that must be there is not.
    MissingRequiredField,
    /// A field that the format does not have.
    UnknownField,
    /// `schemaVersion` is not 1.
    UnsupportedSchemaVersion,
    /// A value of the wrong JSON type.
    InvalidType,
    /// A value of the right type that is not allowed.
    InvalidValue,
    /// Two cases with one id.
    DuplicateCaseId,
    /// `cases` is empty.
    EmptyCases,
    /// `assertions` is empty.
    EmptyAssertions,
    /// An assertion that does not apply to the operation.
    IncompatibleAssertion,
    /// Something that is not a JSON value of the kind needed.
    InvalidJsonValue,
    /// A timeout out of range.
    InvalidTimeout,
    /// A schema keyword outside the subset.
    UnsupportedSchemaKeyword,
    /// A schema keyword without the `type` that gives it a meaning.
    SchemaKeywordRequiresType,
}

/// What a field has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// An array with at least one element.
    NonEmptyArray,
    /// An array with at least one non-blank string.
    NonEmptyStringArray,
    /// A string.
    String,
    /// A string with a character that is not white space.
    NonBlankString,
    /// A boolean.
    Boolean,
    /// A boolean or a schema.
    BooleanOrSchema,
    /// An object with at least one member.
    NonEmptyObject,
    /// An integer from 0 to 2^53 − 1.
    Count,
    /// A number.
    Number,
    /// Any JSON value.
    Any,
    /// 64 lower-case hex digits.
    Fingerprint,
    /// A schema of the subset.
    Schema,
}

/// What a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One of these values.
    Values(&'static [&'static str]),
    /// Anything of a kind.
    Kind(Kind),
}

/// A broken rule with its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The document is not an object.
    RootNotObject {
        /// Type that was found.
        found: &'static str,
    },
    /// A required field is absent.
    Missing {
        /// Its name.
        field: String,
        /// What it accepts.
        expected: Expected,
    },
    /// A field that does not exist.
    Unknown {
        /// Its name.
        field: String,
        /// The fields that do.
        allowed: &'static [&'static str],
    },
    /// `schemaVersion` has another value.
    Version {
        /// The value.
        found: String,
    },
    /// A value of the wrong type.
    Type {
        /// Name of the field.
        field: String,
        /// What it has to be.
        kind: Kind,
        /// What it is.
        found: String,
    },
    /// A string without a visible character.
    Blank {
        /// Name of the field.
        field: String,
    },
    /// A value of the right type that is not allowed.
    Value {
        /// Name of the field.
        field: String,
        /// What it accepts.
        expected: Expected,
        /// What it is.
        found: String,
    },
    /// Two cases with one id.
    DuplicateCase {
        /// The id.
        id: String,
        /// Index of the first case with it.
        first: usize,
    },
    /// Two entries of `approval.cases` with one id.
    DuplicateApproval {
        /// The id.
        id: String,
    },
    /// No cases.
    NoCases,
    /// No assertions.
    NoAssertions,
    /// An assertion that does not apply.
    Incompatible {
        /// `operation.type`.
        operation: String,
        /// `type` of the assertion.
        assertion: String,
        /// Assertions that the operation accepts.
        allowed: &'static [&'static str],
    },
    /// `input` is not an object.
    Input {
        /// Type that was found.
        found: &'static str,
    },
    /// A timeout that is no integer in range.
    Timeout {
        /// Name of the field.
        field: &'static str,
        /// What it is.
        found: String,
    },
    /// A schema keyword outside the subset.
    Keyword {
        /// The keyword.
        keyword: String,
    },
    /// A keyword without its `type`.
    KeywordType {
        /// The keyword.
        keyword: &'static str,
        /// The types that give it a meaning.
        types: &'static [&'static str],
    },
    /// A schema or keyword that can never fail.
    Vacuous {
        /// `schema`, `required`, `properties`, `enum`.
        field: String,
    },
}

impl Issue {
    /// Stable code.
    pub const fn code(&self) -> IssueCode {
        self.problem.code()
    }

    /// What is wrong.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).issue(&self.problem).message
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).issue(&self.problem).hint
    }
}

impl Problem {
    const fn code(&self) -> IssueCode {
        match self {
            Self::RootNotObject { .. } | Self::Type { .. } => IssueCode::InvalidType,
            Self::Missing { .. } => IssueCode::MissingRequiredField,
            Self::Unknown { .. } => IssueCode::UnknownField,
            Self::Version { .. } => IssueCode::UnsupportedSchemaVersion,
            Self::Blank { .. }
            | Self::Value { .. }
            | Self::DuplicateApproval { .. }
            | Self::Vacuous { .. } => IssueCode::InvalidValue,
            Self::DuplicateCase { .. } => IssueCode::DuplicateCaseId,
            Self::NoCases => IssueCode::EmptyCases,
            Self::NoAssertions => IssueCode::EmptyAssertions,
            Self::Incompatible { .. } => IssueCode::IncompatibleAssertion,
            Self::Input { .. } => IssueCode::InvalidJsonValue,
            Self::Timeout { .. } => IssueCode::InvalidTimeout,
            Self::Keyword { .. } => IssueCode::UnsupportedSchemaKeyword,
            Self::KeywordType { .. } => IssueCode::SchemaKeywordRequiresType,
        }
    }
}

impl IssueCode {
    /// The code as it is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingRequiredField => "MISSING_REQUIRED_FIELD",
            Self::UnknownField => "UNKNOWN_FIELD",
            Self::UnsupportedSchemaVersion => "UNSUPPORTED_SCHEMA_VERSION",
            Self::InvalidType => "INVALID_TYPE",
            Self::InvalidValue => "INVALID_VALUE",
            Self::DuplicateCaseId => "DUPLICATE_CASE_ID",
            Self::EmptyCases => "EMPTY_CASES",
            Self::EmptyAssertions => "EMPTY_ASSERTIONS",
            Self::IncompatibleAssertion => "INCOMPATIBLE_ASSERTION",
            Self::InvalidJsonValue => "INVALID_JSON_VALUE",
            Self::InvalidTimeout => "INVALID_TIMEOUT",
            Self::UnsupportedSchemaKeyword => "UNSUPPORTED_SCHEMA_KEYWORD",
            Self::SchemaKeywordRequiresType => "SCHEMA_KEYWORD_REQUIRES_TYPE",
        }
    }
}

/// A value as a sentence may repeat it: short scalars literally, all else by type, since a suite can hold secrets.
pub(super) fn echo(value: &Value) -> String {
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        return type_name(value).to_owned();
    }
    let text = compact(value);
    if text.chars().count() > ECHO_LIMIT { type_name(value).to_owned() } else { text }
}

/// A name that came out of a suite, if it is short enough to repeat.
pub(super) fn echo_name(name: &str) -> String {
    if name.chars().count() > ECHO_LIMIT { "string".to_owned() } else { name.to_owned() }
}
