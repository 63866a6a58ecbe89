//! Codes, severities, facts.

use serde::Serialize;

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Stable code.
    pub code: FindingCode,
    /// Whether the call can work at all.
    pub severity: Severity,
    /// The case.
    pub case_id: String,
    /// Where in the case: `operation.input.city`.
    pub path: String,
    /// The name that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// What the sentence needs to know.
    #[serde(skip)]
    pub facts: FindingFacts,
}

/// Whether the call can work at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The server will most likely refuse.
    Blocking,
    /// Worth knowing.
    Advisory,
}

/// Stable code of a finding, in the order in which findings are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FindingCode {
    /// The tool is not listed.
    ToolNotDeclared,
    /// A required argument is absent.
    RequiredMissing,
    /// An argument that is not declared, where no others are allowed.
    UndeclaredField,
    /// An argument of another type.
    TypeMismatch,
    /// An argument that is none of the declared values.
    EnumMismatch,
    /// An argument outside a declared range.
    RangeMismatch,
    /// The schema of the tool is beyond this check.
    SchemaNotAnalyzable,
    /// A refusal is expected of arguments that break nothing.
    RejectionWithoutViolation,
    /// `minLength: 0`.
    VacuousMinLength,
    /// `minItems: 0`.
    VacuousMinItems,
}

/// What findings have in common, for the heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingGroup {
    /// Arguments differ from the declaration.
    Input,
    /// An assertion cannot fail.
    Vacuous,
    /// A refusal is expected without grounds.
    Rejection,
    /// The arguments were not checked.
    NotAnalyzable,
}

/// A rule about size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeRule {
    /// `minimum`.
    Minimum,
    /// `maximum`.
    Maximum,
    /// `exclusiveMinimum`.
    ExclusiveMinimum,
    /// `exclusiveMaximum`.
    ExclusiveMaximum,
    /// `minLength`.
    MinLength,
    /// `maxLength`.
    MaxLength,
    /// `minItems`.
    MinItems,
    /// `maxItems`.
    MaxItems,
}

/// What a sentence about a finding needs to know; values are ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingFacts {
    /// The tool is not listed.
    ToolNotDeclared {
        /// Its name.
        tool: String,
        /// The name that was probably meant.
        suggestion: Option<String>,
    },
    /// A required argument is absent.
    RequiredMissing {
        /// Its name.
        field: String,
    },
    /// An argument that is not declared.
    UndeclaredField {
        /// Its name.
        field: String,
    },
    /// An argument of another type.
    TypeMismatch {
        /// Its name.
        field: String,
        /// Declared type.
        expected: String,
        /// Type, and value where it is a scalar.
        actual: String,
    },
    /// An argument that is none of the declared values.
    EnumMismatch {
        /// Its name.
        field: String,
        /// Declared values.
        allowed: String,
        /// Its value.
        actual: String,
    },
    /// An argument outside a declared range.
    RangeMismatch {
        /// Its name.
        field: String,
        /// Which rule.
        rule: RangeRule,
        /// Declared limit.
        limit: String,
        /// Its value, length or number of elements.
        actual: String,
    },
    /// The schema of the tool is beyond this check.
    SchemaNotAnalyzable {
        /// The keyword that is beyond it.
        reason: String,
    },
    /// A refusal is expected of arguments that break nothing.
    RejectionWithoutViolation,
    /// `minLength: 0`.
    VacuousMinLength {
        /// Where.
        path: String,
    },
    /// `minItems: 0`.
    VacuousMinItems {
        /// Where.
        path: String,
    },
}

impl FindingFacts {
    /// Stable code.
    pub const fn code(&self) -> FindingCode {
        match self {
            Self::ToolNotDeclared { .. } => FindingCode::ToolNotDeclared,
            Self::RequiredMissing { .. } => FindingCode::RequiredMissing,
            Self::UndeclaredField { .. } => FindingCode::UndeclaredField,
            Self::TypeMismatch { .. } => FindingCode::TypeMismatch,
            Self::EnumMismatch { .. } => FindingCode::EnumMismatch,
            Self::RangeMismatch { .. } => FindingCode::RangeMismatch,
            Self::SchemaNotAnalyzable { .. } => FindingCode::SchemaNotAnalyzable,
            Self::RejectionWithoutViolation => FindingCode::RejectionWithoutViolation,
            Self::VacuousMinLength { .. } => FindingCode::VacuousMinLength,
            Self::VacuousMinItems { .. } => FindingCode::VacuousMinItems,
        }
    }
}

impl FindingCode {
    /// Whether the call can work at all.
    pub const fn severity(self) -> Severity {
        match self {
            Self::ToolNotDeclared
            | Self::RequiredMissing
            | Self::UndeclaredField
            | Self::TypeMismatch
            | Self::EnumMismatch => Severity::Blocking,
            _ => Severity::Advisory,
        }
    }

    /// The group it is listed under.
    pub const fn group(self) -> FindingGroup {
        match self {
            Self::SchemaNotAnalyzable => FindingGroup::NotAnalyzable,
            Self::RejectionWithoutViolation => FindingGroup::Rejection,
            Self::VacuousMinLength | Self::VacuousMinItems => FindingGroup::Vacuous,
            _ => FindingGroup::Input,
        }
    }
}
