//! In replay no packet of the tree leaves the machine: whatever programs try, on whatever interface.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::world::{HOST, World, installed, line, record, replay};

/// Listens on every interface but loopback, and prints each packet that has to do with the test.
const SNIFFER: &str = r#"
import ipaddress, select, socket, sys
# What is tried, the control, and the addresses of names: others on this machine may use the rest of these networks.
watched = [ipaddress.ip_network(n) for n in (
    "198.51.100.0/28", "203.0.113.1", "203.0.113.53", "203.0.113.99", "28.254.0.0/15", "2001:db8::1", "2001:db8::2")]
packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
print("ready", flush=True)
while True:
    ready, _, _ = select.select([packets, sys.stdin], [], [])
    if packets in ready:
        data, (interface, protocol, *_) = packets.recvfrom(65535)
        if interface == "lo": continue
        to = None
        if protocol == 0x0800 and len(data) >= 20: to = ipaddress.ip_address(data[16:20])
        if protocol == 0x86dd and len(data) >= 40: to = ipaddress.ip_address(data[24:40])
        name = b"\x07capture\x07example" in data
        if name or (to is not None and any(to in n for n in watched if n.version == to.version)):
            print(interface, "look-up" if name else to, flush=True)
    elif sys.stdin in ready: break
"#;

/// Everything that a program could try by itself, none of which is answered.
const ATTEMPTS: &str = r#"
import socket, struct
def attempt(call):
    try: call()
    except OSError: pass
def tcp(family, address):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(5); s.connect(address); s.send(b"GET / HTTP/1.0\r\n\r\n"); s.recv(10)
def udp(family, address): socket.socket(family, socket.SOCK_DGRAM).sendto(b"leak", address)
def connected(address): s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(address); s.send(b"leak")
def raw(): socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).sendto(b"\x08" + bytes(7), ("198.51.100.4", 0))
def ping(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).sendto(b"\x08" + bytes(7), ("198.51.100.5", 0))
def sctp(): socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132).connect(("198.51.100.6", 443))
def packet(): socket.socket(17, socket.SOCK_RAW).send(b"leak")
def fast(): socket.socket().sendto(b"leak", 0x20000000, ("198.51.100.7", 443))
def many():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendmsg([b"leak"], [], 0, ("198.51.100.8", 443))
for call in (
    lambda: tcp(socket.AF_INET, ("198.51.100.1", 443)), lambda: tcp(socket.AF_INET6, ("2001:db8::1", 443)),
    lambda: tcp(socket.AF_INET6, ("::ffff:203.0.113.1", 80)), lambda: udp(socket.AF_INET, ("198.51.100.2", 443)),
    lambda: udp(socket.AF_INET6, ("2001:db8::2", 443)), lambda: udp(socket.AF_INET, ("203.0.113.53", 53)),
    lambda: tcp(socket.AF_INET, ("203.0.113.53", 53)), lambda: connected(("198.51.100.3", 443)), raw, ping, sctp, packet, fast, many,
    lambda: socket.gethostbyname("leak.capture.example"), lambda: tcp(socket.AF_INET, ("leak.capture.example", 25)),
): attempt(call)
print("tried")
"#;

struct Sniffer {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Sniffer {
    fn start() -> Self {
        let mut child = Command::new("/usr/bin/python3")
            .args(["-c", SNIFFER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut first = String::new();
        lines.read_line(&mut first).expect("read");
        assert_eq!(first, "ready\n", "an AF_PACKET socket needs root");
        Self { child, lines }
    }

    /// Sends a packet from outside of the tree, which must be seen, and returns what was seen until then.
    fn until_control(&mut self) -> Vec<String> {
        let control = std::net::UdpSocket::bind("0.0.0.0:0").expect("a socket");
        control
            .send_to(b"control", "203.0.113.99:9")
            .expect("a route to the outside, over which a leak would go");
        let mut seen = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).expect("read"), 0, "the control packet was not seen");
            if line.trim().ends_with("203.0.113.99") {
                return seen;
            }
            seen.push(line.trim().to_owned());
        }
    }
}

impl Drop for Sniffer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        let _ = self.lines.read_to_string(&mut rest);
        let _ = self.child.wait();
    }
}

#[test]
fn nothing_leaves_in_replay() {
    let (https, http) = (format!("https://{HOST}/one"), format!("http://{HOST}/two"));
    let (node, python) = (installed("node/client.mjs"), installed("python/client.py"));
    let (interpreter, java) = (installed("venv/bin/python"), installed("java"));
    let (go, rust) = (installed("go-client"), installed("rust-client"));
    let (ruby, php) = (installed("ruby/client.rb"), installed("php/client.php"));
    let git = "git ls-remote $0 && git ls-remote $1";
    let tree = format!("node {node} fetch $0; (setsid {interpreter} {python} urllib $1 | cat)");
    let clients: Vec<Vec<&str>> = vec![
        vec!["curl", "-sS"],
        vec!["wget", "-nv", "-t1", "-O-"],
        vec!["node", &node, "fetch"],
        vec!["node", &node, "http"],
        vec!["node", &node, "axios"],
        vec!["node", &node, "got"],
        vec!["node", &node, "undici"],
        vec!["node", &node, "resolve"],
        vec![&interpreter, &python, "urllib"],
        vec![&interpreter, &python, "requests"],
        vec![&interpreter, &python, "httpx"],
        vec![&interpreter, &python, "aiohttp"],
        vec![&go],
        vec![&rust, "native"],
        vec!["java", "-cp", &java, "Client", "client"],
        vec!["java", "-cp", &java, "Client", "connection"],
        vec!["ruby", &ruby],
        vec!["php", &php, "streams"],
        vec!["php", &php, "curl"],
        vec!["sh", "-c", git],
        vec!["sh", "-c", &tree],
    ];
    let world = World::new(None);
    let all = format!("curl -sS $0 $1 && {git}");
    record(&world, &["sh", "-c", &all, &https, &http]).expect_code(0);
    let mut sniffer = Sniffer::start();
    assert_eq!(sniffer.until_control(), Vec::<String>::new());
    for client in clients {
        let client = [client, vec![https.as_str(), http.as_str()]].concat();
        replay(&world, &client).expect_code(0);
    }
    for kind in ["ws", "websocket"] {
        replay(&world, &["node", &node, kind, &format!("wss://{HOST}/socket")]).expect_code(1);
    }
    // These find nothing, and end with an error of their own or not: what counts is the wire.
    let attempts = replay(&world, &["/usr/bin/python3", "-c", ATTEMPTS]);
    assert!(attempts.stdout.contains("tried"), "{}{}", attempts.stdout, attempts.stderr);
    assert_eq!(sniffer.until_control(), Vec::<String>::new(), "packets left the machine");
}

#[test]
fn attempts_are_reported() {
    let world = World::with_empty_session();
    let run = world
        .run(&line(&[&[
            "run",
            "--session",
            "s.json",
            "--capture",
            "socket",
            "--",
            "/usr/bin/python3",
            "-c",
            ATTEMPTS,
        ]]))
        .expect_code(1);
    for words in [
        "udp://198.51.100.2:443",
        "udp://198.51.100.3:443",
        "udp://[2001:db8::2]:443",
        "http://198.51.100.1:443",
        "http://203.0.113.1",
        "connections opened by the proxy: 0",
    ] {
        assert!(run.stderr.contains(words), "no {words:?} in {}", run.stderr);
    }
}
