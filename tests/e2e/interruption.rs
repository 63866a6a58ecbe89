//! Runs that are cut off: in order by a signal, or by kill -9.

use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::context::{finish, repository};
use crate::support::{Api, Context, suites};

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
    kill_process(pid, signal).expect("the process is there");
}

/// Waits until a condition holds; the deadline is only for a failing test.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ctrl_c_prints_what_was_done_and_exits_130() {
    let context = Context::new();
    let marker = context.path("called");
    // The second call tells that it arrived, and never answers.
    let server = context.write(
        "server.py",
        format!(
            "import runpy, sys\nsys.argv = ['x', 'hangs-in-call']\nimport json\n\
             real = json.loads\n\
             def loads(line):\n    message = real(line)\n    if message.get('method') == 'tools/call': open({:?}, 'w').close()\n    return message\n\
             json.loads = loads\nrunpy.run_path({:?}, run_name='__main__')\n",
            marker.display().to_string(),
            repository("tests/fixtures/breaking_server.py").display().to_string(),
        ),
    );
    let listed = json!({"id": "listed", "name": "a is listed", "operation": {"type": "listTools"},
        "assertions": [{"type": "toolExists", "tool": "a"}]});
    let call = json!({"id": "call", "name": "call", "operation": {"type": "callTool", "tool": "a", "input": {}},
        "assertions": [{"type": "isError", "expected": false}]});
    context.write(
        "s.suite.json",
        suites::suite(&[
            listed,
            call.clone(),
            json!({"id": "last", "name": "last",
        "operation": call["operation"], "assertions": call["assertions"]}),
        ]),
    );
    let child = context
        .command([
            "test",
            "s.suite.json",
            "--junit",
            "out.xml",
            "--",
            "python3",
            &server.display().to_string(),
        ])
        .spawn()
        .expect("the binary starts");
    until("the call", || marker.exists());
    signal(&child, Signal::INT);
    let run = finish(child).expect_code(130).expect_stdout(&["1 passed, 1 cancelled, 1 not run"]);
    assert!(run.stdout.contains("listed"));
    assert!(context.read("out.xml").contains("skipped"));
}

#[test]
fn kill_9_while_recording_loses_no_finished_exchange() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    let mut command = context.command(
        ["proxy", "--listen", "127.0.0.1:0", "--record-session", "s.json", "--ca-dir", "ca"]
            .into_iter()
            .map(str::to_owned)
            .chain(flags),
    );
    let mut child = command.spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
    let address = lines
        .find_map(|line| line.ok()?.strip_prefix("proxy listening on ").map(str::to_owned))
        .expect("the address is announced");
    for city in ["Seoul", "Busan"] {
        let output = std::process::Command::new("curl")
            .args(["-sS", "--cacert"])
            .arg(context.path("ca/ca.pem"))
            .args([
                "--proxy",
                &format!("http://{address}"),
                &format!("https://api.weather.example/v1/weather?city={city}"),
            ])
            .env_remove("CURL_CA_BUNDLE")
            .output()
            .expect("curl runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    until("the journal", || {
        std::fs::read_to_string(context.path("s.json.journal")).is_ok_and(|journal| journal.contains("Busan"))
    });
    signal(&child, Signal::KILL);
    child.wait().expect("the child can be waited for");
    assert!(!context.path("s.json").exists());

    context.run(["session", "recover", "s.json"]).expect_code(0).expect_stderr(&["2", "s.json"]);
    let recovered = context.read("s.json");
    assert!(recovered.contains("Seoul") && recovered.contains("Busan"));
    assert!(!context.path("s.json.journal").exists());
}

#[test]
fn o1_sigterm_finishes_the_recording_in_under_a_second() {
    let context = Context::new();
    let api = Api::weather();
    let flags = api.flags(&context);
    let mut child = context
        .command(
            ["proxy", "--listen", "127.0.0.1:0", "--record-session", "s.json", "--ca-dir", "ca"]
                .into_iter()
                .map(str::to_owned)
                .chain(flags),
        )
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
    let address = lines
        .find_map(|line| line.ok()?.strip_prefix("proxy listening on ").map(str::to_owned))
        .expect("the address is announced");
    let output = std::process::Command::new("curl")
        .args(["-sS", "--cacert"])
        .arg(context.path("ca/ca.pem"))
        .args(["--proxy", &format!("http://{address}"), "https://api.weather.example/v1/weather?city=Seoul"])
        .output()
        .expect("curl runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let before = Instant::now();
    signal(&child, Signal::TERM);
    let status = child.wait().expect("the child can be waited for");
    assert!(before.elapsed() < Duration::from_secs(5), "took {:?}", before.elapsed());
    assert_eq!(status.code(), Some(0));
    assert!(context.read("s.json").contains("Seoul"));
}
