//! What can be typed: clap structs only, no file, clock or network behind them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`capture`] | how outbound calls are led to the recorder |
//! | [`target`] | which server: the same flags for every command |
//! | [`session`] | recording and replaying of outbound calls |
//! | [`session_tools`] | what is done with session files |
//! | [`test`] | `mcpeak test` |
//! | [`operation`] | `run`, `proxy`, `ca`, `env`, `session`, `healthcheck`, `completions`, `demo`, `doctor` |

pub(crate) mod capture;
pub(crate) mod operation;
pub(crate) mod session;
pub(crate) mod session_tools;
pub(crate) mod target;
pub(crate) mod test;

use clap::{Parser, Subcommand};

/// Makes MCP servers testable: suites, offline replay of their outbound HTTP(S) calls, clear failures.
#[derive(Debug, Parser)]
#[command(name = "mcpeak", version, disable_help_subcommand = false, max_term_width = 100)]
pub(crate) struct Cli {
    /// Language of messages: en or ko [default: from MCPEAK_LOCALE, LC_ALL, LC_MESSAGES or LANG]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = ["en", "ko"])]
    pub(crate) locale: Option<String>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run suites against an MCP server
    Test(Box<test::TestArgs>),
    /// Run any command with its outbound calls recorded or replayed
    Run(operation::RunArgs),
    /// Stand-alone recording and replaying proxy
    Proxy(operation::ProxyArgs),
    /// Create or show the certificate authority of a folder
    Ca(operation::CaArgs),
    /// Print the variables that lead a program through a proxy
    Env(operation::EnvArgs),
    /// Try capture, and the trust of every runtime found here
    Doctor(operation::DoctorArgs),
    /// Look after session files
    #[command(subcommand)]
    Session(operation::SessionCommand),
    /// See the main job done on an example inside this binary
    Demo(operation::DemoArgs),
    /// Ask a running proxy whether it is healthy (for container health checks)
    Healthcheck(operation::HealthcheckArgs),
    /// Print a completion script for a shell
    Completions(operation::CompletionsArgs),
}
