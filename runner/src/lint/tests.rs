use mcpeak_core::client::Tool;
use serde_json::{Value, json};

use super::lint;
use crate::mask::Masker;
use crate::suite::Suite;

fn tool(name: &str, schema: Value) -> Tool {
    let raw = json!({"name": name, "inputSchema": schema}).as_object().unwrap().clone();
    Tool { name: name.to_owned(), raw }
}

fn found(tools: &[Tool], name: &str, input: &Value, rejects: bool) -> Vec<String> {
    let suite = Suite::from_value(json!({"schemaVersion": 1, "id": "s", "name": "s", "cases": [
        {"id": "c", "name": "c", "operation": {"type": "callTool", "tool": name, "input": input},
         "assertions": [{"type": "isError", "expected": rejects}]}]}))
    .unwrap();
    let findings = lint(&suite, tools, &Masker::default());
    findings
        .iter()
        .map(|finding| {
            let value = serde_json::to_value(finding).unwrap();
            format!(
                "{} {} {}",
                value["code"].as_str().unwrap(),
                value["severity"].as_str().unwrap(),
                finding.path
            )
        })
        .collect()
}

fn declared() -> Value {
    json!({"type": "object", "required": ["a", "b"], "additionalProperties": false, "properties": {
        "a": {"type": "string", "maxLength": 2}, "b": {"type": "integer", "minimum": 1},
        "u": {"enum": ["c", "f"]}, "any": {"anyOf": [{}, {}]}, "o": {"type": "object"}}})
}

#[test]
fn all_input_findings_in_order() {
    let tools = [tool("t", declared())];
    let input = json!({"zz": 1, "a": "abc", "u": "k", "any": 1, "o": 3});
    assert_eq!(
        found(&tools, "t", &input, false),
        [
            "REQUIRED_MISSING blocking operation.input.b",
            "UNDECLARED_FIELD blocking operation.input.zz",
            "TYPE_MISMATCH blocking operation.input.o",
            "ENUM_MISMATCH blocking operation.input.u",
            "RANGE_MISMATCH advisory operation.input.a",
        ]
    );
    assert_eq!(found(&tools, "t", &input, true), [""; 0], "a refusal is what the case wants");
}

#[test]
fn a_refusal_without_grounds() {
    let tools = [tool("t", declared())];
    let fine = json!({"a": "x", "b": 1});
    assert_eq!(found(&tools, "t", &fine, true), ["REJECTION_WITHOUT_VIOLATION advisory operation.input"]);
    let unseen = json!({"a": "x", "b": 1, "any": 1});
    assert_eq!(found(&tools, "t", &unseen, true), [""; 0], "the field was passed over: stay silent");
}

#[test]
fn undeclared_tools_and_schemas_beyond() {
    let tools = [
        tool("get_x", json!({"type": "object", "allOf": []})),
        tool("two", json!({})),
        tool("two", json!({})),
    ];
    assert_eq!(found(&tools, "get_y", &json!({}), false), ["TOOL_NOT_DECLARED blocking operation.tool"]);
    for name in ["get_x", "two"] {
        assert_eq!(found(&tools, name, &json!({}), false), ["SCHEMA_NOT_ANALYZABLE advisory operation.tool"]);
    }
}

#[test]
fn vacuous_limits_and_the_cap() {
    let properties: serde_json::Map<String, Value> =
        (0..12).map(|index| (format!("p{index:02}"), json!({"type": "string", "minLength": 0}))).collect();
    let suite = Suite::from_value(json!({"schemaVersion": 1, "id": "s", "name": "s", "cases": [
        {"id": "c", "name": "c", "operation": {"type": "callTool", "tool": "t", "input": {}},
         "assertions": [{"type": "bodyMatchesSchema", "schema":
            {"type": "array", "minItems": 0, "items": {"type": "object", "properties": properties}}}]}]}))
    .unwrap();
    let tools = [tool("t", json!({"type": "object", "properties": {}}))];
    let findings = lint(&suite, &tools, &Masker::default());
    assert_eq!(findings.len(), 10);
    assert_eq!(findings[0].path, "assertions[0].schema.items.properties.p00.minLength");
}
