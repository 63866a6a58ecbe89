//! `mcpeak test`.

use std::path::PathBuf;

use clap::Args;

use super::capture::CaptureArgs;
use super::session::SessionArgs;
use super::target::TargetArgs;

/// Runs suites against a server.
#[derive(Args, Debug)]
#[command(
    override_usage = "mcpeak test SUITE… [OPTIONS] -- EXE ARGS…\n       mcpeak test SUITE… [OPTIONS] --url URL"
)]
pub(crate) struct TestArgs {
    /// Suite files, or folders with `*.suite.json` files
    #[arg(value_name = "SUITE", required = true)]
    pub(crate) suites: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,

    #[command(flatten)]
    pub(crate) session: SessionArgs,

    #[command(flatten)]
    pub(crate) capture: CaptureArgs,

    /// Run every suite twice, each in a fresh server, and compare the answers
    #[arg(long)]
    pub(crate) determinism: bool,

    /// Run this command before each pass (no shell; split at white space)
    #[arg(long, value_name = "COMMAND")]
    pub(crate) reset_cmd: Option<String>,

    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a JUnit XML report
    #[arg(long, value_name = "PATH")]
    pub(crate) junit: Option<PathBuf>,

    /// Write what a repair needs to know about the failures
    #[arg(long, value_name = "PATH")]
    pub(crate) repair_bundle: Option<PathBuf>,

    /// How many of the last stderr lines of the server to show; 0 for none [default: 20]
    #[arg(long, value_name = "N")]
    pub(crate) stderr_lines: Option<usize>,
}
