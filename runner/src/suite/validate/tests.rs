use mcpeak_core::locale::Locale;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::validate;
use crate::suite::{Suite, SuiteError, SuiteErrorKind};

fn issues(value: &Value) -> Vec<String> {
    validate(value).iter().map(|issue| format!("{} {}", issue.code().as_str(), issue.path)).collect()
}

fn case(operation: &Value, assertions: &Value) -> Value {
    json!({"schemaVersion": 1, "id": "s", "name": "s", "cases": [
        {"id": "c", "name": "c", "operation": operation, "assertions": assertions}]})
}

fn schema(schema: &Value) -> Vec<String> {
    let prefix = " cases[0].assertions[0].schema";
    let assertion = json!([{"type": "bodyMatchesSchema", "schema": schema}]);
    let found = issues(&case(&json!({"type": "callTool", "tool": "t", "input": {}}), &assertion));
    found.into_iter().map(|issue| issue.replace(prefix, " ~")).collect()
}

#[test]
fn root_and_order() {
    assert_eq!(issues(&json!([])), ["INVALID_TYPE $"]);
    assert_eq!(
        issues(&json!({"z": 1, "a": 2, "name": " ", "defaultTimeoutMs": 0, "approval": {}, "cases": []})),
        [
            "MISSING_REQUIRED_FIELD schemaVersion",
            "MISSING_REQUIRED_FIELD id",
            "INVALID_VALUE name",
            "INVALID_TIMEOUT defaultTimeoutMs",
            "MISSING_REQUIRED_FIELD approval.fingerprint",
            "UNKNOWN_FIELD a",
            "UNKNOWN_FIELD z",
            "EMPTY_CASES cases",
        ]
    );
    assert_eq!(
        issues(&json!({"schemaVersion": 2, "id": 1, "name": "n", "cases": {}})),
        ["UNSUPPORTED_SCHEMA_VERSION schemaVersion", "INVALID_TYPE id", "INVALID_TYPE cases"]
    );
    assert_eq!(
        issues(&json!({"schemaVersion": 1.0, "id": "i", "name": "n"})),
        ["MISSING_REQUIRED_FIELD cases"]
    );
}

#[test]
fn cases_and_operations() {
    let value = json!({"schemaVersion": 1, "id": "s", "name": "s", "cases": [
        {"id": "a", "name": "", "timeoutMs": 1.5, "skip": true, "assertions": []},
        {"id": "a", "name": "a", "operation": {"type": "callTool", "input": [], "x": 1}, "assertions": [1, {}]},
        7,
        {"id": "b", "name": "b", "operation": {"type": "ping", "tool": "t"},
         "assertions": [{"type": "isError", "expected": true}, {"type": "odd"}]},
        {"id": "c", "name": "c", "operation": {}, "assertions": [{"type": "isError", "expected": "yes"}]},
        {"id": "d", "name": "d", "operation": {"type": "listTools"},
         "assertions": [{"type": "isError"}, {"type": "toolExists", "tool": "t", "q": 1}, {"type": "odd"}]},
    ]});
    assert_eq!(
        issues(&value),
        [
            "INVALID_VALUE cases[0].name",
            "INVALID_TIMEOUT cases[0].timeoutMs",
            "UNKNOWN_FIELD cases[0].skip",
            "MISSING_REQUIRED_FIELD cases[0].operation",
            "EMPTY_ASSERTIONS cases[0].assertions",
            "DUPLICATE_CASE_ID cases[1].id",
            "MISSING_REQUIRED_FIELD cases[1].operation.tool",
            "INVALID_JSON_VALUE cases[1].operation.input",
            "UNKNOWN_FIELD cases[1].operation.x",
            "INVALID_TYPE cases[1].assertions[0]",
            "MISSING_REQUIRED_FIELD cases[1].assertions[1].type",
            "INVALID_TYPE cases[2]",
            "INVALID_VALUE cases[3].operation.type",
            "UNKNOWN_FIELD cases[3].operation.tool",
            "INCOMPATIBLE_ASSERTION cases[3].assertions[0].type",
            "INCOMPATIBLE_ASSERTION cases[3].assertions[1].type",
            "MISSING_REQUIRED_FIELD cases[4].operation.type",
            "INVALID_TYPE cases[4].assertions[0].expected",
            "INCOMPATIBLE_ASSERTION cases[5].assertions[0].type",
            "UNKNOWN_FIELD cases[5].assertions[1].q",
            "INVALID_VALUE cases[5].assertions[2].type",
        ]
    );
}

