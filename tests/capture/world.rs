//! A folder that everybody may use, an origin with and without TLS, and mcpeak where other users can run it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::e2e::api::{Api, Asked};
use crate::e2e::context::{Run, finish};

/// Not root, and nobody in particular.
pub(crate) const ORDINARY: u32 = 65534;
/// The origin's name, which does not exist.
pub(crate) const HOST: &str = "api.capture.example";
/// What Debian's own programs need; a user's tools may be closed to other users.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The installed clients.
pub(crate) fn installed(path: &str) -> String {
    let folder = std::env::var("MCPEAK_TEST_CLIENTS").expect(
        "MCPEAK_TEST_CLIENTS names the folder of the clients; `bash tests/clients/install.sh FOLDER` fills it",
    );
    format!("{folder}/{path}")
}

/// The binary, where every user can reach it.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let copy = PathBuf::from(installed(&format!("mcpeak-{}", std::process::id())));
    std::fs::copy(env!("CARGO_BIN_EXE_mcpeak"), &copy).expect("the binary is copied");
    let named = PathBuf::from(installed("mcpeak"));
    std::fs::rename(&copy, &named).expect("the copy is named");
    named
});

/// One test's surroundings.
pub(crate) struct World {
    folder: tempfile::TempDir,
    user: Option<u32>,
}

impl World {
    pub(crate) fn new(user: Option<u32>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).expect("opened");
        Self { folder, user }
    }

    /// With a session that holds nothing, for what is not about recordings.
    pub(crate) fn with_empty_session() -> Self {
        let world = Self::new(None);
        world.write("s.json", r#"{"format":"mcpeak-session","version":1,"rules":[],"exchanges":[]}"#);
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// mcpeak in this folder, as this world's user.
    pub(crate) fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(BINARY.as_path());
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", self.folder.path())
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[String]) -> Run {
        finish(self.command(arguments).spawn().expect("mcpeak starts"))
    }
}

/// A line of arguments.
pub(crate) fn line(parts: &[&[&str]]) -> Vec<String> {
    parts.concat().into_iter().map(str::to_owned).collect()
}

/// The origin: `https` and `http`, and it says whom it was taken for.
pub(crate) struct Origin {
    api: Api,
    plain: Plain,
    names: Vec<String>,
}

impl Origin {
    pub(crate) fn start() -> Self {
        Self::named(HOST, vec![HOST.to_owned()])
    }

    /// One origin for several names, all of which `certified` covers.
    pub(crate) fn named(certified: &'static str, names: Vec<String>) -> Self {
        Self { api: Api::start(certified, answer), plain: Plain::start(), names }
    }

    /// Where http is answered.
    pub(crate) fn plain_address(&self) -> SocketAddr {
        self.plain.address
    }

    /// Flags that lead the recorder here.
    pub(crate) fn flags(&self, world: &World) -> Vec<String> {
        let authority = world.write("authority.pem", &self.api.ca_pem);
        let mut flags = line(&[&["--upstream-ca", &authority.display().to_string()]]);
        for name in &self.names {
            let rules =
                [format!("{name}:443:{}", self.api.address), format!("{name}:80:{}", self.plain.address)];
            flags.extend(rules.into_iter().flat_map(|rule| ["--resolve".to_owned(), rule]));
        }
        flags
    }

    pub(crate) fn stop(mut self) {
        self.api.stop();
        self.plain.stop();
    }
}

fn answer(asked: &Asked) -> hyper::Response<http_body_util::Full<bytes::Bytes>> {
    let (kind, body) = body("https", &asked.host, &asked.path);
    hyper::Response::builder()
        .header("content-type", kind)
        .body(http_body_util::Full::new(bytes::Bytes::from(body)))
        .expect("a response")
}

/// What is answered to a path: an advertisement for git, the name that was asked, else a sentence.
fn body(scheme: &str, host: &str, path: &str) -> (&'static str, String) {
    if path.ends_with("/info/refs") {
        let reference = format!("{} HEAD\0 symref=HEAD:refs/heads/main\n", "ab".repeat(20));
        let body = format!("001e# service=git-upload-pack\n0000{:04x}{reference}0000", reference.len() + 4);
        return ("application/x-git-upload-pack-advertisement", body);
    }
    let body = if path == "/name" { format!("{scheme} {host}") } else { format!("{scheme} answers {path}") };
    ("text/plain", body)
}

/// HTTP/1.1 without TLS, one request a connection.
struct Plain {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Plain {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stopped);
        let thread = std::thread::spawn(move || {
            let mut answering = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if seen.load(Ordering::SeqCst) {
                    break;
                }
                // One thread each: the recorder may open a connection on which it never asks.
                answering.push(std::thread::spawn(move || answer_plain(stream)));
            }
            drop(listener);
            for thread in answering {
                thread.join().expect("the origin did not break");
            }
        });
        Self { address, stopped, thread: Some(thread) }
    }

    fn stop(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.stopped.store(true, Ordering::SeqCst);
            // Wakes the loop.
            drop(TcpStream::connect(self.address));
            thread.join().expect("the origin did not break");
        }
    }
}

/// Answers one request, if there is one.
fn answer_plain(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a copy")).lines();
    let Some(Ok(request)) = lines.next() else { return };
    let fields: Vec<_> = lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let host = fields.iter().filter_map(|field| field.split_once(": "));
    let host = host.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, value)| value).next();
    let target = request.split(' ').nth(1).unwrap_or("/");
    let (kind, body) = body("http", host.unwrap_or_default(), target.split('?').next().unwrap_or_default());
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // The proxy may be gone already; the test looks at what its client got.
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.read(&mut [0; 64]);
}

/// A recording, made with this world's user; the origin is gone then.
pub(crate) fn record(world: &World, client: &[&str]) -> Run {
    record_from(Origin::start(), world, client)
}

/// A recording of this origin, which is gone then.
pub(crate) fn record_from(origin: Origin, world: &World, client: &[&str]) -> Run {
    let run = world.run(&recording(&origin.flags(world), client));
    origin.stop();
    run
}

/// The line of a recording.
pub(crate) fn recording(flags: &[String], client: &[&str]) -> Vec<String> {
    let start = line(&[&["run", "--record-session", "s.json", "--capture", "socket"]]);
    [&start, flags, &line(&[&["--"], client])].concat()
}

/// A replay.
pub(crate) fn replay(world: &World, client: &[&str]) -> Run {
    world.run(&line(&[&["run", "--session", "s.json", "--capture", "socket", "--"], client]))
}
