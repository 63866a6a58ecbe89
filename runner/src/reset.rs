//! The reset command: run before each pass to bring the server's state back.

use std::fmt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use mcpeak_core::locale::Locale;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::report::signal_name;
use crate::text;

/// How long a reset command may take.
pub const RESET_LIMIT: Duration = Duration::from_mins(1);

/// How long its output may stay open after its end, held by a process that it left behind.
const OUTPUT_GRACE: Duration = Duration::from_millis(500);

/// The end of stderr that is kept, in bytes.
const MAX_STDERR: usize = 8 * 1024;

/// Lines of stderr that an error repeats.
const ERROR_LINES: usize = 3;

/// A command without a shell: an executable and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetCommand {
    source: String,
    executable: String,
    arguments: Vec<String>,
}

/// A reset that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetError {
    /// The command, as the user wrote it.
    pub command: String,
    /// What happened.
    pub kind: ResetErrorKind,
}

/// What happened to a reset command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResetErrorKind {
    /// There is none.
    Empty,
    /// The quote around the executable has no end.
    UnclosedQuote,
    /// It could not be started.
    StartFailed {
        /// The system's words.
        message: String,
    },
    /// It did not end in time and was killed.
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The run was interrupted meanwhile; the command was killed.
    Interrupted,
    /// It ended with a failure.
    Failed {
        /// Exit code.
        code: Option<i32>,
        /// Signal name.
        signal: Option<String>,
        /// The last lines of its stderr.
        stderr: Vec<String>,
    },
}

impl ResetCommand {
    /// Splits at white space. Only the executable may stand in double quotes; any other quote is literal.
    pub fn parse(source: &str) -> Result<Self, ResetError> {
        let failed = |kind| Err(ResetError { command: source.trim().to_owned(), kind });
        let trimmed = source.trim();
        let (executable, rest) = if let Some(quoted) = trimmed.strip_prefix('"') {
            match quoted.split_once('"') {
                Some((executable, rest)) => (executable, rest),
                None => return failed(ResetErrorKind::UnclosedQuote),
            }
        } else {
            trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""))
        };
        if executable.trim().is_empty() {
            return failed(ResetErrorKind::Empty);
        }
        Ok(Self {
            source: trimmed.to_owned(),
            executable: executable.to_owned(),
            arguments: rest.split_whitespace().map(str::to_owned).collect(),
        })
    }

    /// Runs it once, within [`RESET_LIMIT`].
    pub async fn run(&self, cancel: &CancellationToken) -> Result<(), ResetError> {
        self.run_within(RESET_LIMIT, cancel).await
    }

    async fn run_within(&self, limit: Duration, cancel: &CancellationToken) -> Result<(), ResetError> {
        let mut child = self.start()?;
        let mut tail = Vec::new();
        let stderr = child.stderr.take();
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ResetErrorKind::Interrupted),
            ended = tokio::time::timeout(limit, end(&mut child, stderr, &mut tail)) => match ended {
                Ok(Ok(status)) => Ok(status),
                Ok(Err(error)) => Err(ResetErrorKind::StartFailed { message: error.to_string() }),
                Err(_) => Err(ResetErrorKind::TimedOut { seconds: limit.as_secs() }),
            },
        };
        let kind = match ended {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => failure(status, &tail),
            Err(kind) => {
                kill(&mut child).await;
                kind
            }
        };
        Err(self.error(kind))
    }

    fn start(&self) -> Result<Child, ResetError> {
        let mut command = Command::new(&self.executable);
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        mcpeak_core::process::spawn(&mut command)
            .map_err(|error| self.error(ResetErrorKind::StartFailed { message: error.to_string() }))
    }

    fn error(&self, kind: ResetErrorKind) -> ResetError {
        ResetError { command: self.source.clone(), kind }
    }
}

impl ResetError {
    /// Stable code.
    pub const CODE: &'static str = "RESET_COMMAND_FAILED";

    /// What happened. Text from outside in it is not escaped for a terminal.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).reset_error(&self.command, &self.kind).message
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).reset_error(&self.command, &self.kind).hint
    }
}

impl fmt::Display for ResetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message(Locale::En))
    }
}

impl std::error::Error for ResetError {}

