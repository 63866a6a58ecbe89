//! TARGET: which server, in the same words for every command.

use std::path::PathBuf;

use clap::Args;

/// Exactly one form: `-- EXE ARGS…`, `--command`, `--url` or `--mcp-config`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Target (exactly one)")]
pub(crate) struct TargetArgs {
    /// Start this executable and talk to it over stdio
    #[arg(long, value_name = "EXE")]
    pub(crate) command: Option<String>,

    /// An argument of --command (repeatable; any text, also with a leading hyphen)
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,

    /// A running Streamable HTTP server
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// A JSON file with `mcpServers` (Claude, Cursor) or `servers` (VS Code)
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp_config: Option<PathBuf>,

    /// The entry of --mcp-config
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    /// Start this executable with these arguments; nothing after `--` is parsed
    #[arg(last = true, value_name = "EXE ARGS")]
    pub(crate) trailing: Vec<String>,

    /// Working directory of the server
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Hand this environment variable to the server (a name, never a value; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,

    /// Send a header whose value is in an environment variable, with --url (repeatable)
    #[arg(long = "header-env", value_name = "HEADER=NAME")]
    pub(crate) header_env: Vec<String>,

    /// Longest wait for the first answer, such as 30s or 1500ms
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = super::operation::duration)]
    pub(crate) connect_timeout: std::time::Duration,

    /// Protocol era: legacy (initialize), modern (2026-07-28) or auto
    #[arg(long, value_name = "ERA", default_value = "auto", value_parser = ["auto", "legacy", "modern"])]
    pub(crate) era: String,
}
