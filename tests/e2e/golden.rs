//! The outputs of the TypeScript MCPeak 0.10 for its weather server, byte for byte.

use crate::support::Context;
use crate::support::context::repository;

const SERVER: &str = "tests/fixtures/weather_server.py";

fn golden(name: &str) -> String {
    std::fs::read_to_string(repository("tests/golden/mcpeak-0.10").join(name)).expect("a golden file")
}

fn check(suite: &str, code: i32, human: &str, json: &str, junit: Option<&str>) {
    let context = Context::new();
    let suite = repository("tests/golden/mcpeak-0.10").join(suite).display().to_string();
    let server = repository(SERVER).display().to_string();
    let common = ["test", &suite, "--locale", "ko"];
    let target = ["--", "python3", &server];

    let run = context.run(common.iter().chain(&target)).expect_code(code);
    assert_eq!(run.stdout, golden(human));
    assert_eq!(run.stderr, "");

    let run = context.run(common.iter().chain(&["--json", "--junit", "report.xml"]).chain(&target)).expect_code(code);
    assert_eq!(run.stdout, golden(json));
    if let Some(junit) = junit {
        assert_eq!(context.read("report.xml"), golden(junit));
    }
}

#[test]
fn approved_suite() {
    check(
        "weather123.approved.suite.json",
        0,
        "test-approved-human.stdout",
        "test-approved-json.stdout",
        Some("weather123.approved.junit.xml"),
    );
}

#[test]
fn baseline_suite() {
    check(
        "weather.baseline.suite.json",
        1,
        "test-baseline-human.stdout",
        "test-baseline-json.stdout",
        Some("weather.baseline.junit.xml"),
    );
}

#[test]
fn suite_with_a_known_server_defect() {
    check(
        "weather.server-defect.suite.json",
        1,
        "test-server-defect-human.stdout",
        "test-server-defect-json.stdout",
        None,
    );
}
