//! When a run stops, and what it keeps.

use mcpeak_core::error::{Detail, ErrorCode, McpError, Phase, ProcessExit};
use mcpeak_core::locale::Locale;
use mcpeak_runner::report::{CaseStatus, RunStatus, StopReason, human, junit};
use mcpeak_runner::{Event, EventKind, Run, Style, run_suite};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, calls, options, run, scripted, succeeds, text};

fn three() -> mcpeak_runner::Suite {
    calls(&[(json!({}), succeeds()), (json!({}), succeeds()), (json!({}), succeeds())])
}

fn statuses(report: &mcpeak_runner::RunnerReport) -> Vec<CaseStatus> {
    report.cases.iter().map(|case| case.status).collect()
}

#[tokio::test(start_paused = true)]
async fn a_timeout_stops() {
    let server = scripted([text("ok", false), Reply::Hang]);
    let report = run(&three(), &server, Locale::En).await.report();
    assert_eq!(statuses(&report), [CaseStatus::Passed, CaseStatus::TimedOut, CaseStatus::NotRun]);
    assert_eq!(report.status, RunStatus::Failed);
    assert_eq!(report.stop_reason, Some(StopReason::Timeout { case_id: "c1".to_owned() }));
    let value = report.to_value_with(None);
    assert_eq!(value["cases"][2]["operation"], json!({"status": "notRun"}));
    assert_eq!(
        value["cases"][2]["assertions"],
        json!([{"spec": {"type": "isError", "expected": false}, "status": "notRun"}])
    );
    let korean = run(&three(), &scripted([text("ok", false), Reply::Hang]), Locale::Ko).await.report();
    insta::assert_snapshot!(human::render(&korean, Locale::Ko, Style::default()), @r"
    Suite  (3 cases)

    ✓ c0  case 0
    ⧖ c1  case 1
        테스트 'case 1'가 제한 시간 50ms 안에 완료되지 않았습니다.
        해결: 서버가 느린 원인을 찾거나 timeoutMs 를 늘리세요.
        isError  (건너뜀) operation 결과가 없어 단언을 평가하지 못했습니다.
        해결: operation 이 실패한 원인을 먼저 해결하세요.
    · c2  case 2

    중단: 케이스 'c1' 타임아웃으로 실행을 멈췄습니다.

    1 passed, 1 timed out, 1 not run  (3 total)

    명세: 승인 지문이 없습니다 (미고정)
      → mcpeak generate 로 승인한 명세가 아니거나 승인 이전 버전으로 만든 파일입니다.
    ");
    insta::assert_snapshot!(human::render(&report, Locale::En, Style::default()), @r"
    Suite  (3 cases)

    ✓ c0  case 0
    ⧖ c1  case 1
        The case 'case 1' did not end within 50ms.
        Fix: Find out why the server is slow, or raise timeoutMs.
        isError  (skipped) The operation gave no result to look at.
        Fix: Solve what made the operation fail first.
    · c2  case 2

    Stopped: the case 'c1' timed out; the cases after it were not run.

    1 passed, 1 timed out, 1 not run  (3 total)

    Suite: not approved (no fingerprint)
      → approval.fingerprint would pin it, so that a later change of the suite shows here.
    ");
    insta::assert_snapshot!(junit::render(&[&report], &[], Locale::En), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="Suite" tests="3" failures="0" errors="1" skipped="1" time="0">
      <testsuite name="Suite" tests="3" failures="0" errors="1" skipped="1" time="0">
        <testcase name="case 0" classname="suite" time="0"/>
        <testcase name="case 1" classname="suite" time="0">
          <error message="The case 'case 1' did not end within 50ms." type="CASE_TIMEOUT">
    The case 'case 1' did not end within 50ms.

    → Find out why the server is slow, or raise timeoutMs.
          </error>
        </testcase>
        <testcase name="case 2" classname="suite" time="0">
          <skipped/>
        </testcase>
        <system-out>Stopped: the case 'c1' timed out; the cases after it were not run.</system-out>
      </testsuite>
    </testsuites>
    "#);
}

#[tokio::test]
async fn a_lost_connection_stops_with_its_exit_code() {
    let exit = ProcessExit { code: Some(42), signal: None };
    let detail = Detail::Exit { exit, stderr_empty: true };
    let lost = McpError::new(ErrorCode::ProcessExited, Phase::CallTool, detail);
    let report = run(&three(), &scripted([Reply::Error(lost)]), Locale::Ko).await.report();
    assert_eq!(statuses(&report), [CaseStatus::Failed, CaseStatus::NotRun, CaseStatus::NotRun]);
    let value = report.to_value_with(None);
    assert_eq!(
        value["stopReason"],
        json!({"type": "connectionLost", "caseId": "c0", "cause": "processExited", "exitCode": 42})
    );
    let text = human::render(&report, Locale::Ko, Style::default());
    assert!(text.contains("중단: 서버 프로세스가 종료되어 실행을 멈췄습니다. (종료 코드 42)\n"), "{text}");
}

#[tokio::test]
async fn a_protocol_error_does_not_stop() {
    let detail = Detail::JsonRpcError { code: -32602, message: "bad".to_owned(), data: None };
    let mut error = McpError::new(ErrorCode::OperationFailed, Phase::CallTool, detail);
    error.causes = vec!["outer".to_owned(), "inner".to_owned()];
    let server = scripted([Reply::Error(error), text("ok", false), text("ok", false)]);
    let report = run(&three(), &server, Locale::Ko).await.report();
    assert_eq!(statuses(&report), [CaseStatus::Failed, CaseStatus::Passed, CaseStatus::Passed]);
    assert_eq!(report.stop_reason, None);
    let diagnostic = report.to_value_with(None)["cases"][0]["operation"]["diagnostic"].clone();
    assert_eq!(diagnostic["code"], "OPERATION_FAILED");
    assert_eq!(diagnostic["actual"]["type"], "error");
    assert_eq!(diagnostic["actual"]["cause"]["message"], "outer");
    assert_eq!(diagnostic["actual"]["cause"]["cause"]["message"], "inner");
    assert_eq!(diagnostic["notes"], json!(["원인: outer", "원인: inner"]));
    let assertion = &report.to_value_with(None)["cases"][0]["assertions"][0];
    assert_eq!(assertion["status"], "skipped");
    assert_eq!(assertion["diagnostic"]["code"], "OPERATION_RESULT_UNAVAILABLE");
}

#[tokio::test]
async fn an_interruption_keeps_what_was_done() {
    let cancel = CancellationToken::new();
    let options = mcpeak_runner::RunOptions { cancel: cancel.clone(), ..options(Locale::En, &[]) };
    let server = scripted([text("ok", false), Reply::Hang]);
    let mut started = 0;
    let mut sink = |event: &Event| {
        if matches!(event.kind, EventKind::OperationStarted { .. }) {
            started += 1;
            if started == 2 {
                cancel.cancel();
            }
        }
    };
    let report = run_suite(&three(), &server, &options, &mut sink).await.report();
    assert_eq!(statuses(&report), [CaseStatus::Passed, CaseStatus::Cancelled, CaseStatus::NotRun]);
    assert_eq!(report.status, RunStatus::Aborted);
    assert_eq!(report.to_value_with(None)["stopReason"], json!({"type": "abortSignal", "caseId": "c1"}));
    assert!(!report.all_passed());
}

#[tokio::test]
async fn an_interruption_before_the_first_case() {
    let options = options(Locale::En, &[]);
    options.cancel.cancel();
    let report = run_suite(&three(), &scripted([]), &options, &mut |_: &Event| {}).await.report();
    assert_eq!(statuses(&report), [CaseStatus::NotRun; 3]);
    assert_eq!(report.to_value_with(None)["stopReason"], json!({"type": "abortSignal"}));
}

#[test]
fn a_run_can_be_spawned() {
    fn spawnable<T: Send>(_: T) {}
    let (suite, server, options) = (three(), scripted([]), options(Locale::En, &[]));
    let mut sink = |_: &Event| {};
    spawnable(run_suite(&suite, &server, &options, &mut sink));
}

#[test]
fn a_server_that_was_not_reached_passes_nothing() {
    let report = Run::not_started(&three(), &options(Locale::En, &[])).report();
    assert_eq!(statuses(&report), [CaseStatus::NotRun; 3]);
    assert_eq!((report.status, report.all_passed()), (RunStatus::Failed, false));
    let text = human::render(&report, Locale::En, Style::default());
    assert!(text.contains("\n3 not run  (3 total)\n"), "{text}");
}

#[tokio::test]
async fn events_are_numbered_without_gaps() {
    let server = scripted([text("ok", false), text("no", true), text("ok", false)]);
    let mut seen = Vec::new();
    let mut sink = |event: &Event| {
        let name = format!("{:?}", event.kind);
        let name = name.split([' ', '{']).next().unwrap_or_default().to_owned();
        seen.push((event.sequence, name));
    };
    let report = run_suite(&three(), &server, &options(Locale::En, &[]), &mut sink).await.report();
    assert_eq!(report.summary.failed, 1);
    let numbers: Vec<u64> = seen.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=17).collect::<Vec<u64>>());
    let names: Vec<&str> = seen.iter().take(6).map(|(_, name)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "SuiteStarted",
            "CaseStarted",
            "OperationStarted",
            "OperationCompleted",
            "AssertionCompleted",
            "CaseCompleted"
        ]
    );
    assert_eq!(seen.last().unwrap().1, "SuiteCompleted");
}
