//! A capture whose connections are answered with the name of their destination, and then echoed.

use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcpeak_core::accepted::{Accepted, Destination, Origin, Socket};
use mcpeak_sandbox::capture::{Capture, CaptureReport, CaptureSettings};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// No script takes longer; one that does hangs.
const DEADLINE: Duration = Duration::from_mins(1);

/// Helpers that every script has.
const PRELUDE: &str = r#"
import ctypes, errno, fcntl, os, select, socket, struct, subprocess, sys, threading, time
def said(s):
    "The first line that the other side says."
    data = b""
    while not data.endswith(b"\n"):
        more = s.recv(1)
        if not more: break
        data += more
    return data.decode().strip()
def fails(call, *arguments):
    "The name of the error that a call ends with, or what it gives."
    try: return call(*arguments)
    except OSError as error: return errno.errorcode.get(error.errno, str(error))
def dial(host, port, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.connect((host, port))
    return s
def question(name, kind=1):
    labels = b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0"
    return struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + struct.pack(">HH", kind, 1)
def address(answer):
    return socket.inet_ntoa(answer[-4:]) if struct.unpack(">H", answer[6:8])[0] else "none"
"#;

/// A connection as the sink got it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) destination: String,
    pub(crate) program: String,
    pub(crate) pid: u32,
}

/// A running capture.
pub(crate) struct Tree {
    pub(crate) capture: Capture,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Tree {
    pub(crate) async fn start() -> Self {
        Self::with(CaptureSettings::default()).await
    }

    pub(crate) async fn with(settings: CaptureSettings) -> Self {
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let noted = Arc::clone(&seen);
        let sink = Arc::new(move |accepted: Accepted| {
            let Accepted { stream, destination, origin } = accepted;
            let destination = text(&destination.expect("a captured connection has a destination"));
            let Origin::Process { pid, program } = origin else {
                panic!("a captured connection has a process")
            };
            let entry = Seen { destination: destination.clone(), program, pid };
            noted.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
            tokio::spawn(echo(stream, destination));
        });
        let capture = Capture::start(settings, sink).await.expect("capture works here");
        Self { capture, seen }
    }

    /// Around a capture with a sink of its own.
    pub(crate) fn around(capture: Capture) -> Self {
        Self { capture, seen: Arc::default() }
    }

    /// Runs a script to its end.
    pub(crate) async fn python(&self, script: &str) -> Output {
        self.command("python3", &["-c", &format!("{PRELUDE}\n{script}")]).await
    }

    /// What a script prints; it must succeed.
    pub(crate) async fn prints(&self, script: &str) -> String {
        let output = self.python(script).await;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    pub(crate) async fn command(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let child = self.capture.launcher().launch(command).expect("the program starts");
        tokio::time::timeout(DEADLINE, child.wait_with_output())
            .await
            .expect("the program ends in time")
            .expect("the program can be waited for")
    }

    /// Destinations, sorted.
    pub(crate) fn destinations(&self) -> Vec<String> {
        let mut all: Vec<_> = self.seen().into_iter().map(|seen| seen.destination).collect();
        all.sort();
        all
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn stop(self) -> CaptureReport {
        self.capture.stop().await
    }
}

fn text(destination: &Destination) -> String {
    let host = match (&destination.name, destination.address) {
        (Some(name), None) => name.clone(),
        (None, Some(address)) => address.to_string(),
        other => panic!("a name or an address: {other:?}"),
    };
    format!("{host} {}", destination.port)
}

async fn echo(stream: Socket, destination: String) {
    let Socket::Tcp(mut stream) = stream else { panic!("a captured connection is TCP") };
    // The client may be gone; the test looks at what it was told.
    let _ = stream.write_all(format!("{destination}\n").as_bytes()).await;
    let (mut from, mut to) = stream.split();
    let _ = tokio::io::copy(&mut from, &mut to).await;
    let _ = to.shutdown().await;
}

/// Lines as one, for comparisons.
pub(crate) fn lines(all: &[&str]) -> String {
    all.join("\n")
}
