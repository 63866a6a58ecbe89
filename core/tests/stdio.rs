//! The client against servers over stdio that keep to the protocol, or break one rule each.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcpeak_core::client::{
    Closed, ConnectError, ConnectOptions, ConnectProgress, Connection, EraChoice, ServerFacts, connect,
};
use mcpeak_core::error::{ConnectionLost, Detail, ErrorCode, McpError, Phase};
use mcpeak_core::target::Target;
use mcpeak_core::wire::{Direction, Era, Noise, Rule};
use serde_json::{Map, Value, json};

/// Long enough for a slow machine; no test waits for it.
const PATIENCE: Duration = Duration::from_secs(40);

fn fixture(args: &[&str]) -> Target {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/server.py");
    let args = [&["-u", script.to_str().unwrap()], args].concat();
    Target::command("python3", args)
}

fn options() -> ConnectOptions {
    ConnectOptions { connect_timeout: PATIENCE, ..ConnectOptions::default() }
}

async fn open(mode: &str) -> Box<dyn Connection> {
    connect(&fixture(&[mode]), options()).await.unwrap()
}

async fn connect_error(mode: &str) -> ConnectError {
    match connect(&fixture(&[mode]), options()).await {
        Ok(_) => panic!("{mode} must not connect"),
        Err(error) => error,
    }
}

async fn list_error(mode: &str) -> McpError {
    let connection = open(mode).await;
    let before = Instant::now();
    let error = connection.list_tools(PATIENCE).await.unwrap_err();
    assert!(before.elapsed() < PATIENCE / 2, "{mode} was waited for");
    connection.close().await;
    error
}

async fn call_error(mode: &str) -> (McpError, Closed) {
    let connection = open(mode).await;
    let before = Instant::now();
    let error = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap_err();
    assert!(before.elapsed() < PATIENCE / 2, "{mode} was waited for");
    (error, connection.close().await)
}

#[track_caller]
fn assert_rule(error: &McpError, code: ErrorCode, rule: Rule, path: &str) {
    let Detail::Protocol(violation) = &error.detail else { panic!("{error:?}") };
    assert_eq!((error.code, violation.rule, violation.path.as_str()), (code, rule, path));
    assert!(!violation.excerpt.is_empty() && !violation.seen.is_empty());
}

#[tokio::test]
async fn a_legacy_server() {
    let connection = open("good").await;
    let negotiated = connection.negotiated().unwrap();
    assert_eq!((negotiated.era(), negotiated.version.name), (Era::Legacy, "2025-06-18"));
    assert_eq!(negotiated.server_info.as_ref().unwrap()["name"], "fixture");
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap()[0].name, "a");
    let arguments = json!({"city": "서울", "n": 1.0}).as_object().unwrap().clone();
    let result = connection.call_tool("a", &arguments, PATIENCE).await.unwrap();
    assert_eq!(result.content().unwrap()[0]["text"], "{\"city\": \"\\uc11c\\uc6b8\", \"n\": 1.0}");
    assert!(!result.is_error());
    let error = connection.request("prompts/list", Map::new(), PATIENCE).await.unwrap_err();
    assert!(matches!(error.detail, Detail::JsonRpcError { code: -32601, .. }));
    let entries = connection.transcript().unwrap().entries();
    assert!(entries[0].bytes.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\""));
    assert!(entries.iter().any(|entry| {
        entry.direction == Direction::Received && entry.bytes.ends_with(b"\"data\": \"x\"}}")
    }));
    let closed = connection.close().await;
    let ServerFacts::Process { exit, .. } = &closed.facts else { panic!("{closed:?}") };
    assert_eq!((exit.unwrap().code, closed.forced, &closed.error), (Some(0), None, &None));
    assert_eq!(connection.close().await, closed);
    let error = connection.list_tools(PATIENCE).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::TransportFailed);
}

#[tokio::test]
async fn a_modern_server() {
    let connection = open("modern").await;
    let negotiated = connection.negotiated().unwrap();
    assert_eq!((negotiated.era(), negotiated.version.name), (Era::Modern, "2026-07-28"));
    assert_eq!(negotiated.server_info.as_ref().unwrap()["name"], "modern");
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap();
    connection.close().await;
    let (error, _) = call_error("modern-input").await;
    assert_eq!(error.detail, Detail::InputRequired(vec!["elicitation/create".to_owned()]));
    let (error, _) = call_error("modern-type").await;
    assert_rule(&error, ErrorCode::OperationFailed, Rule::ResultType, "result.resultType");
}

