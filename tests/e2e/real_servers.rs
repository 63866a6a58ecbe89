//! Real MCP servers from npm and PyPI, as they are published. `bash tests/run.sh` installs them and sets MCPEAK_TEST_SERVERS.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::api::text;
use crate::support::context::run_command;
use crate::support::{Api, Context, suites};

fn installed(path: &str) -> String {
    let servers = std::env::var("MCPEAK_TEST_SERVERS")
        .expect("MCPEAK_TEST_SERVERS names the folder of installed servers; `bash tests/run.sh` makes it");
    let path = PathBuf::from(servers).join(path);
    assert!(path.exists(), "{} is not installed", path.display());
    path.display().to_string()
}

fn everything() -> String {
    installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js")
}

fn everything_suite() -> String {
    suites::suite(&[
        json!({"id": "listed", "name": "echo is listed", "operation": {"type": "listTools"},
               "assertions": [{"type": "toolExists", "tool": "echo"}]}),
        json!({"id": "echo", "name": "echo answers", "operation": {"type": "callTool", "tool": "echo", "input": {"message": "서울"}},
               "assertions": [{"type": "isError", "expected": false},
                              {"type": "bodyMatchesSchema", "schema": {"type": "string", "stringContains": "서울"}}]}),
        json!({"id": "refused", "name": "echo refuses a call without a message",
               "operation": {"type": "callTool", "tool": "echo", "input": {}},
               "assertions": [{"type": "isError", "expected": true}]}),
    ])
}

#[test]
fn everything_over_stdio() {
    let context = Context::new();
    context.write("s.suite.json", everything_suite());
    context.run(["test", "s.suite.json", "--", "node", &everything(), "stdio"]).expect_code(0);
    context
        .run(["test", "s.suite.json", "--era", "legacy", "--", "node", &everything(), "stdio"])
        .expect_code(0);
    context
        .run(["test", "s.suite.json", "--era", "modern", "--", "node", &everything(), "stdio"])
        .expect_code(1)
        .expect_stderr(&["HANDSHAKE_FAILED", "-32601"]);
}

/// Ends the server with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn everything_over_streamable_http() {
    let context = Context::new();
    context.write("s.suite.json", everything_suite());
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port")
        .port();
    let mut server = Command::new("node")
        .args([&everything(), "streamableHttp"])
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map(Running)
        .expect("node starts");
    let stderr = BufReader::new(server.0.stderr.take().expect("stderr is piped"));
    let announced = stderr.lines().map_while(Result::ok).find(|line| line.contains(&port.to_string()));
    assert!(announced.is_some(), "the server did not say that it listens");
    let url = format!("http://127.0.0.1:{port}/mcp");
    context.run(["test", "s.suite.json", "--url", &url]).expect_code(0);
}

#[test]
fn time_in_both_eras() {
    let context = Context::new();
    context.write("s.suite.json", suites::calls("get_current_time", &[json!({"timezone": "Asia/Seoul"})]));
    let server = installed("venv/bin/mcp-server-time");
    for era in ["auto", "legacy", "modern"] {
        context.run(["test", "s.suite.json", "--era", era, "--", &server]).expect_code(0);
    }
}

#[test]
fn fetch_records_and_replays_with_the_origin_gone() {
    let context = Context::new();
    let mut api = Api::start("pages.example", |asked| match asked.path.as_str() {
        "/robots.txt" => text(404, "text/plain", "none"),
        _ => text(200, "text/html", "<html><body><h1>Weather</h1><p>Clear over Seoul.</p></body></html>"),
    });
    let flags = api.flags(&context);
    context.write("s.suite.json", suites::calls("fetch", &[json!({"url": "https://pages.example/today"})]));
    let server = installed("venv/bin/mcp-server-fetch");
    let line = |session: &[&str]| {
        let mut line: Vec<String> =
            ["test", "s.suite.json", "--json"].iter().map(ToString::to_string).collect();
        line.extend(session.iter().map(ToString::to_string));
        line.extend(flags.iter().cloned());
        line.extend(["--".to_owned(), server.clone()]);
        line
    };
    // With Node on PATH the server first installs a package, from a registry that is none of this test's business.
    let run = |session: &[&str]| {
        let mut command = context.command(line(session));
        command.env("PATH", context.folder());
        run_command(command).expect_code(0)
    };
    let recorded = run(&["--record-session", "s.json"]);
    assert!(api.requests() > 0);
    api.stop();
    let replayed = run(&["--session", "s.json"]);
    let (recorded, replayed): (Value, Value) = (
        serde_json::from_str(&recorded.stdout).expect("JSON"),
        serde_json::from_str(&replayed.stdout).expect("JSON"),
    );
    assert_eq!(recorded["cases"], replayed["cases"]);
    assert_eq!(replayed["session"]["upstreamConnections"], 0);
    assert_eq!(recorded["session"]["recorded"], replayed["session"]["replayed"]);
}

#[test]
fn open_meteo_prints_a_banner_on_stdout() {
    let context = Context::new();
    context.write("s.suite.json", suites::lists("weather_forecast"));
    let run = context
        .run(["test", "s.suite.json", "--", "node", &installed("node_modules/.bin/open-meteo-mcp-server")])
        .expect_code(1);
    let all = format!("{}{}", run.stdout, run.stderr);
    for words in ["MCP server initialized", "stdout", "stderr"] {
        assert!(all.contains(words), "no {words:?} in\n{all}");
    }
}