#[test]
fn approval_rules() {
    let mut value = case(&json!({"type": "listTools"}), &json!([{"type": "toolExists", "tool": "t"}]));
    value["approval"] = json!({"fingerprint": "A".repeat(64), "at": 1, "cases": [
        {"id": "x", "status": "passed"}, {"id": "x", "status": "serverDefect"}, {"id": "y", "status": "specError", "n": 1}, 3]});
    assert_eq!(
        issues(&value),
        [
            "INVALID_VALUE approval.fingerprint",
            "INVALID_VALUE approval.cases[1].id",
            "INVALID_VALUE approval.cases[2].status",
            "UNKNOWN_FIELD approval.cases[2].n",
            "INVALID_VALUE approval.cases[3]",
            "UNKNOWN_FIELD approval.at",
        ]
    );
    value["approval"] = json!({"fingerprint": "0".repeat(64), "cases": {}});
    assert_eq!(issues(&value), ["INVALID_VALUE approval.cases"]);
    value["approval"] = json!("x");
    assert_eq!(issues(&value), ["INVALID_TYPE approval"]);
}

#[test]
fn schema_rules() {
    assert_eq!(schema(&json!({})), ["INVALID_VALUE ~"]);
    assert_eq!(schema(&json!(true)), ["INVALID_TYPE ~"]);
    assert_eq!(
        schema(&json!({"type": "string", "pattern": "x", "format": "y", "minItems": 1, "minLength": -1})),
        [
            "UNSUPPORTED_SCHEMA_KEYWORD ~.format",
            "UNSUPPORTED_SCHEMA_KEYWORD ~.pattern",
            "SCHEMA_KEYWORD_REQUIRES_TYPE ~.minItems",
            "INVALID_VALUE ~.minLength",
        ]
    );
    assert_eq!(
        schema(&json!({"type": "object", "required": [], "properties": {"b": {"minLength": 1}, "a": {}},
            "additionalProperties": {"type": "any"}})),
        [
            "INVALID_VALUE ~.required",
            "SCHEMA_KEYWORD_REQUIRES_TYPE ~.properties.b.minLength",
            "INVALID_VALUE ~.properties.a",
            "INVALID_VALUE ~.additionalProperties.type",
        ]
    );
    assert_eq!(
        schema(&json!({"type": ["string"], "enum": [], "additionalProperties": 1})),
        [
            "INVALID_TYPE ~.type",
            "INVALID_VALUE ~.enum",
            "INVALID_TYPE ~.additionalProperties",
            "SCHEMA_KEYWORD_REQUIRES_TYPE ~.additionalProperties",
        ]
    );
    assert_eq!(
        schema(&json!({"type": "object", "required": ["a", " ", 1], "properties": {}})),
        ["INVALID_VALUE ~.required[1]", "INVALID_TYPE ~.required[2]", "INVALID_VALUE ~.properties"]
    );
    assert_eq!(schema(&json!({"type": "array", "items": [{}]})), ["INVALID_TYPE ~.items"]);
    assert_eq!(schema(&json!({"type": "number", "minimum": "1", "maximum": 3})), ["INVALID_TYPE ~.minimum"]);
    assert_eq!(schema(&json!({"type": "integer", "minimum": 1.5})), [""; 0]);
    assert_eq!(schema(&json!({"const": null})), [""; 0]);
}

#[test]
fn sentences_of_version_0_10() {
    let missing = &validate(&json!({"id": "i", "name": "n", "cases": []}))[0];
    assert_eq!(missing.message(Locale::Ko), "'schemaVersion' 필드가 없습니다. 받는 값: 1.");
    assert_eq!(missing.hint(Locale::Ko), "'schemaVersion' 필드를 명세에 추가하세요.");
    let wrong = case(&json!({"type": "listTools"}), &json!([{"type": "isError", "expected": true}]));
    assert_eq!(
        validate(&wrong)[0].message(Locale::Ko),
        "'listTools' operation 은 'isError' 단언을 받지 않습니다. 허용: toolExists"
    );
}

