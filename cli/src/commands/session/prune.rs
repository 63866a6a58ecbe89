//! `mcpeak session prune`: recordings that nobody needs any more taken out.

use std::path::Path;

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::report::Unused;
use mcpeak_proxy::session::tools::{Selection, prune};

use super::failed;
use crate::args::session_tools::PruneArgs;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::settings::session::parse_all;
use crate::text;

/// Lists what goes, and with `--write` writes the file.
pub(super) fn execute(args: &PruneArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let sentences = text::session::of(locale);
    if args.unused_from.is_none() && args.host.is_empty() && !args.errors {
        let (message, hint) = sentences.prune_needs_selection();
        return Err(CliError::usage(message, hint));
    }
    let unused = match &args.unused_from {
        Some(report) => unused(report, locale)?,
        None => Vec::new(),
    };
    let hosts = parse_all("--host", &args.host, text::of(locale))?;
    let selection = Selection { unused, hosts, errors: args.errors };
    let pruned = prune(&args.file, &selection).map_err(|error| failed(error, locale))?;
    let written = args.write && !pruned.removed.is_empty();
    if written {
        pruned.write(&args.file).map_err(|error| failed(error, locale))?;
    }
    let lines = pruned.removed.iter().map(|request| terminal(request, Keep::Nothing) + "\n");
    print(printer, &lines.collect::<String>(), locale)?;
    let file = args.file.display().to_string();
    let file = terminal(&file, Keep::Nothing);
    let (removed, left) = (pruned.removed.len(), pruned.left());
    printer.err(&format!("{}\n", sentences.pruned(removed, left, &file, args.write)));
    Ok(ExitCode::Passed)
}

/// The unused recordings that a report lists: one of `mcpeak test`, or that of a proxy.
fn unused(path: &Path, locale: Locale) -> Result<Vec<Unused>, CliError> {
    let bad = |why: &str| {
        let (message, hint) = text::session::of(locale).prune_bad_report(&path.display().to_string(), why);
        CliError::new("REPORT_INVALID", message, hint)
    };
    let text = std::fs::read_to_string(path).map_err(|error| bad(&error.to_string()))?;
    let report: serde_json::Value = serde_json::from_str(&text).map_err(|error| bad(&error.to_string()))?;
    let session = report.get("session").unwrap_or(&report);
    let list = session.get("unused").ok_or_else(|| bad("`session.unused`"))?;
    serde_json::from_value(list.clone()).map_err(|error| bad(&error.to_string()))
}
