//! Commands around the main job.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::capture::CaptureArgs;
use super::session::SessionArgs;
use super::session_tools::{DiffArgs, ExportArgs, ImportArgs, LintArgs, PruneArgs, VerifyArgs};

/// Reads `30s`, `1500ms`, `2m` or plain seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 =
        number.parse().map_err(|_| "expected a whole number with a unit, such as 30s".to_owned())?;
    let duration = match unit {
        "" | "s" => Duration::from_secs(number),
        "ms" => Duration::from_millis(number),
        "m" => Duration::from_secs(number.saturating_mul(60)),
        _ => return Err(format!("unknown unit '{unit}'; use ms, s or m")),
    };
    if duration.is_zero() || duration > Duration::from_hours(24) {
        return Err("must be more than zero and at most one day".to_owned());
    }
    Ok(duration)
}

/// Runs any command.
#[derive(Args, Debug)]
#[command(override_usage = "mcpeak run (--session FILE | --record-session FILE) [OPTIONS] -- CMD ARGS…")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) session: SessionArgs,

    #[command(flatten)]
    pub(crate) capture: CaptureArgs,

    /// Never store the value of this environment variable (a name; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,

    /// The command; nothing after `--` is parsed
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// What works here.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) capture: CaptureArgs,
}

/// Stand-alone proxy.
#[derive(Args, Debug)]
pub(crate) struct ProxyArgs {
    #[command(flatten)]
    pub(crate) session: SessionArgs,

    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,

    /// Listen on PORT (or ADDRESS:PORT) too, and send every request there to one origin (repeatable)
    #[arg(long, value_name = "PORT=URL")]
    pub(crate) reverse: Vec<String>,

    /// Address of the admin endpoint: /healthz, /readyz, /metrics, /session, /ca.pem, /ca.p12
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) admin: Option<SocketAddr>,

    /// Never store the value of this environment variable (a name; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,

    /// Print the report as JSON at the end
    #[arg(long)]
    pub(crate) json: bool,
}

/// Certificate authority.
#[derive(Args, Debug)]
pub(crate) struct CaArgs {
    /// The folder; it is created if it is not there
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) ca_dir: PathBuf,

    /// Make it from the secret in this environment variable: the same one on every machine
    #[arg(long, value_name = "NAME")]
    pub(crate) ca_seed_env: Option<String>,
}

/// Variables for a shell.
#[derive(Args, Debug)]
pub(crate) struct EnvArgs {
    /// The proxy that programs shall use
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) proxy: String,

    /// Folder of the proxy's certificate authority; trust files are written beside it
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) ca_dir: PathBuf,

    /// Syntax to print
    #[arg(long, value_enum, default_value_t, value_name = "SHELL")]
    pub(crate) shell: ShellSyntax,
}

/// Syntax of an assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShellSyntax {
    /// POSIX shells: `export NAME='value'`
    #[default]
    Sh,
    /// fish: `set -gx NAME 'value'`
    Fish,
    /// PowerShell: `$env:NAME = 'value'`
    Powershell,
    /// `NAME="value"` lines for env files
    Dotenv,
}

/// Session files.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Finish an interrupted recording from its journal
    Recover(RecoverArgs),
    /// List the recorded exchanges
    Show(SessionFileArgs),
    /// Fail if a secret is left: by name, by shape, or the value of a variable
    Lint(LintArgs),
    /// Compare two files by request; exit code 1 if they differ
    Diff(DiffArgs),
    /// Take recordings out
    Prune(PruneArgs),
    /// Send the safe requests (GET, HEAD) to the live origins again; exit code 1 if an answer drifted
    Verify(VerifyArgs),
    /// Make a session of another tool's recording: HAR
    Import(ImportArgs),
    /// Write a session for other tools: HAR
    Export(ExportArgs),
}

/// One session file.
#[derive(Args, Debug)]
pub(crate) struct SessionFileArgs {
    /// The session file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// An interrupted recording.
#[derive(Args, Debug)]
pub(crate) struct RecoverArgs {
    /// The session file that the recording was for; its journal lies beside it
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Overwrite an existing session file
    #[arg(long)]
    pub(crate) force: bool,

    /// Never store the value of this environment variable (a name; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,
}

/// Demonstration.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// Keep the files of the demonstration in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,

    /// Be the example server (used by the demonstration itself)
    #[arg(long, hide = true)]
    pub(crate) serve: bool,
}

/// Health check.
#[derive(Args, Debug)]
pub(crate) struct HealthcheckArgs {
    /// Admin address of the proxy
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9090")]
    pub(crate) admin: SocketAddr,
}

/// Completion scripts.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::duration;

    #[test]
    fn durations() {
        assert_eq!(duration("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("2m"), Ok(Duration::from_mins(2)));
        assert!(duration("0s").is_err());
        assert!(duration("1h").unwrap_err().contains("'h'"));
        assert!(duration("s").is_err());
    }
}