async fn end(
    child: &mut Child,
    stderr: Option<impl AsyncRead + Unpin>,
    tail: &mut Vec<u8>,
) -> std::io::Result<ExitStatus> {
    let read = keep_tail(stderr, tail);
    tokio::pin!(read);
    tokio::select! {
        () = &mut read => child.wait().await,
        status = child.wait() => {
            // A process left behind may hold the pipe open for ever.
            let _ = tokio::time::timeout(OUTPUT_GRACE, &mut read).await;
            status
        }
    }
}

async fn keep_tail(stderr: Option<impl AsyncRead + Unpin>, tail: &mut Vec<u8>) {
    let Some(mut stderr) = stderr else { return };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.extend_from_slice(&buffer[..count]);
        let surplus = tail.len().saturating_sub(MAX_STDERR);
        tail.drain(..surplus);
    }
}

fn failure(status: ExitStatus, tail: &[u8]) -> ResetErrorKind {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(signal_name);
    #[cfg(not(unix))]
    let signal = None;
    let text = String::from_utf8_lossy(tail);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let stderr =
        lines[lines.len().saturating_sub(ERROR_LINES)..].iter().map(|line| (*line).to_owned()).collect();
    ResetErrorKind::Failed { code: status.code(), signal, stderr }
}

/// Kills the command with what it started, and waits until it is gone.
async fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) =
        child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
    {
        // The group may be gone already; then there is nothing to kill.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = tokio::time::timeout(Duration::from_secs(2), child.kill()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(source: &str) -> (String, Vec<String>) {
        let command = ResetCommand::parse(source).unwrap();
        (command.executable, command.arguments)
    }

    #[test]
    fn only_the_executable_may_be_quoted() {
        let owned = |list: &[&str]| list.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        assert_eq!(parts("  rm  -rf\tx "), ("rm".to_owned(), owned(&["-rf", "x"])));
        assert_eq!(parts("\"my tool\" \"a b\""), ("my tool".to_owned(), owned(&["\"a", "b\""])));
        assert_eq!(ResetCommand::parse("  ").unwrap_err().kind, ResetErrorKind::Empty);
        assert_eq!(ResetCommand::parse("\"\" x").unwrap_err().kind, ResetErrorKind::Empty);
        assert_eq!(ResetCommand::parse("\"x").unwrap_err().kind, ResetErrorKind::UnclosedQuote);
    }

    /// A script file: the command is not given to a shell, so a test needs one that is.
    fn script(body: &str) -> (tempfile::TempDir, ResetCommand) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reset.sh");
        std::fs::write(&path, body).unwrap();
        let command = ResetCommand::parse(&format!("/bin/sh {}", path.display())).unwrap();
        (folder, command)
    }

    #[tokio::test]
    async fn success_and_failure() {
        let cancel = CancellationToken::new();
        let (_folder, command) = script("exit 0");
        assert_eq!(command.run(&cancel).await, Ok(()));
        let (_folder, command) = script("for i in 1 2 3 4; do echo line $i >&2; done; exit 7");
        let error = command.run(&cancel).await.unwrap_err();
        let stderr = ["line 2", "line 3", "line 4"].map(str::to_owned).to_vec();
        assert_eq!(error.kind, ResetErrorKind::Failed { code: Some(7), signal: None, stderr });
        assert!(error.message(Locale::Ko).contains("종료 코드 7"), "{}", error.message(Locale::Ko));
        let missing = ResetCommand::parse("/nowhere/reset").unwrap().run(&cancel).await.unwrap_err();
        assert!(matches!(missing.kind, ResetErrorKind::StartFailed { .. }), "{missing:?}");
    }

    #[tokio::test]
    async fn a_command_that_hangs_is_killed_with_its_children() {
        let cancel = CancellationToken::new();
        let (_folder, command) = script("sleep 600 & sleep 600");
        let error = command.run_within(Duration::from_millis(300), &cancel).await.unwrap_err();
        assert_eq!(error.kind, ResetErrorKind::TimedOut { seconds: 0 });
        cancel.cancel();
        let error = command.run(&cancel).await.unwrap_err();
        assert_eq!(error.kind, ResetErrorKind::Interrupted);
    }

    #[tokio::test]
    async fn a_process_left_behind_does_not_hold_the_run() {
        let (_folder, command) = script("sleep 5 & exit 0");
        let ended =
            tokio::time::timeout(Duration::from_secs(4), command.run(&CancellationToken::new())).await;
        assert_eq!(ended, Ok(Ok(())));
    }
}
