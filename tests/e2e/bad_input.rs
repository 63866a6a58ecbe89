//! Bad input of every kind: its own message, the documented code, nothing written.

use serde_json::json;

use crate::support::context::{repository, run_command};
use crate::support::{Context, suites};

const WEATHER: &str = "tests/fixtures/weather_server.py";

fn server() -> String {
    repository(WEATHER).display().to_string()
}

fn suite_error(contents: &[u8], expected: &[&str]) {
    let context = Context::new();
    context.write("s.suite.json", contents);
    let run = context
        .run(["test", "s.suite.json", "--junit", "out.xml", "--", "python3", &server()])
        .expect_code(1)
        .expect_stderr(expected);
    assert_eq!(run.stdout, "");
    assert!(!context.path("out.xml").exists());
}

#[test]
fn missing_suite() {
    let context = Context::new();
    let run = context.run(["test", "no.suite.json", "--", "python3", &server()]).expect_code(1);
    run.expect_stderr(&["SUITE_READ_FAILED", "no.suite.json", "fix:"]);
}

#[test]
fn suite_that_is_no_json_names_line_and_column() {
    suite_error(
        b"{\n  \"schemaVersion\": 1,\n  oops\n}",
        &["SUITE_JSON_INVALID", "s.suite.json:3:3", "line 3"],
    );
}

#[test]
fn suite_that_is_not_utf8() {
    suite_error(b"{\"id\": \"\xff\"}", &["SUITE_ENCODING_INVALID", "UTF-8"]);
}

#[test]
fn every_validation_problem_is_listed_at_once() {
    let suite = json!({"schemaVersion": 2, "id": " ", "cases": [], "extra": 1}).to_string();
    suite_error(
        suite.as_bytes(),
        &[
            "SUITE_VALIDATION_FAILED",
            "UNSUPPORTED_SCHEMA_VERSION",
            "INVALID_VALUE",
            "MISSING_REQUIRED_FIELD",
            "UNKNOWN_FIELD",
            "EMPTY_CASES",
        ],
    );
}

#[test]
fn wrong_extension() {
    let context = Context::new();
    context.write("s.txt", "{}");
    context
        .run(["test", "s.txt", "--", "python3", &server()])
        .expect_code(1)
        .expect_stderr(&["SUITE_FORMAT_UNSUPPORTED", "s.txt"]);
}

#[test]
fn unknown_flag_gets_a_suggestion() {
    let context = Context::new();
    let run = context.run(["test", "s.suite.json", "--sesion", "x", "--", "a"]).expect_code(1);
    run.expect_stderr(&["CLI_USAGE", "--sesion", "--session"]);
}

#[test]
fn two_targets() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    context
        .run(["test", "s.suite.json", "--url", "http://127.0.0.1:1/mcp", "--", "a"])
        .expect_code(1)
        .expect_stderr(&["CLI_USAGE", "two servers"]);
}

#[test]
fn command_that_does_not_exist() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    context.run(["test", "s.suite.json", "--", "no-such-command-anywhere"]).expect_code(1).expect_stderr(&[
        "PROCESS_START_FAILED",
        "no-such-command-anywhere",
        "fix:",
    ]);
}

#[test]
fn server_that_exits_shows_code_and_stderr() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    context
        .run(["test", "s.suite.json", "--", "sh", "-c", "echo no key set >&2; exit 3"])
        .expect_code(1)
        .expect_stderr(&["PROCESS_EXITED", "no key set", "3"]);
}

#[test]
fn server_that_hangs_is_named_and_not_waited_for() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    context
        .run(["test", "s.suite.json", "--connect-timeout", "500ms", "--", "sleep", "600"])
        .expect_code(1)
        .expect_stderr(&["HANDSHAKE_TIMEOUT", "500"]);
}

#[test]
fn damaged_sessions_are_refused_with_their_place() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    for (contents, expected) in [
        ("{\n  \"format\": \"mcpeak-session\",\n  \"version\": 1,\n  \"exchanges\": [", "s.json:4"),
        ("{\"format\": \"something-else\", \"version\": 1, \"exchanges\": []}", "s.json:1"),
        ("{\n\"format\": \"mcpeak-session\", \"version\": 1,\n<<<<<<< HEAD\n\"exchanges\": []}", "s.json:3"),
    ] {
        context.write("s.json", contents);
        context
            .run(["test", "s.suite.json", "--session", "s.json", "--", "python3", &server()])
            .expect_code(1)
            .expect_stderr(&["SESSION_", expected]);
    }
}

#[test]
fn missing_session() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    context
        .run(["test", "s.suite.json", "--session", "none.json", "--", "python3", &server()])
        .expect_code(1)
        .expect_stderr(&["SESSION_NOT_FOUND", "none.json", "record"]);
}

