//! `mcpeak session`: looks after session files.

mod diff;
mod export;
mod import;
mod lint;
mod prune;
mod verify;

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_core::redact::Redactor;
use mcpeak_proxy::error::ProxyError;
use mcpeak_proxy::report::Warning;
use mcpeak_proxy::session::{self, Answer, Exchange, SessionError};
use serde::Serialize;

use crate::args::operation::SessionCommand;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::proxy_error;
use crate::settings::environment;
use crate::text;

/// Does one thing with session files.
pub(crate) async fn execute(
    command: &SessionCommand,
    locale: Locale,
    printer: &Printer,
) -> Result<ExitCode, CliError> {
    match command {
        SessionCommand::Recover(args) => {
            let named = environment::named(&args.env, text::of(locale))?;
            let redactor = Redactor::new(named.into_iter().map(|secret| (secret.name, secret.value)));
            let recovered = session::recover(&args.file, args.force, redactor);
            let recovered = recovered.map_err(|error| failed(error, locale))?;
            let path = args.file.display().to_string();
            printer.err(&format!(
                "{}\n",
                text::of(locale).recovered(recovered.exchanges, &terminal(&path, Keep::Nothing))
            ));
            if recovered.broken_lines > 0 {
                printer.err(&format!("{}\n", text::of(locale).broken_lines(recovered.broken_lines)));
            }
        }
        SessionCommand::Show(args) => {
            let (file, warnings) = session::check(&args.file).map_err(|error| failed(error, locale))?;
            warn(&warnings, locale, printer);
            let mut list = String::new();
            for exchange in &file.exchanges {
                list.push_str(&terminal(&summary(exchange), Keep::Nothing));
                list.push('\n');
            }
            super::print(printer, &list, locale)?;
        }
        SessionCommand::Lint(args) => return lint::execute(args, locale, printer),
        SessionCommand::Diff(args) => return diff::execute(args, locale, printer),
        SessionCommand::Import(args) => return import::execute(args, locale, printer).await,
        SessionCommand::Export(args) => return export::execute(args, locale, printer),
        SessionCommand::Verify(args) => return verify::execute(args, locale, printer).await,
        SessionCommand::Prune(args) => return prune::execute(args, locale, printer),
    }
    Ok(ExitCode::Passed)
}

/// An error of a file as a person sees it.
fn failed(error: SessionError, locale: Locale) -> CliError {
    proxy_error(&ProxyError::Session(error), locale)
}

/// Remarks, one a line, on stderr.
fn warn(warnings: &[Warning], locale: Locale, printer: &Printer) {
    let sentences = mcpeak_proxy::text::of(locale);
    for warning in warnings {
        let sentence = sentences.warning(warning);
        printer.err(&format!("! {}\n", terminal(&sentence, Keep::Nothing)));
    }
}

/// A result for machines.
fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    text.expect("plain structs with text keys are JSON") + "\n"
}

/// One line an exchange: what was asked, and what became of it.
fn summary(exchange: &Exchange) -> String {
    let became = match &exchange.answer {
        Answer::Response(response) => {
            let incomplete = if response.incomplete.is_some() { " (incomplete)" } else { "" };
            format!("{}{incomplete}", response.status)
        }
        Answer::Failure(kind) => format!("{kind:?}").to_lowercase(),
    };
    format!("{} {}  {became}", exchange.request.method, exchange.request.url)
}
