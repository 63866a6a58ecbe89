//! A running server process and its end.

use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::stderr::TailBuffer;
use crate::client::StderrTail;
use crate::error::ProcessExit;

/// How long the end of stderr is waited for once the process is gone: a grandchild may hold the pipe.
const STDERR_GRACE: Duration = Duration::from_millis(200);

/// The streams towards a server.
#[derive(Debug)]
pub struct ServerPipes {
    /// Its input.
    pub stdin: ChildStdin,
    /// Its output.
    pub stdout: ChildStdout,
}

/// How long each step of the end may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// After the end of stdin, before SIGTERM.
    pub after_stdin: Duration,
    /// After SIGTERM, before SIGKILL.
    pub after_term: Duration,
    /// After SIGKILL, before it is given up.
    pub after_kill: Duration,
}

impl Default for Ladder {
    fn default() -> Self {
        let step = Duration::from_millis(500);
        Self { after_stdin: step, after_term: step, after_kill: step }
    }
}

/// How far the ladder had to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The process ended with its input, or had ended before.
    ByItself(ProcessExit),
    /// SIGTERM ended it.
    Terminated(ProcessExit),
    /// SIGKILL ended it.
    Killed(ProcessExit),
    /// It did not even end after SIGKILL.
    Alive,
}

impl Ended {
    /// Code or signal, if it ended.
    pub fn exit(self) -> Option<ProcessExit> {
        match self {
            Self::ByItself(exit) | Self::Terminated(exit) | Self::Killed(exit) => Some(exit),
            Self::Alive => None,
        }
    }
}

/// A process group of our own. Dropping it kills the group; [`ServerProcess::end`] is the orderly way.
#[derive(Debug)]
pub struct ServerProcess {
    group: Group,
    exit: watch::Receiver<Option<ProcessExit>>,
    stderr: TailBuffer,
    stderr_ended: CancellationToken,
    tasks: Mutex<JoinSet<()>>,
}

impl ServerProcess {
    /// Takes over a child whose three streams are pipes; `None` if one is missing.
    pub(super) fn adopt(mut child: Child) -> Option<(Self, ServerPipes)> {
        let pipes = ServerPipes { stdin: child.stdin.take()?, stdout: child.stdout.take()? };
        let stderr_pipe = child.stderr.take()?;
        let stderr = TailBuffer::default();
        let stderr_ended = CancellationToken::new();
        let kill = CancellationToken::new();
        let group = Group { id: child.id(), kill: kill.clone() };
        let (exit_sender, exit) = watch::channel(None);
        let mut tasks = JoinSet::new();
        let ended = stderr_ended.clone().drop_guard();
        let filling = stderr.clone().fill(stderr_pipe);
        tasks.spawn(async move {
            filling.await;
            drop(ended);
        });
        tasks.spawn(async move {
            let exit = observe(child, kill).await;
            exit_sender.send_replace(Some(exit));
        });
        Some((Self { group, exit, stderr, stderr_ended, tasks: Mutex::new(tasks) }, pipes))
    }

    /// How it ended; `None` while it runs.
    pub fn exit(&self) -> Option<ProcessExit> {
        *self.exit.borrow()
    }

    /// The end of what it wrote to stderr.
    pub fn stderr(&self) -> StderrTail {
        self.stderr.tail()
    }

    /// Waits until it ends.
    pub async fn ended(&self) -> ProcessExit {
        let mut exit = self.exit.clone();
        match exit.wait_for(Option::is_some).await.map(|exit| *exit) {
            Ok(Some(exit)) => exit,
            // The observer is gone only together with this value.
            _ => ProcessExit::default(),
        }
    }

    /// Waits until it ends, at most `patience`; then also for the rest of stderr.
    pub async fn ended_within(&self, patience: Duration) -> Option<ProcessExit> {
        let exit = timeout(patience, self.ended()).await.ok()?;
        let _ = timeout(STDERR_GRACE, self.stderr_ended.cancelled()).await;
        Some(exit)
    }

    /// The close ladder, to be called once stdin is closed: wait, SIGTERM to the group, wait, SIGKILL to the group, wait.
    /// Each step ends as soon as the process does. Whatever is left of the group then is killed.
    pub async fn end(&self, ladder: Ladder) -> Ended {
        if let Some(exit) = self.within(ladder.after_stdin).await {
            return self.finish(Ended::ByItself(exit)).await;
        }
        self.group.signal(Signal::Terminate);
        if let Some(exit) = self.within(ladder.after_term).await {
            return self.finish(Ended::Terminated(exit)).await;
        }
        self.kill(ladder).await
    }

    /// Straight to SIGKILL.
    pub async fn kill(&self, ladder: Ladder) -> Ended {
        if let Some(exit) = self.exit() {
            return self.finish(Ended::ByItself(exit)).await;
        }
        self.group.signal(Signal::Kill);
        match self.within(ladder.after_kill).await {
            Some(exit) => self.finish(Ended::Killed(exit)).await,
            None => Ended::Alive,
        }
    }

