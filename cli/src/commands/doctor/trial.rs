//! One trial: a program of a runtime asks, and gets the recorded answer or not.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use mcpeak_core::process::{Launch, Unwatched};
use tokio::process::Command;

use super::runtimes::{NOT_INSTALLED, Runtime};
use super::{ANSWER, HOST};
use crate::ingress::variables::Variables;

/// Go compiles its standard library the first time.
const DEADLINE: Duration = Duration::from_mins(3);
/// What a runtime says of itself is cut here.
const LONGEST: usize = 300;

/// A runtime and what it is tried with.
pub(super) struct Trial<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) executable: &'a Path,
    /// For files of the trial.
    pub(super) folder: &'a Path,
    pub(super) variables: &'a Variables,
}

/// What a trial showed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The recorded answer came.
    Answered,
    /// The library that it is about is not installed, or the runtime cannot compile.
    Missing,
    /// Something else; the words are the program's.
    Failed(String),
}

impl Trial<'_> {
    /// The first line of what the runtime says about its version.
    pub(super) async fn version(&self) -> String {
        let mut command = self.command();
        command.args(self.runtime.version);
        let words = match output(command, &Unwatched).await {
            Ok(output) => [output.stdout, output.stderr].concat(),
            Err(_) => Vec::new(),
        };
        let words = String::from_utf8_lossy(&words).into_owned();
        let line = words.lines().find(|line| !line.starts_with("Picked up")).unwrap_or("?");
        // Curl goes on with every library that it was built with.
        short(line.split(" (").next().unwrap_or(line))
    }

    /// Runs the program and looks at what it printed.
    pub(super) async fn run(&self, launcher: &dyn Launch) -> Verdict {
        let url = format!("https://{HOST}/");
        let mut file = String::new();
        if let Some((name, contents)) = self.runtime.file {
            let path = self.folder.join(name);
            if let Err(error) = std::fs::write(&path, contents.replace("URL", &url)) {
                return Verdict::Failed(error.to_string());
            }
            file = path.display().to_string();
        }
        let mut command = self.command();
        command.args(
            self.runtime.arguments.iter().map(|given| given.replace("URL", &url).replace("FILE", &file)),
        );
        match output(command, launcher).await {
            Err(words) => Verdict::Failed(words),
            Ok(output) => verdict(&output, self.runtime.silent),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.executable);
        command
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for name in &self.variables.unset {
            command.env_remove(name);
        }
        for (name, value) in &self.variables.set {
            command.env(name, value);
        }
        command
    }
}

async fn output(command: Command, launcher: &dyn Launch) -> Result<Output, String> {
    let child = launcher.launch(command).map_err(|error| error.to_string())?;
    match tokio::time::timeout(DEADLINE, child.wait_with_output()).await {
        Ok(output) => output.map_err(|error| error.to_string()),
        Err(elapsed) => Err(elapsed.to_string()),
    }
}

fn verdict(output: &Output, silent: bool) -> Verdict {
    if output.status.code() == Some(NOT_INSTALLED) {
        return Verdict::Missing;
    }
    let answered = silent || String::from_utf8_lossy(&output.stdout).contains(ANSWER);
    if output.status.success() && answered {
        return Verdict::Answered;
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    // A Java runtime without its compiler says so.
    if words.contains("module jdk.compiler not found") || words.contains("Could not find or load main class")
    {
        return Verdict::Missing;
    }
    let said = words.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with("Picked up"));
    Verdict::Failed(short(said.unwrap_or("?")))
}

fn short(line: &str) -> String {
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(at, _)| at);
    line[..end].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{ExitStatus, Output};

    use super::{ANSWER, Verdict, verdict};

    fn judged(code: i32, stdout: &str, stderr: &str, silent: bool) -> Verdict {
        let output =
            Output { status: ExitStatus::from_raw(code << 8), stdout: stdout.into(), stderr: stderr.into() };
        verdict(&output, silent)
    }

    #[test]
    fn only_the_answer_is_success() {
        assert_eq!(judged(0, ANSWER, "noise", false), Verdict::Answered);
        assert_eq!(judged(0, "", "", false), Verdict::Failed("?".to_owned()));
        assert_eq!(judged(0, "", "", true), Verdict::Answered);
        assert_eq!(judged(77, "", "", false), Verdict::Missing);
        assert_eq!(judged(1, ANSWER, "first\nno trust\n\n", false), Verdict::Failed("no trust".to_owned()));
    }
}
