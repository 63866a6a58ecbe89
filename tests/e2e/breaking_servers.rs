//! Servers that break the protocol: each way has a diagnosis of its own, and none is waited for.

use serde_json::json;

use crate::support::context::repository;
use crate::support::{Context, Run, suites};

fn run(how: &str, suite: &str) -> Run {
    let context = Context::new();
    context.write("s.suite.json", suite);
    let server = repository("tests/fixtures/breaking_server.py").display().to_string();
    context.run(["test", "s.suite.json", "--", "python3", &server, how])
}

/// The words are looked for in both streams: a handshake failure is an error, a failed operation is in the report.
fn diagnosed(how: &str, words: &[&str]) {
    let run = run(how, &suites::lists("a")).expect_code(1);
    let all = format!("{}{}", run.stdout, run.stderr);
    for word in words {
        assert!(all.contains(word), "{how}: no {word:?} in\n{all}");
    }
}

#[test]
fn text_on_stdout_is_named_as_what_it_is() {
    diagnosed("banner", &["Weather server ready!", "stdout", "stderr"]);
    diagnosed("late-banner", &["initialized", "stdout", "stderr"]);
    diagnosed("broken-json", &["{not json"]);
}

#[test]
fn handshake_violations() {
    diagnosed("no-version", &["HANDSHAKE_FAILED", "serverInfo.version"]);
    diagnosed("old-version", &["HANDSHAKE_FAILED", "1.0", "protocolVersion"]);
    diagnosed("no-capabilities", &["HANDSHAKE_FAILED", "capabilities"]);
    diagnosed("id-as-text", &["HANDSHAKE_FAILED", "id"]);
}

#[test]
fn listing_violations() {
    diagnosed("no-schema", &["inputSchema"]);
    diagnosed("text-schema", &["inputSchema", "object"]);
    diagnosed("no-jsonrpc", &["jsonrpc"]);
    diagnosed("result-and-error", &["result", "error"]);
    diagnosed("tools-no-array", &["tools", "array"]);
}

#[test]
fn unknown_members_are_no_violation() {
    run("extra-member", &suites::lists("a")).expect_code(0);
}

#[test]
fn a_server_that_ends_in_a_call_stops_the_run() {
    let run = run("closes-in-call", &suites::calls("a", &[json!({}), json!({})])).expect_code(1);
    run.expect_stdout(&["7", "not run"]);
}

#[test]
fn a_server_that_hangs_in_a_call_times_out() {
    let context = Context::new();
    let mut suite: serde_json::Value =
        serde_json::from_str(&suites::calls("a", &[json!({}), json!({})])).expect("a suite");
    suite["defaultTimeoutMs"] = json!(300);
    context.write("s.suite.json", suite.to_string());
    let server = repository("tests/fixtures/breaking_server.py").display().to_string();
    context
        .run(["test", "s.suite.json", "--", "python3", &server, "hangs-in-call"])
        .expect_code(1)
        .expect_stdout(&["300", "1 timed out, 1 not run"]);
}