#[tokio::test]
async fn a_late_answer_to_discover_still_counts() {
    // The fixture answers it only once it has read `initialize`.
    let connection = open("modern-late").await;
    assert_eq!(connection.negotiated().unwrap().era(), Era::Modern);
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.close().await;
}

#[tokio::test]
async fn the_era_can_be_forced() {
    let forced = |era| ConnectOptions { era, ..options() };
    let error = connect(&fixture(&["modern"]), forced(EraChoice::Legacy)).await.err().unwrap().error;
    assert_eq!((error.code, error.phase), (ErrorCode::HandshakeFailed, Phase::Handshake));
    let error = connect(&fixture(&["good"]), forced(EraChoice::Modern)).await.err().unwrap().error;
    assert!(matches!(error.detail, Detail::JsonRpcError { code: -32601, .. }));
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let target = fixture(&["good", log.to_str().unwrap()]);
    let connection = connect(&target, forced(EraChoice::Legacy)).await.unwrap();
    connection.list_tools(PATIENCE).await.unwrap();
    connection.close().await;
    assert_eq!(std::fs::read_to_string(log).unwrap(), "initialize\nnotifications/initialized\ntools/list\n");
}

#[tokio::test]
async fn servers_that_do_not_know_discover() {
    for mode in ["any-discover", "names-legacy", "tolerated"] {
        let connection = open(mode).await;
        assert_eq!(connection.negotiated().unwrap().era(), Era::Legacy, "{mode}");
        connection.close().await;
    }
    let error = connect_error("names-unknown").await.error;
    let supported = vec!["2031-01-01".to_owned()];
    assert_eq!(error.detail, Detail::VersionUnsupported { requested: "2026-07-28".to_owned(), supported });
}

#[tokio::test]
async fn a_server_that_ignores_discover_gets_initialize() {
    let short = ConnectOptions { connect_timeout: Duration::from_secs(5), ..ConnectOptions::default() };
    let connection = connect(&fixture(&["silent-discover"]), short).await.unwrap();
    assert_eq!(connection.negotiated().unwrap().era(), Era::Legacy);
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_dies_of_discover_is_started_again() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let progress: Arc<dyn Fn(ConnectProgress) + Send + Sync> =
        Arc::new(move |progress| sink.lock().unwrap().push(progress));
    let options = ConnectOptions { progress: Some(progress), ..options() };
    let connection = connect(&fixture(&["fear-discover"]), options).await.unwrap();
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.close().await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            ConnectProgress::Spawned,
            ConnectProgress::WaitingFor { method: "server/discover" },
            ConnectProgress::Spawned,
            ConnectProgress::Restarted,
            ConnectProgress::WaitingFor { method: "initialize" },
        ]
    );
}

#[tokio::test]
async fn noise_on_stdout_is_named() {
    for (mode, noise, line) in [
        ("noise", Noise::Text, "Server starting up!"),
        ("broken-json", Noise::BrokenJson, "{not json"),
        ("json-log", Noise::NotJsonRpc, "{\"level\": \"info\", \"msg\": \"ready\"}"),
    ] {
        let ConnectError { error, facts } = connect_error(mode).await;
        assert_eq!((error.code, error.phase), (ErrorCode::TransportFailed, Phase::Handshake), "{mode}");
        assert_eq!(error.detail, Detail::StdoutNoise { noise, line: line.to_owned() });
        assert!(matches!(facts, ServerFacts::Process { exit: Some(_), .. }), "it was not ended");
    }
    for (mode, expected) in
        [("late-banner", Noise::Text), ("long-line", Noise::TooLong), ("broken-utf8", Noise::NotUtf8)]
    {
        let (error, _) = call_error(mode).await;
        assert_eq!(error.connection_lost(), Some(ConnectionLost::TransportFailed), "{mode}");
        assert!(matches!(error.detail, Detail::StdoutNoise { noise, .. } if noise == expected), "{error:?}");
    }
}

