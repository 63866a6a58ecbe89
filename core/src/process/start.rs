//! Starting a server process, and why that may fail.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;

use super::environment::{Environment, child_environment};
use super::launch::Launch;
use super::server::{ServerPipes, ServerProcess};
use crate::error::{Detail, ErrorCode, McpError, Phase, StartProblem};

/// What to start.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// A path or a name on `PATH`.
    pub executable: String,
    /// Arguments, passed as they are.
    pub args: Vec<String>,
    /// Working directory; ours if there is none.
    pub cwd: Option<PathBuf>,
    /// Environment.
    pub environment: Environment,
    /// Who starts it.
    pub launcher: Arc<dyn Launch>,
}

/// Starts a process in a group of its own, without a shell, with pipes for all three streams.
pub fn start(spec: &ProcessSpec) -> Result<(ServerProcess, ServerPipes), McpError> {
    let failed = |subject: &str, problem| {
        let detail = Detail::Start { subject: subject.to_owned(), problem };
        McpError::new(ErrorCode::ProcessStartFailed, Phase::Spawn, detail)
    };
    if let Some(cwd) = &spec.cwd
        && let Some(problem) = directory_problem(cwd)
    {
        return Err(failed(&cwd.to_string_lossy(), problem));
    }
    let extension = Path::new(&spec.executable).extension();
    if cfg!(windows)
        && extension.is_some_and(|end| end.eq_ignore_ascii_case("cmd") || end.eq_ignore_ascii_case("bat"))
    {
        return Err(failed(&spec.executable, StartProblem::NeedsShell));
    }
    let mut command = Command::new(&spec.executable);
    command
        .args(&spec.args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for (name, value) in child_environment(&spec.environment, |name| std::env::var_os(name)) {
        command.env(name, value.expose_secret());
    }
    if let Some(cwd) = &spec.cwd {
        command.current_dir(cwd);
    }
    #[cfg(unix)]
    command.process_group(0);
    let child = spec
        .launcher
        .launch(command)
        .map_err(|error| failed(&spec.executable, start_problem(spec, &error)).caused_by(&error))?;
    ServerProcess::adopt(child)
        .ok_or_else(|| failed(&spec.executable, StartProblem::Other("the pipes are missing".to_owned())))
}

fn directory_problem(directory: &Path) -> Option<StartProblem> {
    match std::fs::metadata(directory) {
        Ok(metadata) if metadata.is_dir() => None,
        Ok(_) => Some(StartProblem::WorkingDirectoryNotADirectory),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(StartProblem::WorkingDirectoryMissing),
        Err(error) => Some(StartProblem::Other(error.to_string())),
    }
}

fn start_problem(spec: &ProcessSpec, error: &io::Error) -> StartProblem {
    let named = Path::new(&spec.executable);
    let is_path = named.components().count() > 1 || named.is_absolute();
    let path = match &spec.cwd {
        Some(cwd) if is_path => cwd.join(named),
        _ => named.to_owned(),
    };
    let metadata = if is_path { std::fs::metadata(&path).ok() } else { None };
    match (error.kind(), metadata) {
        (_, Some(metadata)) if metadata.is_dir() => StartProblem::IsDirectory,
        (io::ErrorKind::NotFound, Some(_)) => StartProblem::InterpreterMissing,
        (io::ErrorKind::NotFound, None) => StartProblem::NotFound,
        (io::ErrorKind::PermissionDenied, _) => StartProblem::NotExecutable,
        _ => StartProblem::Other(error.to_string()),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use std::sync::Arc;

    use super::{Environment, ProcessSpec, start};
    use crate::error::{Detail, StartProblem};
    use crate::process::Unwatched;

    fn problem(executable: &str, cwd: Option<&str>) -> StartProblem {
        let spec = ProcessSpec {
            executable: executable.to_owned(),
            args: Vec::new(),
            cwd: cwd.map(Into::into),
            environment: Environment::default(),
            launcher: Arc::new(Unwatched),
        };
        match start(&spec).unwrap_err().detail {
            Detail::Start { problem, .. } => problem,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn each_reason_has_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
        std::fs::write(path("plain"), "x").unwrap();
        std::fs::write(path("orphan"), "#!/no/such/interpreter\n").unwrap();
        std::fs::set_permissions(path("orphan"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(problem("no-such-executable-here", None), StartProblem::NotFound);
        assert_eq!(problem(&path("missing"), None), StartProblem::NotFound);
        assert_eq!(problem(&path("plain"), None), StartProblem::NotExecutable);
        assert_eq!(problem(&path(""), None), StartProblem::IsDirectory);
        assert_eq!(problem(&path("orphan"), None), StartProblem::InterpreterMissing);
        assert_eq!(problem("sh", Some(&path("nowhere"))), StartProblem::WorkingDirectoryMissing);
        assert_eq!(problem("sh", Some(&path("plain"))), StartProblem::WorkingDirectoryNotADirectory);
    }
}
