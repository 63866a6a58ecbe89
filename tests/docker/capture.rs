//! Socket capture in containers, with mcpeak as the first process, under Docker's default profile. `bash tests/run.sh` builds the images.

use super::docker;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs mcpeak in an image; gives stdout and stderr.
#[track_caller]
fn runs(image: &str, options: &[&str], arguments: &[&str]) -> (String, String) {
    let line = [&["run", "--rm"], options, &[image], arguments].concat();
    let output = docker(&line);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "docker {line:?}: {:?}\n{stdout}\n{stderr}", output.status.code());
    (stdout, stderr)
}

const REPLAY: [&str; 6] =
    ["test", "weather.suite.json", "--session", "weather.session.json", "--capture", "socket"];

/// Replays the example by captured sockets.
#[track_caller]
fn replays(image: &str, options: &[&str], server: &[&str], calls: u32) {
    let (stdout, stderr) = runs(image, options, &[&REPLAY[..], &["--"], server].concat());
    assert!(stdout.contains("12 passed"), "{stdout}");
    for words in [
        format!("{calls} outbound calls replayed"),
        "connections opened by the proxy: 0".to_owned(),
        "every socket of the server's processes was led here".to_owned(),
    ] {
        assert!(stderr.contains(&words), "no {words:?} in {stderr}");
    }
}

const NODE: (&str, &[&str], u32) = ("mcpeak-capture:node", &["node", "node/server.mjs"], 6);
const PYTHON: (&str, &[&str], u32) = ("mcpeak-capture:python", &["python3", "python/server.py"], 4);

fn both(options: &[&str]) {
    for (image, server, calls) in [NODE, PYTHON] {
        replays(image, options, server, calls);
    }
}

#[test]
fn as_root_under_the_default_profile() {
    both(&[]);
}

#[test]
fn as_an_ordinary_user() {
    both(&["--user", "1000"]);
}

#[test]
fn without_a_network() {
    both(&["--network", "none"]);
}

#[test]
fn hardened_in_every_way_at_once() {
    both(&[
        "--user",
        "1000:1000",
        "--network",
        "none",
        "--read-only",
        "--tmpfs",
        "/tmp",
        "--cap-drop",
        "ALL",
        "--security-opt",
        "no-new-privileges",
    ]);
}

#[test]
fn an_entrypoint_that_gives_up_root() {
    // Root in a container may not look at processes of other users: a thread that has become them does.
    for user in ["1000", "33"] {
        let drop = ["setpriv", &format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups"];
        for (image, server, calls) in [NODE, PYTHON] {
            replays(image, &["--network", "none"], &[&drop[..], server].concat(), calls);
        }
    }
}

#[test]
fn orphans_are_buried_and_exit_codes_kept() {
    // The daemon's parent ends first; as the first process mcpeak inherits it, and nobody else would wait for it.
    let script = r"(sh -c 'echo $$ >/tmp/orphan' &)
until [ -s /tmp/orphan ]; do :; done
orphan=$(cat /tmp/orphan)
for try in $(seq 100000); do [ -d /proc/$orphan ] || exit 7; done
exit 9";
    let line = ["run", "--rm", NODE.0, "run", "--session", "weather.session.json", "--", "sh", "-c", script];
    let output = docker(&line);
    assert_eq!(output.status.code(), Some(7), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn a_stop_reaches_the_command() {
    let script = "trap 'echo stopped; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    let id = text(
        &docker(&[
            "run",
            "--detach",
            NODE.0,
            "run",
            "--session",
            "weather.session.json",
            "--",
            "sh",
            "-c",
            script,
        ])
        .stdout,
    );
    let id = id.trim();
    let ready = (0..600).any(|_| text(&docker(&["logs", id]).stdout).contains("ready"));
    docker(&["stop", "--time", "20", id]);
    let logs = text(&docker(&["logs", id]).stdout);
    let code = text(&docker(&["inspect", "--format", "{{.State.ExitCode}}", id]).stdout);
    docker(&["rm", "--force", id]);
    assert!(ready && logs.contains("stopped"), "{logs}");
    assert_eq!(code.trim(), "130");
}

#[test]
fn doctor_within_a_container() {
    let (stdout, _) = runs(NODE.0, &["--network", "none"], &["doctor"]);
    assert!(stdout.contains("✓ sockets are captured") && stdout.contains("✓ node fetch"), "{stdout}");
    let (stdout, _) = runs(PYTHON.0, &["--user", "1000"], &["doctor"]);
    assert!(stdout.contains("✓ sockets are captured") && stdout.contains("✓ python urllib"), "{stdout}");
}
