//! Cases, operations, assertions.

use serde_json::{Map, Value};

use super::document::{Issues, join};
use super::issue::{Expected, Kind, Problem, echo_name};
use super::schema::schema;
use crate::json::type_name;

const CASE_FIELDS: [&str; 5] = ["id", "name", "timeoutMs", "operation", "assertions"];
const OPERATIONS: [&str; 2] = ["listTools", "callTool"];
const ASSERTIONS: [&str; 4] =
    ["toolExists", "isError", "bodyMatchesSchema", "structuredContentMatchesSchema"];

/// One case. `seen` holds the ids before it with their indexes.
pub(super) fn case<'a>(
    value: &'a Value,
    index: usize,
    seen: &mut Vec<(&'a str, usize)>,
    issues: &mut Issues,
) {
    let path = format!("cases[{index}]");
    let Some(members) = value.as_object() else {
        issues.wrong_type(path, "cases", Kind::Object, value);
        return;
    };
    let id = issues.non_blank(members, &path, "id");
    issues.non_blank(members, &path, "name");
    if let Some(id) = id {
        match seen.iter().find(|(other, _)| *other == id) {
            Some(&(_, first)) => {
                issues.push(format!("{path}.id"), Problem::DuplicateCase { id: echo_name(id), first });
            }
            None => seen.push((id, index)),
        }
    }
    issues.timeout(members, &path, "timeoutMs");
    issues.unknown(members, &path, &CASE_FIELDS);
    let operation = operation(members, &path, issues);
    assertions(members, &path, operation, issues);
}

/// Checks the operation and gives its `type`, if that is a string.
fn operation<'a>(members: &'a Map<String, Value>, parent: &str, issues: &mut Issues) -> Option<&'a str> {
    let path = join(parent, "operation");
    let Some(value) = members.get("operation") else {
        issues.missing(parent, "operation", Expected::Kind(Kind::Object));
        return None;
    };
    let Some(operation) = value.as_object() else {
        issues.wrong_type(path, "operation", Kind::Object, value);
        return None;
    };
    let kind = kind(operation, &path, &OPERATIONS, issues);
    match kind {
        Some("callTool") => {
            issues.non_blank(operation, &path, "tool");
            match operation.get("input") {
                None => issues.missing(&path, "input", Expected::Kind(Kind::Object)),
                Some(Value::Object(_)) => {}
                Some(other) => {
                    issues.push(join(&path, "input"), Problem::Input { found: type_name(other) });
                }
            }
            issues.unknown(operation, &path, &["type", "tool", "input"]);
        }
        _ => issues.unknown(operation, &path, &["type"]),
    }
    kind
}

fn assertions(members: &Map<String, Value>, parent: &str, operation: Option<&str>, issues: &mut Issues) {
    let path = join(parent, "assertions");
    let Some(value) = members.get("assertions") else {
        issues.missing(parent, "assertions", Expected::Kind(Kind::NonEmptyArray));
        return;
    };
    let Some(list) = value.as_array() else {
        issues.wrong_type(path, "assertions", Kind::Array, value);
        return;
    };
    if list.is_empty() {
        issues.push(path, Problem::NoAssertions);
        return;
    }
    for (index, value) in list.iter().enumerate() {
        assertion(value, &format!("{path}[{index}]"), operation, issues);
    }
}

fn assertion(value: &Value, path: &str, operation: Option<&str>, issues: &mut Issues) {
    let Some(members) = value.as_object() else {
        issues.wrong_type(path.to_owned(), "assertions", Kind::Object, value);
        return;
    };
    if let (Some(operation), Some(assertion)) = (operation, members.get("type").and_then(Value::as_str)) {
        let allowed = compatible(operation);
        let known = ASSERTIONS.contains(&assertion);
        if !allowed.contains(&assertion) && (known || allowed.is_empty()) {
            let problem = Problem::Incompatible {
                operation: echo_name(operation),
                assertion: echo_name(assertion),
                allowed,
            };
            issues.push(join(path, "type"), problem);
            return;
        }
    }
    match kind(members, path, &ASSERTIONS, issues) {
        Some("toolExists") => {
            issues.non_blank(members, path, "tool");
            issues.unknown(members, path, &["type", "tool"]);
        }
        Some("isError") => {
            match members.get("expected") {
                None => issues.missing(path, "expected", Expected::Values(&["true", "false"])),
                Some(Value::Bool(_)) => {}
                Some(other) => issues.wrong_type(join(path, "expected"), "expected", Kind::Boolean, other),
            }
            issues.unknown(members, path, &["type", "expected"]);
        }
        Some("bodyMatchesSchema" | "structuredContentMatchesSchema") => {
            match members.get("schema") {
                None => issues.missing(path, "schema", Expected::Kind(Kind::Schema)),
                Some(value) => schema(value, join(path, "schema"), issues),
            }
            issues.unknown(members, path, &["type", "schema"]);
        }
        _ => {}
    }
}

/// Assertions that an operation accepts; none for an operation that does not exist.
fn compatible(operation: &str) -> &'static [&'static str] {
    match operation {
        "listTools" => &["toolExists"],
        "callTool" => &["isError", "bodyMatchesSchema", "structuredContentMatchesSchema"],
        _ => &[],
    }
}

/// Checks `type` against the names that exist; gives it if it is a string at all.
fn kind<'a>(
    members: &'a Map<String, Value>,
    path: &str,
    names: &'static [&'static str],
    issues: &mut Issues,
) -> Option<&'a str> {
    let Some(value) = members.get("type") else {
        issues.missing(path, "type", Expected::Values(names));
        return None;
    };
    let Some(name) = value.as_str() else {
        issues.wrong_type(join(path, "type"), "type", Kind::String, value);
        return None;
    };
    if !names.contains(&name) {
        issues.bad_value(join(path, "type"), "type", Expected::Values(names), value);
    }
    Some(name)
}
