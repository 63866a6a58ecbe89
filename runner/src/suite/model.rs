//! What a valid suite says.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::schema::ResponseSchema;

/// The deadline of a case that sets none, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u64 = 10_000;

/// A valid suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// `id`.
    pub id: String,
    /// `name`.
    pub name: String,
    /// `defaultTimeoutMs`, if the file has it.
    pub default_timeout_ms: Option<u64>,
    /// `approval`, if the file has it.
    pub approval: Option<Approval>,
    /// At least one case, in file order.
    pub cases: Vec<Case>,
    /// SHA-256 of the canonical suite without `approval`, 64 hex digits.
    pub fingerprint: String,
}

/// What was approved, and when nothing is said about it: how each case stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Fingerprint of the suite that was approved.
    pub fingerprint: String,
    /// How each case ended in the dry run before approval.
    pub cases: Option<Vec<ApprovedCase>>,
}

/// How one case stood at approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApprovedCase {
    /// Id of the case; it need not exist any more.
    pub id: String,
    /// How it ended.
    pub status: ApprovedStatus,
}

/// How a case ended in the dry run before approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovedStatus {
    /// It passed.
    Passed,
    /// It failed, and the reviewer said that the server is wrong.
    ServerDefect,
}

/// One case: an operation and what must hold of its result.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique within the suite.
    pub id: String,
    /// For people.
    pub name: String,
    /// Its own deadline, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// What is sent.
    pub operation: Operation,
    /// At least one.
    pub assertions: Vec<Assertion>,
}

/// What a case sends.
#[derive(Clone, Debug)]
pub enum Operation {
    /// `tools/list`, all pages.
    ListTools,
    /// `tools/call`.
    CallTool {
        /// Name of the tool.
        tool: String,
        /// Arguments.
        input: Map<String, Value>,
    },
}

/// What must hold of a result.
#[derive(Clone, Debug)]
pub enum Assertion {
    /// A tool of exactly this name is listed.
    ToolExists {
        /// The name.
        tool: String,
    },
    /// `isError` of the result has this value.
    IsError {
        /// The value.
        expected: bool,
    },
    /// The one text block matches.
    BodyMatchesSchema {
        /// The schema.
        schema: ResponseSchema,
    },
    /// `structuredContent` matches.
    StructuredContentMatchesSchema {
        /// The schema.
        schema: ResponseSchema,
    },
}

impl Suite {
    /// Keeps only the cases that `keep` accepts. The fingerprint stays that of the whole file.
    pub fn retain_cases(&mut self, keep: impl FnMut(&Case) -> bool) {
        self.cases.retain(keep);
    }

    /// The deadline of a case, in milliseconds.
    pub fn timeout_ms(&self, case: &Case) -> u64 {
        case.timeout_ms.or(self.default_timeout_ms).unwrap_or(DEFAULT_TIMEOUT_MS)
    }
}

impl Case {
    /// Whether it expects the server to refuse: there are `isError` assertions, and all say `true`.
    pub fn expects_rejection(&self) -> bool {
        let mut expectations = self.assertions.iter().filter_map(|assertion| match assertion {
            Assertion::IsError { expected } => Some(*expected),
            _ => None,
        });
        expectations.next() == Some(true) && expectations.all(|expected| expected)
    }

    /// The tool that it calls.
    pub fn tool(&self) -> Option<&str> {
        match &self.operation {
            Operation::ListTools => None,
            Operation::CallTool { tool, .. } => Some(tool),
        }
    }
}

impl Operation {
    /// `type` as the file spells it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ListTools => "listTools",
            Self::CallTool { .. } => "callTool",
        }
    }
}

impl Assertion {
    /// `type` as the file spells it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ToolExists { .. } => "toolExists",
            Self::IsError { .. } => "isError",
            Self::BodyMatchesSchema { .. } => "bodyMatchesSchema",
            Self::StructuredContentMatchesSchema { .. } => "structuredContentMatchesSchema",
        }
    }

    /// The schema of a schema assertion.
    pub const fn schema(&self) -> Option<&ResponseSchema> {
        match self {
            Self::BodyMatchesSchema { schema } | Self::StructuredContentMatchesSchema { schema } => {
                Some(schema)
            }
            Self::ToolExists { .. } | Self::IsError { .. } => None,
        }
    }
}