#[test]
fn a_rendered_list_of_issues() {
    let value = json!({"schemaVersion": 3, "id": "i", "name": "n\u{1b}", "odd\u{1b}": 1,
        "defaultTimeoutMs": "a long text of more than thirty-two characters",
        "approval": {"fingerprint": "secret-looking"}, "cases": [{"id": "a", "name": "a",
            "operation": {"type": "callTool", "tool": "t", "input": 4},
            "assertions": [{"type": "bodyMatchesSchema", "schema": {"maximum": 3}}]}]});
    let error =
        SuiteError { kind: SuiteErrorKind::ValidationFailed { issues: validate(&value) }, path: None };
    insta::assert_snapshot!(error.render(Locale::En), @r#"
    Error [SUITE_VALIDATION_FAILED]: The suite breaks 6 rules of the format.
    Fix: Correct the entries below.
    - [UNSUPPORTED_SCHEMA_VERSION] schemaVersion: schemaVersion 3 is not supported. Supported: 1.
      Fix: Set schemaVersion to 1.
    - [INVALID_TIMEOUT] defaultTimeoutMs: 'defaultTimeoutMs' has to be an integer from 1 to 2147483647. Found: string.
      Fix: Give 'defaultTimeoutMs' in whole milliseconds.
    - [INVALID_VALUE] approval.fingerprint: 'fingerprint' takes: 64 lower-case hex digits. Found: string.
      Fix: Set 'fingerprint' to what it takes.
    - [UNKNOWN_FIELD] odd\u001b: There is no field 'odd\u001b' here. Fields: schemaVersion, id, name, approval, defaultTimeoutMs, cases.
      Fix: Remove 'odd\u001b' or correct its spelling.
    - [INVALID_JSON_VALUE] cases[0].operation.input: 'input' has to be a JSON object. Found: number.
      Fix: Write the arguments as an object; {} for none.
    - [SCHEMA_KEYWORD_REQUIRES_TYPE] cases[0].assertions[0].schema.maximum: 'maximum' needs type: number or integer beside it.
      Fix: Add "type": "number" to the same schema.
    "#);
    insta::assert_snapshot!(error.render(Locale::Ko), @r#"
    오류 [SUITE_VALIDATION_FAILED]: 명세가 형식에 맞지 않습니다. 문제 6건.
    해결: 아래 항목을 고치세요.
    - [UNSUPPORTED_SCHEMA_VERSION] schemaVersion: 지원하지 않는 schemaVersion 입니다: 3. 받는 값: 1.
      해결: 'schemaVersion' 을 1 로 고치세요.
    - [INVALID_TIMEOUT] defaultTimeoutMs: 'defaultTimeoutMs' 은(는) 1 이상 2147483647 이하의 정수여야 합니다. 받은 값: string.
      해결: 'defaultTimeoutMs' 을(를) 밀리초 단위의 정수로 지정하세요.
    - [INVALID_VALUE] approval.fingerprint: 'fingerprint' 이(가) 받는 값이 아닙니다. 받는 값: 64자리 소문자 16진수. 받은 값: string.
      해결: 'fingerprint' 을(를) 받는 값으로 고치세요.
    - [UNKNOWN_FIELD] odd\u001b: 'odd\u001b' 은(는) 없는 필드입니다. 허용: schemaVersion, id, name, approval, defaultTimeoutMs, cases.
      해결: 'odd\u001b' 필드를 지우거나 철자를 고치세요.
    - [INVALID_JSON_VALUE] cases[0].operation.input: 'input' 은 JSON 객체여야 합니다. 받은 값: number.
      해결: 인자를 객체로 작성하세요. 인자가 없으면 {} 입니다.
    - [SCHEMA_KEYWORD_REQUIRES_TYPE] cases[0].assertions[0].schema.maximum: 'maximum' 은(는) 같은 스키마에 type: number 또는 integer 이(가) 있어야 합니다.
      해결: 같은 스키마에 "type": "number" 을(를) 추가하세요.
    "#);
}

fn any_document() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "schemaVersion",
        "id",
        "name",
        "approval",
        "cases",
        "operation",
        "assertions",
        "type",
        "tool",
        "input",
        "schema",
        "properties",
        "items",
        "required",
        "enum",
        "const",
        "minLength",
        "status",
        "fingerprint",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!(1)),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec!["callTool", "listTools", "isError", "bodyMatchesSchema", "object", " "])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|members| Value::Object(
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn any_document_is_a_suite_or_has_issues(value in any_document()) {
        let expected = validate(&value);
        match Suite::from_value(value) {
            Ok(_) => prop_assert!(expected.is_empty()),
            Err(issues) => prop_assert_eq!(issues, expected),
        }
    }
}
