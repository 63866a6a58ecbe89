//! Connections that are not the usual ones: IPv6, halves that are closed early, and destinations that never answer.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::world::{HOST, Origin, World, line, record, record_from, recording, replay};

const PYTHON: &str = "/usr/bin/python3";

#[test]
fn ports_of_other_programs_are_recorded_by_their_address_in_every_form() {
    let world = World::new(None);
    let origin = Origin::start();
    let port = origin.plain_address().port();
    let urls = [format!("http://127.0.0.1:{port}/one"), format!("http://[::ffff:127.0.0.1]:{port}/two")];
    let client = ["curl", "-sS", &urls[0], &urls[1]];
    let recorded = record_from(origin, &world, &client).expect_code(0);
    assert_eq!(recorded.stdout, "http answers /onehttp answers /two");
    recorded.expect_stderr(&[
        &format!("http://127.0.0.1:{port}  1 recorded"),
        &format!("http://[::ffff:127.0.0.1]:{port}  1 recorded"),
    ]);
    assert_eq!(replay(&world, &client).expect_code(0).stdout, "http answers /onehttp answers /two");
}

#[test]
fn ipv6_addresses_are_replayed_whether_the_machine_has_ipv6_or_not() {
    let world = World::new(None);
    let exchanges: Vec<_> = ["[2001:db8::1]", "[::1]:9"]
        .map(|host| {
            serde_json::json!({
                "request": { "method": "GET", "url": format!("http://{host}/"), "headers": [], "body": null },
                "response": {
                    "status": 200, "reason": "OK", "headers": [["content-length", host.len().to_string()]],
                    "framing": "content-length", "body": { "text": host },
                },
            })
        })
        .into();
    let session =
        serde_json::json!({ "format": "mcpeak-session", "version": 1, "rules": [], "exchanges": exchanges });
    world.write("s.json", &session.to_string());
    let run = replay(&world, &["curl", "-gsS", "http://[2001:db8::1]/", "http://[::1]:9/"]).expect_code(0);
    assert_eq!(run.stdout, "[2001:db8::1][::1]:9");
    run.expect_stderr(&["http://[2001:db8::1]  1 replayed", "http://[::1]:9  1 replayed"]);
}

/// Sends what it is told, closes that half, and reads to the end.
const HALF: &str = r#"
import socket, sys
host, port, text = sys.argv[1:]
s = socket.create_connection((host, int(port)), timeout=30)
s.sendall(text.encode()); s.shutdown(socket.SHUT_WR)
answer = b""
while piece := s.recv(4096): answer += piece
print(answer.decode().splitlines()[-1])
"#;

#[test]
fn in_replay_a_request_whose_half_is_closed_is_answered() {
    let world = World::new(None);
    record(&world, &["curl", "-sS", &format!("http://{HOST}/two")]).expect_code(0);
    let request = format!("GET /two HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\n\r\n");
    let replayed = replay(&world, &[PYTHON, "-c", HALF, HOST, "80", &request]).expect_code(0);
    assert_eq!(replayed.stdout, "http answers /two\n", "{}", replayed.stderr);
}

#[test]
fn a_tunnel_passes_the_end_of_each_half_on() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // It answers once it has seen the end, and with the length of what came before.
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("read");
        writeln!(stream, "{} bytes", text.len()).expect("written");
    });
    let world = World::new(None);
    let flags = line(&[&["--resolve", &format!("queue.capture.example:7000:{address}")]]);
    let client = [PYTHON, "-c", HALF, "queue.capture.example", "7000", "\u{1}not http"];
    let run = world.run(&recording(&flags, &client)).expect_code(0);
    server.join().expect("answered");
    assert_eq!(run.stdout, "9 bytes\n");
    run.expect_stderr(&["tcp://queue.capture.example:7000  1 tunnelled"]);
}

/// A destination whose queue of connections is full: the next handshake is never answered.
struct Hole {
    address: SocketAddr,
    _listener: TcpListener,
    _queue: Vec<TcpStream>,
}

impl Hole {
    fn dig() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(300)).ok();
        let queue = std::iter::from_fn(connect).collect();
        Self { address, _listener: listener, _queue: queue }
    }
}

#[test]
fn a_destination_that_never_answers_is_given_up_when_the_program_says() {
    let hole = Hole::dig();
    let world = World::new(None);
    let flags = line(&[&[
        "--resolve",
        &format!("hole.capture.example:443:{}", hole.address),
        "--resolve",
        &format!("hole.capture.example:80:{}", hole.address),
    ]]);
    let script = r#"
import subprocess, sys, time, urllib.request
url = "://hole.capture.example/"
def timed(call):
    start = time.monotonic(); result = call()
    return result, 0.8 < time.monotonic() - start < 15
def python():
    try: return urllib.request.urlopen("https" + url, timeout=1).status
    except OSError as error: return str(getattr(error, "reason", error))
def run(*command): return subprocess.run(command, stderr=subprocess.DEVNULL).returncode
fetch = "fetch('http%s', { signal: AbortSignal.timeout(1000) }).then(() => process.exit(0), error => process.exit(error.name === 'TimeoutError' ? 7 : 1))" % url
print(*timed(lambda: run("curl", "-sS", "--max-time", "1", "https" + url)))
print(*timed(lambda: run("curl", "-sS", "--max-time", "1", "http" + url)))
print(*timed(python))
print(*timed(lambda: run("node", "-e", fetch)))
"#;
    let start = std::time::Instant::now();
    let run = world.run(&recording(&flags, &[PYTHON, "-c", script])).expect_code(0);
    assert!(run.stdout.starts_with("28 True\n28 True\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("timed out True\n7 True\n"), "{}", run.stdout);
    // mcpeak does not wait for what nobody wants any more.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    run.expect_stderr(&["4 calls did not end and are not in the file"]);
}
