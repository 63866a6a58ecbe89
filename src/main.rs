//! The `mcpeak` binary: everything is in the command line crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcpeak_cli::run()
}
