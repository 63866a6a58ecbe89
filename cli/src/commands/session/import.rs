//! `mcpeak session import`: recordings of other tools made into sessions.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_core::redact::Redactor;
use mcpeak_proxy::interchange::{Format, Imported, Note};
use serde::Serialize;

use super::{failed, json, warn};
use crate::args::session_tools::ImportArgs;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::settings::environment;
use crate::text;

/// What was done, for machines.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Done<'a> {
    format: &'static str,
    imported: u64,
    not_carried_over: &'a [Note],
}

/// Reads, redacts and writes; what could not be carried over is said and fails nothing.
pub(super) async fn execute(
    args: &ImportArgs,
    locale: Locale,
    printer: &Printer,
) -> Result<ExitCode, CliError> {
    let sentences = text::session::of(locale);
    let named = environment::named(&args.env, text::of(locale))?;
    let redactor = Redactor::new(named.into_iter().map(|secret| (secret.name, secret.value)));
    let file = args.file.display().to_string();
    let content = std::fs::read(&args.file).map_err(|error| {
        let (message, hint) = sentences.import_unreadable(&file, &error.to_string());
        CliError::new("IMPORT_UNREADABLE", message, hint)
    })?;
    let format = match &args.format {
        Some(name) => Format::ALL.iter().find(|(known, _)| known == name).map(|(_, format)| *format),
        None => Format::detect(&content),
    };
    let format = format.ok_or_else(|| {
        let known = Format::ALL.map(|(name, _)| name).join(", ");
        let (message, hint) = sentences.import_unknown(&file, &known);
        CliError::new("IMPORT_UNKNOWN_FORMAT", message, hint)
    })?;
    let imported = Imported::read(format, &content, &redactor).map_err(|error| {
        let (message, hint) = sentences.import_invalid(&file, format.name(), &error);
        CliError::new("IMPORT_INVALID", message, hint)
    })?;
    let notes = imported.notes().to_vec();
    let report = imported.write(&args.to, args.force, redactor).await;
    let report = report.map_err(|error| failed(error, locale))?;
    for note in &notes {
        printer.err(&format!("! {}\n", terminal(&sentences.lost(note), Keep::Nothing)));
    }
    warn(&report.warnings, locale, printer);
    if args.json {
        let done = Done { format: format.name(), imported: report.recorded, not_carried_over: &notes };
        print(printer, &json(&done), locale)?;
    } else {
        let done = sentences.imported(report.recorded, &file, &args.to.display().to_string());
        printer.err(&format!("{}\n", terminal(&done, Keep::Nothing)));
    }
    Ok(ExitCode::Passed)
}
