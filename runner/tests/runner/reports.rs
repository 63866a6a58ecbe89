//! Whole reports in English, and several suites in one call.

use mcpeak_core::locale::Locale;
use mcpeak_runner::report::{human, junit};
use mcpeak_runner::{MultiReport, Style, Suite, SuiteReport};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Reply, Weather, calls, run, scripted, succeeds, text, tools};

fn schema_cases() -> Suite {
    let body = json!([{"type": "isError", "expected": false}, {"type": "bodyMatchesSchema", "schema": {
        "type": "object", "required": ["id", "name"], "additionalProperties": false, "properties": {
            "id": {"type": "number"}, "unit": {"enum": ["c", "f"]},
            "list": {"type": "array", "minItems": 2, "items": {"type": "string", "minLength": 3, "stringContains": "x"}},
            "t": {"type": "number", "maximum": 10}, "k": {"const": {"a": 1}}}}}]);
    let structured =
        json!([{"type": "structuredContentMatchesSchema", "schema": {"type": "object", "required": ["a"]}}]);
    let rejects = json!([{"type": "isError", "expected": true}]);
    calls(&[
        (json!({"n": "5"}), body.clone()),
        (json!({}), body),
        (json!({}), structured.clone()),
        (json!({}), structured),
        (json!({}), rejects),
    ])
}