    async fn within(&self, patience: Duration) -> Option<ProcessExit> {
        timeout(patience, self.ended()).await.ok()
    }

    async fn finish(&self, ended: Ended) -> Ended {
        self.group.signal(Signal::Kill);
        let until = Instant::now() + STDERR_GRACE;
        let _ = timeout_at(until, self.stderr_ended.cancelled()).await;
        let mut tasks = self.tasks.lock().await;
        tasks.abort_all();
        while tasks.join_next().await.is_some() {}
        ended
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.exit().is_none() {
            self.group.signal(Signal::Kill);
        }
    }
}

async fn observe(mut child: Child, kill: CancellationToken) -> ProcessExit {
    let status = tokio::select! {
        status = child.wait() => status,
        () = kill.cancelled() => {
            // On POSIX the group was signalled already; elsewhere this is the only way.
            let _ = child.start_kill();
            child.wait().await
        }
    };
    let Ok(status) = status else { return ProcessExit::default() };
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    ProcessExit { code: status.code(), signal }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Signal {
    Terminate,
    Kill,
}

#[derive(Debug)]
struct Group {
    id: Option<u32>,
    kill: CancellationToken,
}

impl Group {
    /// Signals the whole group. That it may be gone is no error.
    fn signal(&self, signal: Signal) {
        #[cfg(unix)]
        if let Some(id) =
            self.id.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
        {
            let number = match signal {
                Signal::Terminate => rustix::process::Signal::TERM,
                Signal::Kill => rustix::process::Signal::KILL,
            };
            let _ = rustix::process::kill_process_group(id, number);
        }
        if signal == Signal::Kill || cfg!(not(unix)) {
            self.kill.cancel();
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::io::{AsyncBufReadExt, BufReader};
    use tokio::time::Instant;

    use super::{Ended, Ladder, ServerPipes, ServerProcess};
    use crate::process::{Environment, ProcessSpec, Unwatched, start};

    const SHORT: Ladder = Ladder {
        after_stdin: Duration::from_millis(200),
        after_term: Duration::from_millis(200),
        after_kill: Duration::from_secs(5),
    };

    /// Starts a script and waits for its first line.
    async fn script(text: &str) -> (ServerProcess, ServerPipes, String) {
        let spec = ProcessSpec {
            executable: "sh".to_owned(),
            args: vec!["-c".to_owned(), text.to_owned()],
            cwd: None,
            environment: Environment::default(),
            launcher: Arc::new(Unwatched),
        };
        let (process, mut pipes) = start(&spec).unwrap();
        let mut line = String::new();
        BufReader::new(&mut pipes.stdout).read_line(&mut line).await.unwrap();
        (process, pipes, line.trim().to_owned())
    }

    #[tokio::test]
    async fn a_server_that_ends_with_its_input_is_not_waited_for() {
        let (process, pipes, _) = script("echo up; cat >/dev/null; echo bye >&2; exit 3").await;
        drop(pipes);
        let patient = Ladder { after_stdin: Duration::from_mins(1), ..SHORT };
        let before = Instant::now();
        let Ended::ByItself(exit) = process.end(patient).await else { panic!("it was forced") };
        assert!(before.elapsed() < Duration::from_secs(20));
        assert_eq!((exit.code, exit.signal), (Some(3), None));
        assert_eq!(process.stderr().text, "bye\n");
    }

    #[tokio::test]
    async fn sigterm_comes_second() {
        let (process, pipes, _) = script("trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done").await;
        drop(pipes);
        let ladder = Ladder { after_term: Duration::from_secs(20), ..SHORT };
        let Ended::Terminated(exit) = process.end(ladder).await else { panic!("not terminated") };
        assert_eq!(exit.code, Some(7));
    }

    #[tokio::test]
    async fn sigkill_takes_the_whole_group() {
        let (process, pipes, child) = script(
            "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $!; while :; do sleep 1; done",
        )
        .await;
        drop(pipes);
        let Ended::Killed(exit) = process.end(SHORT).await else { panic!("not killed") };
        assert_eq!(exit.signal, Some(9));
        let stat = format!("/proc/{child}/stat");
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            // Gone, or a zombie that whoever adopted it has not reaped yet.
            match std::fs::read_to_string(&stat) {
                Ok(text) if !text.contains(") Z ") && !text.contains(") X ") => {
                    assert!(Instant::now() < until, "the grandchild lives: {text}");
                    tokio::task::yield_now().await;
                }
                _ => break,
            }
        }
    }

    #[tokio::test]
    async fn a_process_that_ended_before_keeps_its_exit() {
        let (process, _pipes, _) = script("echo up; exit 5").await;
        assert_eq!(process.ended_within(Duration::from_secs(20)).await.unwrap().code, Some(5));
        assert_eq!(process.end(SHORT).await.exit().unwrap().code, Some(5));
        assert_eq!(process.end(SHORT).await.exit().unwrap().code, Some(5));
    }
}
