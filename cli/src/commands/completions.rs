//! `mcpeak completions`: a completion script for a shell.

use clap::CommandFactory as _;
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;

use crate::args::Cli;
use crate::args::operation::CompletionsArgs;
use crate::error::CliError;
use crate::printer::Printer;

/// Prints the script.
pub(crate) fn execute(args: &CompletionsArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mcpeak", &mut script);
    super::print(printer, &String::from_utf8_lossy(&script), locale)?;
    Ok(ExitCode::Passed)
}
