//! The cases of a suite.

use serde_json::{Value, json};

/// A suite of these cases.
pub(crate) fn suite(cases: &[Value]) -> String {
    json!({
        "schemaVersion": 1, "id": "server", "name": "server", "defaultTimeoutMs": 30_000, "cases": cases,
    })
    .to_string()
}

/// Every tool must be listed.
pub(crate) fn lists(tools: &[&str]) -> Value {
    let assertions: Vec<Value> =
        tools.iter().map(|tool| json!({"type": "toolExists", "tool": tool})).collect();
    json!({
        "id": "tools", "name": "its tools are listed",
        "operation": {"type": "listTools"}, "assertions": assertions,
    })
}

/// A call without an error, whose one text block holds these words.
pub(crate) fn says(tool: &str, input: &Value, words: &[&str]) -> Value {
    let mut assertions = vec![json!({"type": "isError", "expected": false})];
    assertions.extend(words.iter().map(|word| text(word)));
    call(tool, input, &assertions)
}

/// A call without an error, whose one text block is JSON of this schema.
pub(crate) fn returns(tool: &str, input: &Value, schema: &Value) -> Value {
    let body = json!({"type": "bodyMatchesSchema", "schema": schema});
    call(tool, input, &[json!({"type": "isError", "expected": false}), body])
}

fn text(word: &str) -> Value {
    json!({"type": "bodyMatchesSchema", "schema": {"type": "string", "stringContains": word}})
}

fn call(tool: &str, input: &Value, assertions: &[Value]) -> Value {
    json!({
        "id": tool, "name": format!("{tool} answers"),
        "operation": {"type": "callTool", "tool": tool, "input": input}, "assertions": assertions,
    })
}
