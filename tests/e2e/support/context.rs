//! A folder of its own, the binary, a cleared environment.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// No run of a test takes longer; a run that does is a hang.
const DEADLINE: Duration = Duration::from_mins(2);

/// What a run of the binary left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The run must have ended with this code.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Every text must be in stderr.
    #[track_caller]
    pub(crate) fn expect_stderr(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(
                self.stderr.contains(text),
                "no {text:?} in stderr:\n{}\nstdout:\n{}",
                self.stderr,
                self.stdout
            );
        }
        self
    }

    /// Every text must be in stdout.
    #[track_caller]
    pub(crate) fn expect_stdout(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(
                self.stdout.contains(text),
                "no {text:?} in stdout:\n{}\nstderr:\n{}",
                self.stdout,
                self.stderr
            );
        }
        self
    }
}

/// A folder that goes away with the test.
pub(crate) struct Context {
    folder: tempfile::TempDir,
}

impl Context {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("folder");
        std::fs::write(&path, contents).expect("file written");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The binary in this folder with nothing inherited but PATH.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpeak"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        finish(self.command(arguments).spawn().expect("the binary starts"))
    }
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a prepared command to its end.
pub(crate) fn run_command(mut command: Command) -> Run {
    finish(command.spawn().expect("the command starts"))
}

/// Collects the output of a child and waits for it, with a deadline.
pub(crate) fn finish(mut child: Child) -> Run {
    let mut stdout = child.stdout.take().expect("stdout is piped");
    let mut stderr = child.stderr.take().expect("stderr is piped");
    let (sender, receiver) = mpsc::channel();
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr.read_to_end(&mut bytes).map(|_| bytes)
    });
    let id = child.id();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes).map(|_| bytes);
        // The receiver is gone when the deadline has passed; the test has failed then.
        let _ = sender.send((read, child.wait()));
    });
    let Ok((stdout, status)) = receiver.recv_timeout(DEADLINE) else {
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_raw(i32::try_from(id).expect("a pid")).expect("a pid"),
            rustix::process::Signal::KILL,
        );
        panic!("the run did not end within {DEADLINE:?}");
    };
    Run {
        code: status.expect("the child can be waited for").code(),
        stdout: String::from_utf8(stdout.expect("stdout can be read")).expect("stdout is UTF-8"),
        stderr: String::from_utf8(errors.join().expect("the reader ends").expect("stderr can be read"))
            .expect("stderr is UTF-8"),
    }
}
