//! The root of a suite and its approval.

use mcpeak_core::canonical::utf16_cmp;
use serde_json::{Map, Value};

use super::case::case;
use super::issue::{Expected, Issue, Kind, Problem, echo, echo_name};
use crate::json::{safe_unsigned, type_name};

const ROOT_FIELDS: [&str; 6] = ["schemaVersion", "id", "name", "approval", "defaultTimeoutMs", "cases"];
const APPROVAL_FIELDS: [&str; 2] = ["fingerprint", "cases"];
const APPROVED_CASE_FIELDS: [&str; 2] = ["id", "status"];
const MAX_TIMEOUT_MS: u64 = 2_147_483_647;

/// Collects issues while the document is walked.
#[derive(Default)]
pub(super) struct Issues(Vec<Issue>);

/// All issues of a document, in order. None: the document is a suite.
pub fn validate(value: &Value) -> Vec<Issue> {
    let mut issues = Issues::default();
    let Some(root) = value.as_object() else {
        issues.push("$".to_owned(), Problem::RootNotObject { found: type_name(value) });
        return issues.0;
    };
    version(root, &mut issues);
    issues.non_blank(root, "", "id");
    issues.non_blank(root, "", "name");
    issues.timeout(root, "", "defaultTimeoutMs");
    if let Some(value) = root.get("approval") {
        approval(value, &mut issues);
    }
    issues.unknown(root, "", &ROOT_FIELDS);
    cases(root, &mut issues);
    issues.0
}

fn version(root: &Map<String, Value>, issues: &mut Issues) {
    match root.get("schemaVersion") {
        None => issues.missing("", "schemaVersion", Expected::Values(&["1"])),
        Some(value) if value.as_f64() == Some(1.0) => {}
        Some(value) => issues.push("schemaVersion".to_owned(), Problem::Version { found: echo(value) }),
    }
}

fn cases(root: &Map<String, Value>, issues: &mut Issues) {
    let Some(value) = root.get("cases") else {
        issues.missing("", "cases", Expected::Kind(Kind::NonEmptyArray));
        return;
    };
    let Some(cases) = value.as_array() else {
        issues.wrong_type("cases".to_owned(), "cases", Kind::Array, value);
        return;
    };
    if cases.is_empty() {
        issues.push("cases".to_owned(), Problem::NoCases);
    }
    let mut seen = Vec::new();
    for (index, value) in cases.iter().enumerate() {
        case(value, index, &mut seen, issues);
    }
}

fn approval(value: &Value, issues: &mut Issues) {
    let Some(approval) = value.as_object() else {
        issues.wrong_type("approval".to_owned(), "approval", Kind::Object, value);
        return;
    };
    match approval.get("fingerprint") {
        None => issues.missing("approval", "fingerprint", Expected::Kind(Kind::Fingerprint)),
        Some(value) if value.as_str().is_some_and(is_fingerprint) => {}
        Some(value) => issues.push(
            "approval.fingerprint".to_owned(),
            Problem::Value {
                field: "fingerprint".to_owned(),
                expected: Expected::Kind(Kind::Fingerprint),
                found: type_name(value).to_owned(),
            },
        ),
    }
    if let Some(value) = approval.get("cases") {
        approved_cases(value, issues);
    }
    issues.unknown(approval, "approval", &APPROVAL_FIELDS);
}

fn approved_cases(value: &Value, issues: &mut Issues) {
    let Some(entries) = value.as_array() else {
        issues.bad_value("approval.cases".to_owned(), "cases", Expected::Kind(Kind::Array), value);
        return;
    };
    let mut seen: Vec<&str> = Vec::new();
    for (index, value) in entries.iter().enumerate() {
        let path = format!("approval.cases[{index}]");
        let Some(entry) = value.as_object() else {
            issues.bad_value(path, "cases", Expected::Kind(Kind::Object), value);
            continue;
        };
        let id = entry.get("id").unwrap_or(&Value::Null);
        match id.as_str().filter(|id| !id.trim().is_empty()) {
            None => issues.bad_value(format!("{path}.id"), "id", Expected::Kind(Kind::NonBlankString), id),
            Some(id) if seen.contains(&id) => {
                issues.push(format!("{path}.id"), Problem::DuplicateApproval { id: echo_name(id) });
            }
            Some(id) => seen.push(id),
        }
        let status = entry.get("status").unwrap_or(&Value::Null);
        if !matches!(status.as_str(), Some("passed" | "serverDefect")) {
            let expected = Expected::Values(&["passed", "serverDefect"]);
            issues.bad_value(format!("{path}.status"), "status", expected, status);
        }
        issues.unknown(entry, &path, &APPROVED_CASE_FIELDS);
    }
}

fn is_fingerprint(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `parent.key`, or the key alone below the root.
pub(super) fn join(parent: &str, key: &str) -> String {
    if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") }
}

impl Issues {
    pub(super) fn push(&mut self, path: String, problem: Problem) {
        self.0.push(Issue { path, problem });
    }

    pub(super) fn missing(&mut self, parent: &str, field: &str, expected: Expected) {
        self.push(join(parent, field), Problem::Missing { field: field.to_owned(), expected });
    }

    pub(super) fn wrong_type(&mut self, path: String, field: &str, kind: Kind, value: &Value) {
        self.push(path, Problem::Type { field: field.to_owned(), kind, found: echo(value) });
    }

    pub(super) fn bad_value(&mut self, path: String, field: &str, expected: Expected, value: &Value) {
        self.push(path, Problem::Value { field: field.to_owned(), expected, found: echo(value) });
    }

    /// A required string with a visible character; its text if it is one.
    pub(super) fn non_blank<'a>(
        &mut self,
        members: &'a Map<String, Value>,
        parent: &str,
        field: &str,
    ) -> Option<&'a str> {
        let Some(value) = members.get(field) else {
            self.missing(parent, field, Expected::Kind(Kind::NonBlankString));
            return None;
        };
        let Some(text) = value.as_str() else {
            self.wrong_type(join(parent, field), field, Kind::String, value);
            return None;
        };
        if text.trim().is_empty() {
            self.push(join(parent, field), Problem::Blank { field: field.to_owned() });
            return None;
        }
        Some(text)
    }

    /// An optional timeout.
    pub(super) fn timeout(&mut self, members: &Map<String, Value>, parent: &str, field: &'static str) {
        let Some(value) = members.get(field) else { return };
        if !safe_unsigned(value).is_some_and(|timeout| (1..=MAX_TIMEOUT_MS).contains(&timeout)) {
            self.push(join(parent, field), Problem::Timeout { field, found: echo(value) });
        }
    }

    /// Keys that the format does not have, sorted by UTF-16 code unit.
    pub(super) fn unknown(
        &mut self,
        members: &Map<String, Value>,
        parent: &str,
        allowed: &'static [&'static str],
    ) {
        let mut unknown: Vec<&String> =
            members.keys().filter(|key| !allowed.contains(&key.as_str())).collect();
        unknown.sort_by(|left, right| utf16_cmp(left, right));
        for key in unknown {
            self.push(join(parent, key), Problem::Unknown { field: echo_name(key), allowed });
        }
    }
}
