//! `run`, `env`, `ca`, `completions`, `healthcheck`, `demo`, `--help`.

use std::process::Command;

use crate::support::context::run_command;
use crate::support::{Api, Context};

fn with_flags(before: &[&str], flags: &[String], after: &[&str]) -> Vec<String> {
    before
        .iter()
        .map(ToString::to_string)
        .chain(flags.iter().cloned())
        .chain(after.iter().map(ToString::to_string))
        .collect()
}

#[test]
fn run_records_and_replays_any_command() {
    let context = Context::new();
    let mut api = Api::weather();
    let flags = api.flags(&context);
    let curl = ["--", "curl", "-sS", "https://api.weather.example/v1/weather?city=Seoul"];
    let recorded =
        context.run(with_flags(&["run", "--record-session", "s.json"], &flags, &curl)).expect_code(0);
    assert!(recorded.stdout.contains("\"tempC\":21"));
    api.stop();
    let replayed = context.run(with_flags(&["run", "--session", "s.json"], &[], &curl)).expect_code(0);
    assert_eq!(replayed.stdout, recorded.stdout);
}

#[test]
fn run_passes_the_exit_code_on_and_fails_on_a_miss() {
    let context = Context::new();
    context.write("s.json", "{\"format\": \"mcpeak-session\", \"version\": 1, \"exchanges\": []}");
    context.run(["run", "--session", "s.json", "--", "sh", "-c", "exit 42"]).expect_code(42);
    context.run(["run", "--session", "s.json", "--", "sh", "-c", "kill -9 $$"]).expect_code(137);
    context.run(["run", "--session", "s.json", "--", "true"]).expect_code(0);
    let run = context
        .run(["run", "--session", "s.json", "--", "curl", "-sS", "http://api.weather.example/x"])
        .expect_code(1);
    assert!(run.stdout.contains("mcpeak-replay-miss"));
    run.expect_stderr(&["1 call without a recording:", "api.weather.example"]);
}

#[test]
fn env_can_be_read_by_a_shell() {
    let context = Context::new();
    let run = context.run(["env", "--ca-dir", "it's ca", "--proxy", "http://127.0.0.1:4444"]).expect_code(0);
    context.write("variables.sh", &run.stdout);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", ". ./variables.sh && echo \"$https_proxy\" && cat \"$NODE_EXTRA_CA_CERTS\" && grep -c BEGIN \"$SSL_CERT_FILE\""])
        .current_dir(context.folder())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    run_command(shell).expect_code(0).expect_stdout(&["http://127.0.0.1:4444", "BEGIN CERTIFICATE"]);
}

#[test]
fn ca_is_kept_and_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let context = Context::new();
    let first = context.run(["ca", "--ca-dir", "ca"]).expect_code(0);
    assert!(first.stdout.starts_with("-----BEGIN CERTIFICATE-----"));
    let again = context.run(["ca", "--ca-dir", "ca"]).expect_code(0);
    assert_eq!(first.stdout, again.stdout);
    let mode = std::fs::metadata(context.path("ca/ca.key")).expect("the key").permissions().mode();
    assert_eq!(mode & 0o077, 0, "the key is the owner's alone");
}

#[test]
fn damaged_authority_is_refused() {
    let context = Context::new();
    context.run(["ca", "--ca-dir", "ca"]).expect_code(0);
    context.write("ca/ca.key", "nonsense");
    context.run(["ca", "--ca-dir", "ca"]).expect_code(1).expect_stderr(&["ca", "fix:"]);
    assert_eq!(context.read("ca/ca.key"), "nonsense", "nothing was overwritten");
}

#[test]
fn completions_for_every_shell() {
    let context = Context::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = context.run(["completions", shell]).expect_code(0);
        assert!(run.stdout.contains("record-session"), "{shell}");
    }
}

#[test]
fn healthcheck_without_a_proxy() {
    let context = Context::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    context
        .run(["healthcheck", "--admin", &free.to_string()])
        .expect_code(1)
        .expect_stderr(&["UNHEALTHY", "mcpeak proxy"]);
}

#[test]
fn help_and_version() {
    let context = Context::new();
    context.run(["--help"]).expect_code(0).expect_stdout(&["test", "proxy", "demo"]);
    let run = context.run(["--version"]).expect_code(0);
    assert_eq!(run.stdout, format!("mcpeak {}\n", env!("CARGO_PKG_VERSION")));
    context.run(["nonsense"]).expect_code(1).expect_stderr(&["CLI_USAGE"]);
    context.run::<&str>([]).expect_code(1).expect_stderr(&["Usage"]);
}

#[test]
fn demo_tells_the_whole_story() {
    let context = Context::new();
    let run = context.run(["demo", "--keep", "kept"]).expect_code(0);
    let run = run.expect_stdout(&[
        "1. Record",
        "2. Replay",
        "3. A changed call",
        "byte for byte",
        "Busan",
        "exit code 1",
    ]);
    assert!(context.read("kept/weather.session.json").contains("api.weather.example"));
    let again = context.run(["demo", "--keep", "kept2"]).expect_code(0);
    assert_eq!(run.stdout.replace("kept", "kept2"), again.stdout, "same input, same bytes");
    let korean = context.run(["demo", "--locale", "ko"]).expect_code(0);
    korean.expect_stdout(&["1. 녹화", "3. 바뀐 호출"]);
}