#[test]
fn port_in_use() {
    let context = Context::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    for _ in 0..2 {
        // The second run must meet the same error, not the journal of the first.
        context
            .run(["proxy", "--listen", &address, "--record-session", "s.json"])
            .expect_code(1)
            .expect_stderr(&["PROXY_BIND_FAILED", &address, "fix:"]);
    }
    assert!(!context.path("s.json.journal").exists());
}

#[test]
fn an_output_over_an_input_is_refused() {
    let context = Context::new();
    let suite = context.write("s.suite.json", suites::lists("get_weather"));
    let before = context.read("s.suite.json");
    for flags in [
        ["--junit", "s.suite.json"],
        ["--repair-bundle", "./s.suite.json"],
        ["--record-session", "s.suite.json"],
    ] {
        let line = ["test", "s.suite.json"].into_iter().chain(flags).chain(["--", "python3"]);
        context
            .run(line.map(str::to_owned).chain([server()]))
            .expect_code(1)
            .expect_stderr(&["CLI_USAGE", "SUITE"]);
    }
    assert_eq!(context.read("s.suite.json"), before);
    std::os::unix::fs::symlink(&suite, context.path("link.xml")).expect("a link");
    context.run(["test", "s.suite.json", "--junit", "link.xml", "--", "python3", &server()]).expect_code(1);
    assert_eq!(context.read("s.suite.json"), before);
}

#[test]
fn of_several_suites_the_broken_one_is_named() {
    let context = Context::new();
    context.write("suites/a.suite.json", suites::lists("get_weather"));
    context.write("suites/b.suite.json", "{ oops");
    context
        .run(["test", "suites", "--", "python3", &server()])
        .expect_code(1)
        .expect_stderr(&["suites/b.suite.json:1:3", "SUITE_JSON_INVALID"]);
}

#[test]
fn unwritable_junit_is_said_after_the_report() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("get_weather"));
    let run = context
        .run(["test", "s.suite.json", "--junit", "no/such/folder/out.xml", "--", "python3", &server()])
        .expect_code(1)
        .expect_stderr(&["JUNIT_WRITE_FAILED", "no/such/folder/out.xml"]);
    assert!(run.stdout.contains("1 passed"), "the report is still printed: {}", run.stdout);
}

#[test]
fn sessions_with_a_url_point_to_the_sidecar() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("a"));
    context
        .run(["test", "s.suite.json", "--session", "s.json", "--url", "http://127.0.0.1:1/mcp"])
        .expect_code(1)
        .expect_stderr(&["CLI_USAGE", "mcpeak proxy"]);
}

#[test]
fn a_full_disk_is_named_and_nothing_that_was_there_is_lost() {
    let context = Context::new();
    std::fs::create_dir(context.path("small")).expect("a folder");
    let api = crate::support::Api::start("big.example", |_| {
        let body: &'static str = Box::leak("0123456789abcdef".repeat(64 * 1024).into_boxed_str());
        crate::support::api::text(200, "text/plain", body)
    });
    let flags = api.flags(&context).join(" ");
    // A file system of its own, seen by this command only.
    let script = format!(
        "mount -t tmpfs -o size=256k tmpfs small && echo kept > small/kept.txt && \
         {binary} run --record-session small/s.json {flags} -- curl -sS -o got.txt https://big.example/; \
         echo code $?; cat small/kept.txt; ls small",
        binary = env!("CARGO_BIN_EXE_mcpeak"),
    );
    let mut command = std::process::Command::new("unshare");
    command
        .args(["--mount", "--map-root-user", "sh", "-c", &script])
        .current_dir(context.folder())
        .env("LANG", "C.UTF-8")
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let run = run_command(command).expect_code(0);
    let run = run.expect_stdout(&["code 1", "kept"]).expect_stderr(&["SESSION_DISK_FULL", "small/s."]);
    assert!(!run.stdout.lines().any(|line| line == "s.json"), "no half session: {}", run.stdout);
    assert_eq!(
        std::fs::metadata(context.path("got.txt")).expect("the download").len(),
        1024 * 1024,
        "the live answer is whole"
    );
}

#[test]
fn a_missing_folder_for_temporary_files_is_named() {
    let context = Context::new();
    context.write("s.json", r#"{"format":"mcpeak-session","version":1,"rules":[],"exchanges":[]}"#);
    let mut command = context.command(["run", "--session", "s.json", "--", "true"]);
    command.env("TMPDIR", context.path("nowhere"));
    run_command(command).expect_code(1).expect_stderr(&["TRUST_WRITE_FAILED", "TMPDIR", "nowhere"]);
}
