//! The main job: record, replay with the origin gone, explain a miss, keep secrets out.

use serde_json::{Value, json};

use crate::support::context::{repository, run_command};
use crate::support::{Api, Context, suites};

/// The example server inside the binary, or one of `examples/weather`.
fn embedded() -> Vec<String> {
    vec![env!("CARGO_BIN_EXE_mcpeak").to_owned(), "demo".to_owned(), "--serve".to_owned()]
}

fn python() -> Vec<String> {
    vec!["python3".to_owned(), repository("examples/weather/python/server.py").display().to_string()]
}

fn node() -> Vec<String> {
    vec!["node".to_owned(), repository("examples/weather/node/server.mjs").display().to_string()]
}

fn line(flags: &[&str], more: &[String], server: &[String]) -> Vec<String> {
    let mut line: Vec<String> = ["test", "weather.suite.json"].iter().map(ToString::to_string).collect();
    line.extend(flags.iter().map(ToString::to_string));
    line.extend(more.iter().cloned());
    line.push("--".to_owned());
    line.extend(server.iter().cloned());
    line
}

fn records_and_replays(server: &[String]) {
    let context = Context::new();
    let mut api = Api::weather();
    let flags = api.flags(&context);
    context.write(
        "weather.suite.json",
        suites::calls("get_weather", &[json!({"city": "Seoul"}), json!({"city": "Busan"})]),
    );
    let recorded =
        context.run(line(&["--record-session", "weather.session.json"], &flags, server)).expect_code(0);
    assert_eq!(api.requests(), 2);

    api.stop();
    let before = api.connections();
    let replayed = context.run(line(&["--session", "weather.session.json"], &flags, server)).expect_code(0);
    assert_eq!(replayed.stdout, recorded.stdout, "the same report, byte for byte");
    assert_eq!(api.connections(), before);

    let json =
        context.run(line(&["--session", "weather.session.json", "--json"], &flags, server)).expect_code(0);
    let report: Value = serde_json::from_str(&json.stdout).expect("a JSON report");
    assert_eq!(report["session"]["upstreamConnections"], 0);
    assert_eq!(report["session"]["replayed"], 2);
    assert_eq!(report["session"]["missed"], json!([]));
}

#[test]
fn embedded_server_records_and_replays() {
    records_and_replays(&embedded());
}

#[test]
fn python_server_records_and_replays() {
    records_and_replays(&python());
}

#[test]
fn node_server_records_and_replays() {
    records_and_replays(&node());
}

#[test]
fn rust_server_records_and_replays() {
    let server = std::env::var("WEATHER_RUST").expect(
        "WEATHER_RUST names the built server of examples/weather/rust; `bash tests/run.sh` builds it",
    );
    records_and_replays(&[server]);
}

#[test]
fn k1_k2_replay_never_reaches_the_origin_even_when_used_up() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "Seoul"})]));
    context.run(line(&["--record-session", "s.json"], &flags, &embedded())).expect_code(0);
    let before = (api.connections(), api.requests());
    // The origin is still up; three calls meet one recording.
    context.write("weather.suite.json", suites::calls("get_weather", &vec![json!({"city": "Seoul"}); 3]));
    let run = context.run(line(&["--session", "s.json", "--json"], &flags, &embedded())).expect_code(1);
    assert_eq!((api.connections(), api.requests()), before, "replay opened a connection");
    let report: Value = serde_json::from_str(&run.stdout).expect("a JSON report");
    assert_eq!(report["session"]["upstreamConnections"], 0);
    assert_eq!(report["session"]["replayed"], 1);
    assert_eq!(report["session"]["missed"][0]["count"], 2);
    run.expect_stderr(&["connections opened by the proxy: 0"]);
    assert_eq!(report["session"]["missed"][0]["cases"], json!(["call-1", "call-2"]));
    assert_eq!(report["session"]["missed"][0]["reason"]["kind"], "allUsed");
}

#[test]
fn m9_a_changed_request_is_a_miss_with_the_differing_field() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "Seoul"})]));
    context.run(line(&["--record-session", "s.json"], &flags, &embedded())).expect_code(0);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "Busan"})]));
    let run = context.run(line(&["--session", "s.json"], &flags, &embedded())).expect_code(1);
    run.expect_stdout(&[
        "1 call without a recording:",
        "in case call-0",
        r#"query city: recorded "Seoul", requested "Busan""#,
        "599",
    ]);
}

