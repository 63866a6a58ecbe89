//! `mcpeak session export`: sessions written for other tools.

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::interchange::har;

use super::failed;
use crate::args::session_tools::ExportArgs;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::{text, whole_file};

/// Writes an archive to a file or to stdout.
pub(super) fn execute(args: &ExportArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let archive = har::export(&args.file).map_err(|error| failed(error, locale))?;
    let Some(path) = &args.to else {
        print(printer, &archive, locale)?;
        return Ok(ExitCode::Passed);
    };
    let shown = path.display().to_string();
    if path.exists() && !args.force {
        let (message, hint) = text::session::of(locale).export_exists(&shown);
        return Err(CliError::new("EXPORT_EXISTS", message, hint));
    }
    whole_file::write(path, archive.as_bytes()).map_err(|error| {
        let (message, hint) = text::of(locale).file_unwritable("HAR", &shown, &error.to_string());
        CliError::new("OUTPUT_WRITE_FAILED", message, hint)
    })?;
    Ok(ExitCode::Passed)
}