#[tokio::test]
async fn a_broken_handshake_is_described() {
    for (mode, rule, path) in [
        ("noversion", Rule::ServerInfoVersion, "result.serverInfo.version"),
        ("oldver", Rule::ProtocolVersion, "result.protocolVersion"),
        ("nocaps", Rule::Capabilities, "result.capabilities"),
        ("stringid", Rule::IdType, "id"),
    ] {
        let error = connect_error(mode).await.error;
        assert_rule(&error, ErrorCode::HandshakeFailed, rule, path);
        assert_eq!(error.phase, Phase::Handshake);
    }
}

#[tokio::test]
async fn a_broken_list_is_described() {
    for (mode, rule, path) in [
        ("noschema", Rule::InputSchemaMissing, "result.tools[0].inputSchema"),
        ("badschema", Rule::InputSchemaObject, "result.tools[0].inputSchema"),
        ("noname", Rule::ToolName, "result.tools[0].name"),
        ("nojsonrpc", Rule::JsonRpcVersion, "jsonrpc"),
        ("both", Rule::ResultXorError, ""),
        ("notarray", Rule::ToolsArray, "result.tools"),
        ("noid", Rule::IdUnknown, "id"),
        ("strayid", Rule::IdUnknown, "id"),
    ] {
        assert_rule(&list_error(mode).await, ErrorCode::OperationFailed, rule, path);
    }
}

#[tokio::test]
async fn unknown_members_are_kept() {
    let connection = open("extra").await;
    let tools = connection.list_tools(PATIENCE).await.unwrap();
    assert_eq!(tools[0].raw["x-vendor"].to_string(), "{\"deep\":[1.0,2]}");
    connection.close().await;
}

#[tokio::test]
async fn pages_are_followed_and_circles_are_not() {
    let connection = open("pages").await;
    let names: Vec<_> =
        connection.list_tools(PATIENCE).await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["a", "b"]);
    connection.close().await;
    let error = list_error("endless").await;
    assert_eq!(error.detail, Detail::TooManyPages { limit: 1_000 });
    for (mode, cursor) in [("circle", "again"), ("empty-cursor", "")] {
        let error = list_error(mode).await;
        assert_eq!(error.code, ErrorCode::PaginationCursorRepeated);
        assert_eq!(error.detail, Detail::Cursor(cursor.to_owned()));
    }
}

#[tokio::test]
async fn results_of_tools() {
    let (error, _) = call_error("nocontent").await;
    assert_rule(&error, ErrorCode::OperationFailed, Rule::ToolContent, "result.content");
    let connection = open("legacy-result").await;
    let result = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap();
    assert_eq!(result.raw["toolResult"], 1);
    let nested = (0..101).fold(json!(1), |inner, _| json!([inner]));
    let arguments = Map::from_iter([("x".to_owned(), nested)]);
    let error = connection.call_tool("a", &arguments, PATIENCE).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidToolArguments);
    connection.close().await;
    let connection = open("tool-error").await;
    assert!(connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap().is_error());
    connection.close().await;
}

#[tokio::test]
async fn requests_of_the_server_are_answered() {
    let connection = open("asks").await;
    let result = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap();
    let answers = result.structured_content().unwrap();
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": "s0", "result": {}}));
    assert_eq!(answers[1]["error"]["code"], -32601);
    connection.close().await;
}

#[tokio::test]
async fn a_deadline_cancels_on_the_wire_and_the_connection_lives() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let connection = connect(&fixture(&["hang", log.to_str().unwrap()]), options()).await.unwrap();
    let error = connection.call_tool("a", &Map::new(), Duration::from_millis(200)).await.unwrap_err();
    assert!(error.is_timeout() && error.connection_lost().is_none());
    assert_eq!(error.detail, Detail::Timeout { after_ms: 200, waiting_for: "tools/call".to_owned() });
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.close().await;
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.ends_with("tools/call\nnotifications/cancelled\ntools/list\n"), "{log}");
}

#[tokio::test]
async fn a_late_answer_is_dropped() {
    let connection = open("late").await;
    let error = connection.call_tool("a", &Map::new(), Duration::from_millis(100)).await.unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap()[0].name, "a");
    connection.close().await;
}

