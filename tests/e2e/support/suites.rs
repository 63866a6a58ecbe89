//! Suites that several tests share.

use serde_json::{Value, json};

/// A suite that calls one tool once per input and expects no error.
pub(crate) fn calls(tool: &str, inputs: &[Value]) -> String {
    let cases: Vec<Value> = inputs
        .iter()
        .enumerate()
        .map(|(index, input)| {
            json!({
                "id": format!("call-{index}"), "name": format!("call {index}"),
                "operation": {"type": "callTool", "tool": tool, "input": input},
                "assertions": [{"type": "isError", "expected": false}],
            })
        })
        .collect();
    suite(&cases)
}

/// A suite that expects one tool to be listed.
pub(crate) fn lists(tool: &str) -> String {
    suite(&[json!({
        "id": "listed", "name": format!("{tool} is listed"), "operation": {"type": "listTools"},
        "assertions": [{"type": "toolExists", "tool": tool}],
    })])
}

/// A suite of these cases.
pub(crate) fn suite(cases: &[Value]) -> String {
    json!({"schemaVersion": 1, "id": "suite", "name": "suite", "cases": cases}).to_string()
}
