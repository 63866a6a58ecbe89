//! `mcpeak session`: looks after session files.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::error::ProxyError;
use mcpeak_proxy::session;

use crate::args::operation::SessionCommand;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::proxy_error;
use crate::text;

/// Recovers or shows a file.
pub(crate) fn execute(command: &SessionCommand, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let failed = |error| proxy_error(&ProxyError::Session(error), locale);
    match command {
        SessionCommand::Recover(args) => {
            let recovered = session::recover(&args.file).map_err(failed)?;
            let path = args.file.display().to_string();
            printer.err(&format!("{}\n", text::of(locale).recovered(recovered, &terminal(&path, Keep::Nothing))));
        }
        SessionCommand::Show(args) => {
            let mut list = String::new();
            for line in session::summary(&args.file).map_err(failed)? {
                list.push_str(&terminal(&line, Keep::Nothing));
                list.push('\n');
            }
            super::print(printer, &list, locale)?;
        }
    }
    Ok(ExitCode::Passed)
}