#[test]
fn a_miss_that_no_case_notices_fails_the_run_and_is_red_in_junit() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "Seoul"})]));
    context.run(line(&["--record-session", "s.json"], &flags, &embedded())).expect_code(0);
    // An error of the tool is what this suite expects, so every case passes.
    let expects_error = suites::calls("get_weather", &[json!({"city": "Busan"})]).replace("false", "true");
    context.write("weather.suite.json", expects_error);
    let run = context
        .run(line(&["--session", "s.json", "--junit", "report.xml"], &flags, &embedded()))
        .expect_code(1);
    run.expect_stdout(&["1 passed", "1 call without a recording:"]);
    let junit = context.read("report.xml");
    assert!(junit.contains(r#"tests="2" failures="1""#) && junit.contains("REPLAY_MISS"), "{junit}");
}

#[test]
fn an_api_address_given_by_a_variable_can_be_recorded() {
    let context = Context::new();
    let mut api = Api::weather();
    let flags = api.flags(&context);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "Seoul"})]));
    let run = |session: &[&str]| {
        let mut command = context.command(line(session, &flags, &embedded()));
        command.env("API_URL", "https://api.weather.example").env("API_HOST", "api.weather.example");
        run_command(command).expect_code(0)
    };
    run(&["--record-session", "s.json", "--env", "API_URL", "--env", "API_HOST"]);
    assert!(context.read("s.json").contains("https://api.weather.example/v1/weather"));
    api.stop();
    run(&["--session", "s.json", "--env", "API_URL", "--env", "API_HOST"]);
}

#[test]
fn k4_an_existing_recording_is_not_overwritten_without_force() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "Seoul"})]));
    context.run(line(&["--record-session", "s.json"], &flags, &embedded())).expect_code(0);
    let before = context.read("s.json");
    let run = context.run(line(&["--record-session", "s.json"], &flags, &embedded())).expect_code(1);
    run.expect_stderr(&["s.json", "--force"]);
    assert_eq!(context.read("s.json"), before);
    assert_eq!(api.requests(), 1, "nothing was started");
    context.run(line(&["--record-session", "s.json", "--force"], &flags, &embedded())).expect_code(0);
    assert_eq!(context.read("s.json"), before, "f2: unchanged traffic gives a zero diff");
}

#[test]
fn r8_a_named_secret_is_in_no_file() {
    let context = Context::new();
    let api = Api::start("api.weather.example", |_| {
        crate::support::api::json(
            200,
            r#"{"city":"Seoul","echo":"hunter2-hunter2","access_token":"abcdefabcdef"}"#,
        )
    });
    let flags = api.flags(&context);
    context.write("weather.suite.json", suites::calls("get_weather", &[json!({"city": "hunter2-hunter2"})]));
    let mut command = context.command(line(
        &["--record-session", "s.json", "--env", "WEATHER_KEY", "--json"],
        &flags,
        &embedded(),
    ));
    command.env("WEATHER_KEY", "hunter2-hunter2");
    let run = run_command(command).expect_code(0);
    for text in [context.read("s.json"), run.stdout, run.stderr] {
        assert!(!text.contains("hunter2-hunter2"), "{text}");
    }
    assert!(!context.read("s.json").contains("abcdefabcdef"));
    assert!(!context.path("s.json.journal").exists());
}

#[test]
fn a_failing_suite_leaves_a_usable_recording() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    context.write(
        "weather.suite.json",
        suites::calls("get_weather", &[json!({"city": "Seoul"}), json!({"city": "Atlantis"})]),
    );
    let recorded = context.run(line(&["--record-session", "s.json"], &flags, &embedded())).expect_code(1);
    let replayed = context.run(line(&["--session", "s.json"], &flags, &embedded())).expect_code(1);
    assert_eq!(recorded.stdout, replayed.stdout);
}

/// Asks before it would say anything to its client, and ends when that fails.
fn asks_first(client: &str) -> Vec<String> {
    let program =
        format!("import ssl, urllib.request as u; u.urlopen('https://api.weather.example/start'{client})");
    vec!["python3".to_owned(), "-c".to_owned(), program]
}

#[test]
fn the_miss_that_keeps_a_server_from_starting_is_reported() {
    let context = Context::new();
    context.write("weather.suite.json", suites::lists("get_weather"));
    context.write("s.json", r#"{"format":"mcpeak-session","version":1,"rules":[],"exchanges":[]}"#);
    context.run(line(&["--session", "s.json"], &[], &asks_first(""))).expect_code(1).expect_stderr(&[
        "PROCESS_EXITED",
        "GET https://api.weather.example/start",
        "Fix: ",
    ]);
}

#[test]
fn the_refused_certificate_that_keeps_a_server_from_starting_is_reported() {
    let context = Context::new();
    let api = Api::weather();
    context.write("weather.suite.json", suites::lists("get_weather"));
    let server = asks_first(", context=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)");
    context
        .run(line(&["--record-session", "s.json"], &api.flags(&context), &server))
        .expect_code(1)
        .expect_stderr(&["PROCESS_EXITED", "refused the proxy's certificate for api.weather.example"]);
}
