//! Two passes, compared.

use mcpeak_core::locale::Locale;
use mcpeak_runner::determinism::{Conclusion, render_unavailable};
use mcpeak_runner::report::human;
use mcpeak_runner::{Run, Style, Unavailable, compare};
use serde_json::json;

use crate::support::{Reply, calls, run, scripted, succeeds, text};

async fn pass(replies: impl IntoIterator<Item = Reply>, cases: usize) -> Run {
    let suite = calls(&vec![(json!({}), succeeds()); cases]);
    run(&suite, &scripted(replies), Locale::En).await
}

#[tokio::test]
async fn same_answers_in_another_key_order() {
    let first = pass([Reply::Result(json!({"content": [], "a": 1, "b": 2}))], 1).await;
    let second = pass([Reply::Result(json!({"b": 2.0, "a": 1, "content": []}))], 1).await;
    let same = compare(&first, &second, true).unwrap();
    assert_eq!((same.compared, same.skipped, same.conclusion), (1, 0, Conclusion::Deterministic));
    let same = compare(&first, &second, false).unwrap();
    assert_eq!(same.conclusion, Conclusion::ConsistentWithoutReset);
}

#[tokio::test]
async fn differences_with_path_values_and_hint() {
    let at = |second: u8| format!("at 2026-01-01T10:00:0{second}Z");
    let first = pass(
        [
            text(&at(1), false),
            text("no", true),
            Reply::Result(json!({"content": [], "structuredContent": {"token": "aaa", "z": 1}})),
            Reply::Result(json!({"content": [1, 2]})),
        ],
        4,
    )
    .await;
    let second = pass(
        [
            text(&at(2), false),
            text("yes", false),
            Reply::Result(json!({"content": [], "structuredContent": {"token": "bbb", "z": 2}})),
            Reply::Result(json!({"content": [1]})),
        ],
        4,
    )
    .await;
    let found = compare(&first, &second, false).unwrap();
    insta::assert_json_snapshot!(found, @r#"
    {
      "compared": 4,
      "skipped": 0,
      "differences": [
        {
          "caseId": "c0",
          "caseName": "case 0",
          "toolName": "t",
          "kind": "response",
          "path": "content[0].text",
          "firstValue": "at 2026-01-01T10:00:01Z",
          "secondValue": "at 2026-01-01T10:00:02Z",
          "hint": "timestamp"
        },
        {
          "caseId": "c1",
          "caseName": "case 1",
          "toolName": "t",
          "kind": "status",
          "firstValue": "failed",
          "secondValue": "passed"
        },
        {
          "caseId": "c2",
          "caseName": "case 2",
          "toolName": "t",
          "kind": "response",
          "path": "structuredContent.token",
          "firstValue": "[REDACTED]",
          "secondValue": "[REDACTED]"
        },
        {
          "caseId": "c3",
          "caseName": "case 3",
          "toolName": "t",
          "kind": "response",
          "path": "content[1]",
          "firstValue": "2",
          "secondValue": "(none)"
        }
      ],
      "conclusion": "nondeterministic"
    }
    "#);
    let mut report = first.report();
    report.determinism = Some(found);
    let text = human::render(&report, Locale::En, Style::default());
    let block = text.split("Determinism: ").nth(1).unwrap();
    insta::assert_snapshot!(block, @r"
    4 of 4 cases differ between the passes
      → This does not change the exit code.
      ≠ c0  case 0
        content[0].text: first at 2026-01-01T10:00:01Z, then at 2026-01-01T10:00:02Z
        → Only a time differs: the response contains the current time.
      ≠ c1  case 1
        first failed, then passed
      ≠ c2  case 2
        structuredContent.token: first [REDACTED], then [REDACTED]
      ≠ c3  case 3
        content[1]: first 2, then (none)
    ");
    let keys: Vec<String> =
        report.to_value_with(Some(("session", json!({})))).as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys[keys.len() - 3..], ["spec", "session", "determinism"]);
}

#[tokio::test(start_paused = true)]
async fn a_second_pass_that_stops_is_no_comparison() {
    let first = pass([text("a", false), text("b", false)], 2).await;
    let second = pass([Reply::Hang], 2).await;
    let reason = compare(&first, &second, true).unwrap_err();
    assert_eq!(reason, Unavailable::TimedOut { case_id: "c0".to_owned() });
    insta::assert_snapshot!(render_unavailable(&reason, Locale::Ko), @r"
    결정성: 두 번의 실행을 비교하지 못했습니다
      → 두 번째 실행에서 케이스 'c0' 이(가) 타임아웃되었습니다.
    ");
}

#[tokio::test]
async fn cases_that_ran_in_neither_pass_are_not_compared() {
    use mcpeak_core::error::{Detail, ErrorCode, McpError, Phase};
    let lost = || Reply::Error(McpError::new(ErrorCode::TransportFailed, Phase::CallTool, Detail::None));
    let first = pass([lost()], 2).await;
    let second = pass([text("a", false), text("b", false)], 2).await;
    let found = compare(&first, &second, true).unwrap();
    assert_eq!((found.compared, found.skipped, found.differences.len()), (2, 0, 2));
    let twice = compare(&first, &first, true);
    assert_eq!(twice, Err(Unavailable::ConnectionLost { case_id: "c0".to_owned() }));
}
