//! WebSocket clients: passed on unread while recording, refused in replay; never let out, never answered by guess.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::world::{HOST, World, installed, line, recording, replay};

/// A server that echoes, with and without TLS.
struct Echo {
    child: Child,
    flags: Vec<String>,
}

impl Echo {
    fn start(world: &World) -> Self {
        let certified = rcgen::generate_simple_self_signed(vec![HOST.to_owned()]).expect("a certificate");
        let certificate = world.write("echo.pem", &certified.cert.pem());
        let key = world.write("echo.key", &certified.signing_key.serialize_pem());
        let mut child = Command::new("node")
            .arg(installed("node/echo.mjs"))
            .args([&certificate, &key])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node starts");
        let mut ports = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut ports).expect("read");
        let (tls, plain) = ports.trim().split_once(' ').expect("two ports");
        let flags = line(&[&[
            "--upstream-ca",
            &certificate.display().to_string(),
            "--resolve",
            &format!("{HOST}:443:127.0.0.1:{tls}"),
            "--resolve",
            &format!("{HOST}:80:127.0.0.1:{plain}"),
        ]]);
        Self { child, flags }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[track_caller]
fn is_passed_on_and_not_replayed(kind: &str) {
    let script = installed("node/client.mjs");
    let (secure, plain) = (format!("wss://{HOST}/one"), format!("ws://{HOST}/two"));
    let client = ["node", &script, kind, &secure, &plain];
    let world = World::new(None);
    let echo = Echo::start(&world);
    let recorded = world.run(&recording(&echo.flags, &client)).expect_code(0);
    drop(echo);
    assert_eq!(recorded.stdout, format!("101 hello to {HOST}/one\n101 hello to {HOST}/two\n"));
    recorded
        .expect_stderr(&[&format!("https://{HOST}  1 tunnelled"), &format!("http://{HOST}  1 tunnelled")]);
    for url in [&secure, &plain] {
        let replayed = replay(&world, &["node", &script, kind, url]).expect_code(1);
        assert_eq!(replayed.stdout, "");
        let asked = format!("GET {}", url.replacen("ws", "http", 1));
        replayed.expect_stderr(&[&asked, "1 call without a recording", "connections opened by the proxy: 0"]);
    }
}

#[test]
fn ws_is_passed_on_while_recording_and_refused_in_replay() {
    is_passed_on_and_not_replayed("ws");
}

#[test]
fn undicis_websocket_is_passed_on_while_recording_and_refused_in_replay() {
    is_passed_on_and_not_replayed("websocket");
}
