//! Whole reports in English, and several suites in one call.

use mcpeak_core::locale::Locale;
use mcpeak_runner::report::{human, junit};
use mcpeak_runner::{MultiReport, Style, Suite, SuiteReport};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Reply, Weather, calls, run, scripted, succeeds, text};

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
async fn every_kind_of_failure_says_what_differs_and_how_to_fix_it() {
    let report = run(&schema_cases(), &scripted(schema_replies()), Locale::En).await.report();
    insta::assert_snapshot!(human::render(&report, Locale::En, Style::default()), @"");
    insta::assert_snapshot!(junit::render(&[&report], Locale::En), @"");
    let report = run(&schema_cases(), &scripted(schema_replies()), Locale::Ko).await.report();
    insta::assert_snapshot!(human::render(&report, Locale::Ko, Style::default()), @"");
    let diagnostic = &report.to_value_with(None)["cases"][0]["assertions"][1]["diagnostic"];
    assert_eq!(diagnostic["code"], "BODY_SCHEMA_MISMATCH");
    let first = &diagnostic["violations"][0];
    assert_eq!(first["code"], "REQUIRED_MISSING");
    assert_eq!(first["path"], "$.name");
    assert_eq!(first["observedKeys"], json!(["extra", "id", "k", "list", "t", "unit"]));
}

#[tokio::test]
async fn a_missing_tool_lists_what_is_there() {
    let suite = Suite::from_value(json!({"schemaVersion": 1, "id": "s", "name": "s", "cases": [
        {"id": "list", "name": "lists", "operation": {"type": "listTools"}, "assertions": [
            {"type": "toolExists", "tool": "add"}, {"type": "toolExists", "tool": "get_wether"}]}]}))
    .unwrap();
    let report = run(&suite, &Weather, Locale::En).await.report();
    insta::assert_snapshot!(human::render(&report, Locale::En, Style::default()), @"");
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
    let entry = |file: &str, report, extra| SuiteReport { file: file.to_owned(), report, extra };
    let multi = MultiReport {
        suites: vec![
            entry("a.json", run(&weather, &Weather, Locale::En).await.report(), None),
            entry(
                "b.json",
                run(&failing, &scripted([text("no\nweather", true)]), Locale::En).await.report(),
                Some(("session".to_owned(), json!({"misses": 0}))),
            ),
        ],
        locale: Locale::En,
    };
    let value: Value = serde_json::from_str(&multi.to_json()).unwrap();
    assert_eq!(value["suites"][1]["file"], "b.json");
    let keys: Vec<&String> = value["suites"][1]["report"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schemaVersion", "suite", "status", "cases", "summary", "spec", "session"]);
    assert_eq!(
        value["summary"],
        json!({"suites": 2, "suitesPassed": 1, "total": 9, "passed": 8, "failed": 1, "timedOut": 0,
               "cancelled": 0, "notRun": 0, "rejectionUnverified": 6})
    );
    insta::assert_snapshot!(multi.to_human(Style::default()), @"");
    let junit = multi.to_junit();
    assert!(junit.contains("<testsuites name=\"mcpeak\" tests=\"9\" failures=\"1\""), "{junit}");
    assert_eq!(junit.matches("<testsuite ").count(), 2);
    let single = MultiReport { suites: multi.suites[..1].to_vec(), locale: Locale::En };
    assert_eq!(single.to_json(), multi.suites[0].report.to_json());
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
        let junit = junit::render(&[&report], Locale::En);
        prop_assert!(!junit.chars().any(|character| character < ' ' && !matches!(character, '\n' | '\t')));
        // The JSON keeps the bytes, escaped.
        prop_assert!(serde_json::from_str::<Value>(&report.to_json()).is_ok());
    }
}
