//! `mcpeak session lint`, `diff`, `prune`, `verify`, `import`, `export`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mcpeak_proxy::interchange::Format;

use super::session::UpstreamArgs;

/// Secrets left in files.
#[derive(Args, Debug)]
pub(crate) struct LintArgs {
    /// Session files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Also look for the value of this environment variable (a name; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,

    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Two files.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// A session file
    #[arg(value_name = "A")]
    pub(crate) left: PathBuf,

    /// The session file that it is compared with
    #[arg(value_name = "B")]
    pub(crate) right: PathBuf,

    /// Compare JSON bodies by their structure only: names and types, no values
    #[arg(long)]
    pub(crate) shape: bool,

    /// Do not compare this place, as the comparison names it, with `[*]` for every item (repeatable)
    #[arg(long, value_name = "PLACE")]
    pub(crate) ignore: Vec<String>,

    /// Compare this response header too (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) header: Vec<String>,

    /// Print the differences as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Recordings to take out.
#[derive(Args, Debug)]
pub(crate) struct PruneArgs {
    /// The session file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Take out what this JSON report of a replay calls unused (`mcpeak test --json`, `mcpeak proxy --json`)
    #[arg(long, value_name = "REPORT")]
    pub(crate) unused_from: Option<PathBuf>,

    /// Take out everything of this host; `*.example.com` names those below (repeatable)
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Vec<String>,

    /// Take out answers 429 and from 500 on, and requests without an answer
    #[arg(long)]
    pub(crate) errors: bool,

    /// Write the file; without this only what would go is listed
    #[arg(long)]
    pub(crate) write: bool,
}

/// The recording of another tool.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file of the other tool
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The session file to write
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) to: PathBuf,

    /// What the file is [default: by its content]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<String>,

    /// Overwrite an existing session file
    #[arg(long)]
    pub(crate) force: bool,

    /// Never store the value of this environment variable (a name; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,

    /// Print what was imported, and what could not be, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A session for another tool.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The session file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,

    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "har", value_parser = ["har"])]
    pub(crate) format: String,

    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

/// Live origins.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The session file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Ask only this host; `*.example.com` names those below (repeatable)
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Vec<String>,

    /// Put the value of this environment variable in the place of its {{secret:NAME}} (a name; repeatable)
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) env: Vec<String>,

    /// Send a header with the value of an environment variable; needs --host (repeatable)
    #[arg(long, value_name = "HEADER=NAME", requires = "host")]
    pub(crate) header_env: Vec<String>,

    #[command(flatten)]
    pub(crate) upstream: UpstreamArgs,

    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(Format::ALL.map(|(name, _)| name))
}
