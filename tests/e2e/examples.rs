//! What is shipped under `examples/` does what its pages say.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::support::Context;
use crate::support::context::repository;

fn example(path: &str) -> String {
    repository("examples/weather").join(path).display().to_string()
}

fn rust_server() -> String {
    std::env::var("WEATHER_RUST")
        .expect("WEATHER_RUST names the built server of examples/weather/rust; `bash tests/run.sh` builds it")
}

fn servers() -> [Vec<String>; 3] {
    [
        vec!["node".to_owned(), example("node/server.mjs")],
        vec!["python3".to_owned(), example("python/server.py")],
        vec![rust_server()],
    ]
}

fn line(flags: &[&str], server: &[String]) -> Vec<String> {
    let mut line = vec!["test".to_owned(), example("weather.suite.json")];
    line.extend(flags.iter().map(ToString::to_string));
    line.push("--".to_owned());
    line.extend(server.iter().cloned());
    line
}

#[test]
fn the_shipped_recording_serves_all_three_servers() {
    let context = Context::new();
    let session = example("weather.session.json");
    // Only the Node server asks for its sums, and by a client that knows no proxy.
    for (server, replayed) in
        servers().iter().zip(["6 outbound calls", "4 outbound calls", "4 outbound calls"])
    {
        let run = context.run(line(&["--session", &session], server)).expect_code(0);
        assert!(run.stdout.contains("12 passed"), "{}", run.stdout);
        run.expect_stderr(&[&format!("{replayed} replayed"), "connections opened by the proxy: 0"]);
    }
}

/// Ends the stand-in with the test.
struct StandIn(Child);

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn f2_recording_the_example_again_changes_no_byte() {
    let context = Context::new();
    let mut api = Command::new("node")
        .args([&example("api/server.mjs"), "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .map(StandIn)
        .expect("node starts");
    let mut lines = BufReader::new(api.0.stdout.take().expect("stdout is piped")).lines();
    let url = lines.next().expect("the stand-in says where it is").expect("UTF-8");
    let port = url.rsplit(':').next().expect("a port");
    let shipped = std::fs::read_to_string(example("weather.session.json")).expect("the shipped recording");
    context.write("weather.session.json", &shipped);
    let resolve = format!("api.weather.example:443:127.0.0.1:{port}");
    let flags = [
        "--record-session",
        "weather.session.json",
        "--force",
        "--upstream-ca",
        &example("api/tls/ca.pem"),
        "--resolve",
        &resolve,
    ];
    context.run(line(&flags, &servers()[0])).expect_code(0);
    assert_eq!(context.read("weather.session.json"), shipped);
}
