//! One file a command. Commands take resolved settings and a printer, so that one can call another.

pub(crate) mod ca;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod env;
pub(crate) mod healthcheck;
pub(crate) mod proxy;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod test;

use mcpeak_core::locale::Locale;

use crate::error::CliError;
use crate::printer::Printer;

/// Prints to stdout; a failure to write is the command's failure.
pub(crate) fn print(printer: &Printer, output: &str, locale: Locale) -> Result<(), CliError> {
    printer.out(output).map_err(|error| {
        let (message, hint) = crate::text::of(locale).stdout_failed(&error.to_string());
        CliError::new("OUTPUT_WRITE_FAILED", message, hint)
    })
}