#[tokio::test]
async fn a_dropped_request_is_forgotten() {
    let connection = open("late").await;
    let arguments = Map::new();
    let dropped = connection.call_tool("a", &arguments, PATIENCE);
    assert!(tokio::time::timeout(Duration::from_millis(100), dropped).await.is_err());
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap()[0].name, "a");
    connection.close().await;
}

#[tokio::test]
async fn an_exit_ends_the_call_at_once() {
    let (error, closed) = call_error("exit").await;
    let Some(ConnectionLost::ProcessExited(exit)) = error.connection_lost() else { panic!("{error:?}") };
    assert_eq!((exit.code, error.phase), (Some(4), Phase::CallTool));
    assert!(matches!(error.detail, Detail::Exit { stderr_empty: false, .. }));
    let ServerFacts::Process { stderr, .. } = closed.facts else { panic!("not a process") };
    assert_eq!(stderr.text, "giving up\n");
}

#[tokio::test]
async fn a_crash_at_the_start_keeps_its_words() {
    let ConnectError { error, facts } = connect_error("crash").await;
    let Some(ConnectionLost::ProcessExited(exit)) = error.connection_lost() else { panic!("{error:?}") };
    assert_eq!(exit.code, Some(3));
    let ServerFacts::Process { exit, stderr } = facts else { panic!("not a process") };
    assert_eq!((exit.unwrap().code, stderr.text.as_str()), (Some(3), "Traceback: no key\n"));
}

#[tokio::test]
async fn a_closed_stdout_is_not_waited_for() {
    let (error, _) = call_error("close-stdout").await;
    assert_eq!((error.code, error.detail), (ErrorCode::TransportFailed, Detail::StdoutClosed));
}

#[tokio::test]
async fn a_closed_stdin_is_not_waited_for() {
    let connection = open("close-stdin").await;
    connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap();
    let error = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap_err();
    assert_eq!((error.code, error.detail), (ErrorCode::TransportFailed, Detail::StdinClosed));
    assert_eq!(connection.close().await.forced, None);
}

#[tokio::test]
async fn no_handshake_in_time() {
    let short = ConnectOptions { connect_timeout: Duration::from_secs(2), ..ConnectOptions::default() };
    let error = connect(&fixture(&["slow-init"]), short).await.err().unwrap().error;
    assert_eq!(error.code, ErrorCode::HandshakeTimeout);
    assert_eq!(error.detail, Detail::Timeout { after_ms: 2_000, waiting_for: "initialize".to_owned() });
}

#[tokio::test]
async fn no_such_executable() {
    let target = Target::command("no-such-executable-here", Vec::<String>::new());
    let error = connect(&target, options()).await.err().unwrap();
    assert_eq!((error.error.code, error.error.phase), (ErrorCode::ProcessStartFailed, Phase::Spawn));
}

#[tokio::test]
async fn many_requests_at_once() {
    // Spawned, to show that connecting is `Send`.
    let connection: Arc<dyn Connection> = Arc::from(tokio::spawn(open("good")).await.unwrap());
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..50 {
        let connection = Arc::clone(&connection);
        calls.spawn(async move {
            let arguments = Map::from_iter([("n".to_owned(), json!(number))]);
            let result = connection.call_tool("a", &arguments, PATIENCE).await.unwrap();
            let text = result.content().unwrap()[0]["text"].as_str().unwrap().to_owned();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["n"], number);
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    connection.close().await;
}

#[tokio::test]
async fn the_working_directory_and_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let script = "import os,sys,json\nprint(os.getcwd(), sorted(os.environ), file=sys.stderr)\nsys.exit(9)";
    let mut target = Target::command("python3", ["-c", script]);
    let Target::Stdio(stdio) = &mut target else { panic!("not stdio") };
    stdio.cwd = Some(PathBuf::from(directory.path()));
    let mut options = options();
    options.environment.named.push(("NAMED".to_owned(), mcpeak_core::secret::Secret::new("v".to_owned())));
    let ConnectError { facts, .. } = connect(&target, options).await.err().unwrap();
    let ServerFacts::Process { stderr, .. } = facts else { panic!("not a process") };
    assert!(stderr.text.starts_with(directory.path().canonicalize().unwrap().to_str().unwrap()));
    assert!(stderr.text.contains("'NAMED'") && !stderr.text.contains("CARGO"), "{}", stderr.text);
}