fn schema_replies() -> [Reply; 5] {
    let body = json!({"id": "5", "unit": "k", "list": ["ab"], "t": 11.5, "k": {"a": 2}, "extra": 1});
    [
        text(&body.to_string(), false),
        Reply::Result(json!({"content": [{"type": "text", "text": "a"}, {"type": "image", "data": ""}]})),
        Reply::Result(json!({"content": [], "structuredContent": {"b": 1}})),
        text("plain", false),
        text("fine", false),
    ]
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "three whole outputs")]
async fn every_kind_of_failure_says_what_differs_and_how_to_fix_it() {
    let report = run(&schema_cases(), &scripted(schema_replies()), Locale::En).await.report();
    insta::assert_snapshot!(human::render(&report, Locale::En, Style::default()), @r#"
    Suite  (5 cases)

    ✗ c0  case 0
        bodyMatchesSchema  The response does not match its schema: 9 violations.
        → $.name: required field missing. Found fields: 'extra', 'id', 'k', 'list', 't', 'unit'
        → $.id: wrong type. Expected: number, actual: string ("5")
        → $.unit: not one of the allowed values. Allowed: "c", "f", actual: "k"
        → $.list: too few elements. Minimum: 2, actual: 1
        → $.list[0]: text too short. Minimum: 3 characters, actual: 2
        → $.list[0]: text lacks a part. Expected part: "x", actual: "ab"
        → $.t: number too large. Maximum: 10, actual: 11.5
        → $.k: wrong value. Expected: {"a":1}, actual: {"a":2}
        → $.extra: field is not allowed.
        → The server returned: {"id":"5","unit":"k","list":["ab"],"t":11.5,"k":{"a":2},"extra":1}
        Fix: Compare the server's response with the schema, and correct the one that is wrong.
    ✗ c1  case 1
        bodyMatchesSchema  content has to hold exactly one block. Found: 2.
        Fix: Make the server return one text block, or assert isError or structuredContent instead.
    ✗ c2  case 2
        structuredContentMatchesSchema  structuredContent does not match its schema: 1 violation.
        → $.a: required field missing. Found fields: 'b'
        → The server returned: {"b":1}
        Fix: Compare the server's structuredContent with the schema, and correct the one that is wrong.
    ✗ c3  case 3
        structuredContentMatchesSchema  The response has no structuredContent.
        Fix: Make the server return structuredContent, or use bodyMatchesSchema for its text.
    ✗ c4  case 4
        isError  An error response was expected, but the call succeeded.
        → fine
        Fix: Check whether the server validates this input.

    5 failed  (5 total)

    Note: the input of c0 differs from what the server declares
      → 'n' is declared as number; the suite sends string ("5").

    Note: c4 expects a refusal, but its input breaks nothing that is declared
      → The server may refuse for a reason that its schema does not tell, or accept the call.

    Suite: not approved (no fingerprint)
      → approval.fingerprint would pin it, so that a later change of the suite shows here.
    "#);
    insta::assert_snapshot!(junit::render(&[&report], &[], Locale::En), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="Suite" tests="5" failures="5" errors="0" skipped="0" time="0">
      <testsuite name="Suite" tests="5" failures="5" errors="0" skipped="0" time="0">
        <testcase name="case 0" classname="suite" time="0">
          <failure message="The response does not match its schema: 9 violations." type="BODY_SCHEMA_MISMATCH">
    The response does not match its schema: 9 violations.

    expected: {"type":"object","required":["id","name"],"additionalProperties":false,"properties":{"id":{"type":"number"},"unit":{"enum":["c","f"]},"list":{"type":"array","minItems":2,"items":{"type":"string","minLength":3,"stringContains":"x"}},"t":{"type":"number","maximum":10},"k":{"const":{"a":1}}}}
    actual:   {"id":"5","unit":"k","list":["ab"],"t":11.5,"k":{"a":2},"extra":1}

    $.name: required field missing. Found fields: 'extra', 'id', 'k', 'list', 't', 'unit'
    $.id: wrong type. Expected: number, actual: string ("5")
    $.unit: not one of the allowed values. Allowed: "c", "f", actual: "k"
    $.list: too few elements. Minimum: 2, actual: 1
    $.list[0]: text too short. Minimum: 3 characters, actual: 2
    $.list[0]: text lacks a part. Expected part: "x", actual: "ab"
    $.t: number too large. Maximum: 10, actual: 11.5
    $.k: wrong value. Expected: {"a":1}, actual: {"a":2}
    $.extra: field is not allowed.

    → Compare the server's response with the schema, and correct the one that is wrong.
          </failure>
        </testcase>
        <testcase name="case 1" classname="suite" time="0">
          <failure message="content has to hold exactly one block. Found: 2." type="BODY_EXTRACTION_FAILED">
    content has to hold exactly one block. Found: 2.

    → Make the server return one text block, or assert isError or structuredContent instead.
          </failure>
        </testcase>
        <testcase name="case 2" classname="suite" time="0">
          <failure message="structuredContent does not match its schema: 1 violation." type="STRUCTURED_CONTENT_SCHEMA_MISMATCH">
    structuredContent does not match its schema: 1 violation.

    expected: {"type":"object","required":["a"]}
    actual:   {"b":1}

    $.a: required field missing. Found fields: 'b'

    → Compare the server's structuredContent with the schema, and correct the one that is wrong.
          </failure>
        </testcase>
        <testcase name="case 3" classname="suite" time="0">
          <failure message="The response has no structuredContent." type="STRUCTURED_CONTENT_EXTRACTION_FAILED">
    The response has no structuredContent.

    → Make the server return structuredContent, or use bodyMatchesSchema for its text.
          </failure>
        </testcase>
        <testcase name="case 4" classname="suite" time="0">
          <failure message="An error response was expected, but the call succeeded." type="IS_ERROR_MISMATCH">
    An error response was expected, but the call succeeded.

    expected: true
    actual:   false

    → Check whether the server validates this input.
          </failure>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
    let report = run(&schema_cases(), &scripted(schema_replies()), Locale::Ko).await.report();
    insta::assert_snapshot!(human::render(&report, Locale::Ko, Style::default()), @r#"
    Suite  (5 cases)

    ✗ c0  case 0
        bodyMatchesSchema  응답이 기대 스키마와 다릅니다. 위반 9건.
        → $.name: 필수 필드가 없습니다. 발견된 필드: 'extra', 'id', 'k', 'list', 't', 'unit'
        → $.id: 타입이 다릅니다. 기대: number, 실제: string ("5")
        → $.unit: 허용된 값이 아닙니다. 허용: "c", "f", 실제: "k"
        → $.list: 원소가 부족합니다. 최소: 2개, 실제: 1개
        → $.list[0]: 문자열이 너무 짧습니다. 최소: 3자, 실제: 2자
        → $.list[0]: 문자열에 기대한 부분이 없습니다. 기대: "x", 실제: "ab"
        → $.t: 값이 너무 큽니다. 최대: 10, 실제: 11.5
        → $.k: 값이 다릅니다. 기대: {"a":1}, 실제: {"a":2}
        → $.extra: 허용되지 않은 필드입니다.
        → 받은 응답: {"id":"5","unit":"k","list":["ab"],"t":11.5,"k":{"a":2},"extra":1}
        해결: 서버 응답과 스키마를 비교해 잘못된 쪽을 고치세요.
    ✗ c1  case 1
        bodyMatchesSchema  응답의 content 블록은 정확히 1개여야 합니다. 받은 개수: 2.
        해결: 서버가 텍스트 블록 하나를 반환하게 하거나 isError, structuredContent 를 검사하세요.
    ✗ c2  case 2
        structuredContentMatchesSchema  structuredContent 가 기대 스키마와 다릅니다. 위반 1건.
        → $.a: 필수 필드가 없습니다. 발견된 필드: 'b'
        → 받은 응답: {"b":1}
        해결: 서버의 structuredContent 와 스키마를 비교해 잘못된 쪽을 고치세요.
    ✗ c3  case 3
        structuredContentMatchesSchema  응답에 structuredContent 가 없습니다.
        해결: 서버가 structuredContent 를 반환하게 하거나 텍스트를 보는 bodyMatchesSchema 를 쓰세요.
    ✗ c4  case 4
        isError  오류 응답을 기대했지만 정상 응답을 받았습니다.
        → fine
        해결: 서버가 이 입력을 검증하는지 확인하세요.

    5 failed  (5 total)

    참고: c0 의 입력이 서버 선언과 다릅니다
      → 'n' 의 타입이 다릅니다. 선언: number, 명세: string ("5")

    참고: c4 은(는) 거절을 기대하지만 선언을 어기지 않습니다
      → 서버가 스키마에 없는 이유로 거절하거나 호출을 받아들일 수 있습니다.

    명세: 승인 지문이 없습니다 (미고정)
      → mcpeak generate 로 승인한 명세가 아니거나 승인 이전 버전으로 만든 파일입니다.
    "#);
    let diagnostic = &report.to_value_with(None)["cases"][0]["assertions"][1]["diagnostic"];
    assert_eq!(diagnostic["code"], "BODY_SCHEMA_MISMATCH");
    let first = &diagnostic["violations"][0];
    assert_eq!(first["code"], "REQUIRED_MISSING");
    assert_eq!(first["path"], "$.name");
    assert_eq!(first["observedKeys"], json!(["extra", "id", "k", "list", "t", "unit"]));
}

#[tokio::test]
async fn is_error_that_is_no_boolean_is_neither() {
    let rejects = json!([{"type": "isError", "expected": true}]);
    let suite = calls(&[(json!({}), succeeds()), (json!({}), rejects), (json!({}), succeeds())]);
    let odd = || Reply::Result(json!({"content": [], "isError": "yes"}));
    let server = scripted([odd(), odd(), Reply::Result(json!({"content": []}))]);
    let report = run(&suite, &server, Locale::En).await.report();
    assert_eq!((report.summary.failed, report.summary.passed), (2, 1));
    let diagnostic = &report.to_value_with(None)["cases"][0]["assertions"][0]["diagnostic"];
    assert_eq!(diagnostic["code"], "IS_ERROR_MISMATCH");
    assert_eq!(diagnostic["actual"], "yes");
}

#[tokio::test]
async fn a_missing_tool_lists_what_is_there() {
    let suite = Suite::from_value(json!({"schemaVersion": 1, "id": "s", "name": "s", "cases": [
        {"id": "list", "name": "lists", "operation": {"type": "listTools"}, "assertions": [
            {"type": "toolExists", "tool": "add"}, {"type": "toolExists", "tool": "get_wether"}]}]}))
    .unwrap();
    let report = run(&suite, &Weather, Locale::En).await.report();
    insta::assert_snapshot!(human::render(&report, Locale::En, Style::default()), @r"
    s  (1 case)

    ✗ list  lists
        toolExists  There is no tool 'get_wether'. The server lists: add, get_weather
        Fix: Correct the tool's name in the suite, or make the server list it.

    1 failed  (1 total)

    Suite: not approved (no fingerprint)
      → approval.fingerprint would pin it, so that a later change of the suite shows here.
    ");
}

#[tokio::test]
async fn findings_do_not_repeat_what_the_server_said() {
    let suite = calls(&[(json!({"n": "5"}), succeeds()), (json!({"n": "5"}), succeeds())]);
    let server = scripted([text("n has to be a number, not string", true), text("bad input", true)]);
    let report = run(&suite, &server, Locale::En).await.report();
    assert_eq!(report.spec.findings.len(), 2, "the JSON has both");
    let human = human::render(&report, Locale::En, Style::default());
    assert!(!human.contains("the input of c0"), "{human}");
    assert!(human.contains("Note: the input of c1 differs"), "{human}");
}

#[tokio::test]
async fn an_input_that_was_not_checked_is_told_even_if_the_case_passed() {
    let suite = calls(&[(json!({}), succeeds())]);
    let mut server = scripted([text("ok", false)]);
    server.tools = tools(json!([{"name": "t", "inputSchema": {"type": "object", "oneOf": []}}]));
    let report = run(&suite, &server, Locale::Ko).await.report();
    assert!(report.all_passed());
    let human = human::render(&report, Locale::Ko, Style::default());
    assert!(
        human.contains(
            "참고: c0 의 입력 검사를 건너뛰었습니다\n  → tool 의 입력 스키마를 해석하지 못했습니다: oneOf\n"
        ),
        "{human}"
    );
}

#[tokio::test]
async fn a_changed_suite_is_told() {
    let mut value: Value =
        serde_json::from_str(include_str!("../golden/weather123.approved.suite.json")).unwrap();
    value["name"] = json!("changed");
    let suite = Suite::from_value(value).unwrap();
    let report = run(&suite, &Weather, Locale::Ko).await.report();
    let text = human::render(&report, Locale::Ko, Style::default());
    let block = text.split("명세: ").nth(1).unwrap();
    let mut lines = block.lines();
    assert_eq!(lines.next(), Some("현재 명세와 저장된 approval.fingerprint가 불일치함"));
    let current = &report.spec.fingerprint[..12];
    assert_eq!(lines.next(), Some(format!("  → 승인 992133b77bf8…   현재 {current}…").as_str()));
}

#[tokio::test]
async fn several_suites() {
    let weather = Suite::parse(include_bytes!("../golden/weather123.approved.suite.json")).unwrap();
    let failing = calls(&[(json!({}), succeeds())]);
    let entry = |file: &str, report| SuiteReport { file: file.to_owned(), report };
    let multi = MultiReport {
        suites: vec![
            entry("a.json", run(&weather, &Weather, Locale::En).await.report()),
            entry("b.json", run(&failing, &scripted([text("no\nweather", true)]), Locale::En).await.report()),
        ],
        locale: Locale::En,
        extra: Some(("session".to_owned(), json!({"misses": 0}))),
    };
    let value: Value = serde_json::from_str(&multi.to_json()).unwrap();
    assert_eq!(value["suites"][1]["file"], "b.json");
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schemaVersion", "suites", "summary", "session"]);
    assert_eq!(
        value["summary"],
        json!({"suites": 2, "suitesPassed": 1, "total": 9, "passed": 8, "failed": 1, "timedOut": 0,
               "cancelled": 0, "notRun": 0, "rejectionUnverified": 6})
    );
    insta::assert_snapshot!(multi.to_human(Style::default()), @r"
    테스트  (8 cases)

    ✓ get-weather-success       get_weather가 오류 없이 응답한다
    ✓ get-weather-missing-city  get_weather가 필수 필드 'city' 누락을 거절한다
    ✓ get-weather-type-city     get_weather가 'city' 타입 위반을 거절한다
    ✓ add-success               add가 오류 없이 응답한다
    ✓ add-missing-a             add가 필수 필드 'a' 누락을 거절한다
    ✓ add-missing-b             add가 필수 필드 'b' 누락을 거절한다
    ✓ add-type-a                add가 'a' 타입 위반을 거절한다
    ✓ add-type-b                add가 'b' 타입 위반을 거절한다

    8 passed  (8 total)

      → 6 cases expecting a refusal got one whose grounds are unknown.
        Whether the server refused the input or failed for another reason cannot be told from its words.
        Check: look at the responses of these cases (rejectionBody in --json).

    Suite  (1 case)

    ✗ c0  case 0
        isError  A successful response was expected, but the tool reported an error.
        → no
        → weather
        Fix: Check the tool's input and the server's words.

    1 failed  (1 total)

    Suite: not approved (no fingerprint)
      → approval.fingerprint would pin it, so that a later change of the suite shows here.

    Total

    ✗ b.json  1 failed  (1 total)
    1 of 2 suites passed: 8 passed, 1 failed  (9 total)
    ");
    let junit = multi.to_junit(&[]);
    assert!(junit.contains("<testsuites name=\"mcpeak\" tests=\"9\" failures=\"1\""), "{junit}");
    assert_eq!(junit.matches("<testsuite ").count(), 2);
    let mut single = MultiReport { suites: multi.suites[..1].to_vec(), locale: Locale::En, extra: None };
    assert_eq!(single.to_json(), multi.suites[0].report.to_json());
    single.extra.clone_from(&multi.extra);
    let value: Value = serde_json::from_str(&single.to_json()).unwrap();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schemaVersion", "suite", "status", "cases", "summary", "spec", "session"]);
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_control_character_from_outside_reaches_a_terminal(
        said in "[\\x00-\\x1f\\x7f-\\x9f\\u{2028}\\u{202e}a-c\\[m;0-9]{0,40}",
        key in "[\\x00-\\x1f\\x9ba-c]{1,8}",
        is_error in any::<bool>(),
    ) {
        let object = json!({key: said.clone()}).to_string();
        let schema = json!([{"type": "bodyMatchesSchema", "schema":
            {"type": "object", "required": ["q"], "additionalProperties": {"const": "x"}}}]);
        let suite = calls(&[(json!({"n": said.clone()}), succeeds()), (json!({}), schema)]);
        let server = scripted([text(&said, is_error), text(&object, false)]);
        let report = block_on(run(&suite, &server, Locale::En)).report();
        let human = human::render(&report, Locale::En, Style::default());
        prop_assert!(!human.chars().any(|character| character.is_control() && character != '\n'), "{human:?}");
        prop_assert!(!human.contains(['\u{2028}', '\u{202e}']), "{human:?}");
        let junit = junit::render(&[&report], &[], Locale::En);
        prop_assert!(!junit.chars().any(|character| character < ' ' && !matches!(character, '\n' | '\t')));
        // The JSON keeps the bytes, escaped.
        prop_assert!(serde_json::from_str::<Value>(&report.to_json()).is_ok());
    }
}
