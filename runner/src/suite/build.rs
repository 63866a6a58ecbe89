//! A validated value to the model.

use mcpeak_core::canonical::fingerprint;
use serde_json::{Map, Value};

use super::model::{Approval, ApprovedCase, ApprovedStatus, Assertion, Case, Operation, Suite};
use crate::json::safe_unsigned;
use crate::schema::ResponseSchema;

/// Builds the model. `None` only for a value that the validation refuses.
pub(super) fn suite(mut value: Value) -> Option<Suite> {
    let root = value.as_object_mut()?;
    let approval = match root.shift_remove("approval") {
        Some(approval) => Some(self::approval(&approval)?),
        None => None,
    };
    let fingerprint = fingerprint(&value);
    let root = value.as_object()?;
    Some(Suite {
        id: text(root, "id")?,
        name: text(root, "name")?,
        default_timeout_ms: root.get("defaultTimeoutMs").and_then(safe_unsigned),
        approval,
        cases: root.get("cases")?.as_array()?.iter().map(case).collect::<Option<_>>()?,
        fingerprint,
    })
}

fn approval(value: &Value) -> Option<Approval> {
    let cases = match value.get("cases") {
        Some(cases) => Some(cases.as_array()?.iter().map(approved_case).collect::<Option<_>>()?),
        None => None,
    };
    Some(Approval { fingerprint: text(value.as_object()?, "fingerprint")?, cases })
}

fn approved_case(value: &Value) -> Option<ApprovedCase> {
    let status = match value.get("status")?.as_str()? {
        "passed" => ApprovedStatus::Passed,
        "serverDefect" => ApprovedStatus::ServerDefect,
        _ => return None,
    };
    Some(ApprovedCase { id: text(value.as_object()?, "id")?, status })
}

fn case(value: &Value) -> Option<Case> {
    let members = value.as_object()?;
    Some(Case {
        id: text(members, "id")?,
        name: text(members, "name")?,
        timeout_ms: members.get("timeoutMs").and_then(safe_unsigned),
        operation: operation(members.get("operation")?.as_object()?)?,
        assertions: members.get("assertions")?.as_array()?.iter().map(assertion).collect::<Option<_>>()?,
    })
}

fn operation(members: &Map<String, Value>) -> Option<Operation> {
    match members.get("type")?.as_str()? {
        "listTools" => Some(Operation::ListTools),
        "callTool" => Some(Operation::CallTool {
            tool: text(members, "tool")?,
            input: members.get("input")?.as_object()?.clone(),
        }),
        _ => None,
    }
}

fn assertion(value: &Value) -> Option<Assertion> {
    let members = value.as_object()?;
    let schema = || members.get("schema").and_then(ResponseSchema::from_valid);
    Some(match members.get("type")?.as_str()? {
        "toolExists" => Assertion::ToolExists { tool: text(members, "tool")? },
        "isError" => Assertion::IsError { expected: members.get("expected")?.as_bool()? },
        "bodyMatchesSchema" => Assertion::BodyMatchesSchema { schema: schema()? },
        "structuredContentMatchesSchema" => Assertion::StructuredContentMatchesSchema { schema: schema()? },
        _ => return None,
    })
}

fn text(members: &Map<String, Value>, key: &str) -> Option<String> {
    members.get(key)?.as_str().map(str::to_owned)
}
