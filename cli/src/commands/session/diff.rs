//! `mcpeak session diff`: what became of a recording when it was made anew.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::session::tools::{Comparison, Difference, diff};

use super::{failed, json};
use crate::args::session_tools::DiffArgs;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::text;

/// Compares two files; exit code 1 if they differ.
pub(super) fn execute(args: &DiffArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let comparison =
        Comparison { headers: args.header.clone(), ignored: args.ignore.clone(), shape: args.shape };
    let difference = diff(&args.left, &args.right, &comparison).map_err(|error| failed(error, locale))?;
    let output = if args.json { json(&difference) } else { rendered(args, &difference, locale) };
    print(printer, &output, locale)?;
    Ok(if difference.is_empty() { ExitCode::Passed } else { ExitCode::Failed })
}

fn rendered(args: &DiffArgs, difference: &Difference, locale: Locale) -> String {
    let sentences = text::session::of(locale);
    let mut lines = Vec::new();
    let sides = [(&args.left, &difference.only_left, '-'), (&args.right, &difference.only_right, '+')];
    for (path, only, sign) in sides {
        if !only.is_empty() {
            lines.push(sentences.diff_only_in(&path.display().to_string(), only.len()));
            lines.extend(only.iter().map(|request| format!("  {sign} {request}")));
        }
    }
    if !difference.changed.is_empty() {
        lines.push(sentences.diff_changed(difference.changed.len()));
    }
    let nothing = sentences.diff_nothing();
    for changed in &difference.changed {
        lines.push(format!("  ~ {} #{}", changed.request, changed.occurrence));
        for change in &changed.changes {
            let (left, right) = (change.left.as_ref(), change.right.as_ref());
            let (left, right) = (left.unwrap_or(&nothing), right.unwrap_or(&nothing));
            lines.push(format!("      {}: {left} → {right}", change.place));
        }
    }
    let (left, right) = (difference.only_left.len(), difference.only_right.len());
    lines.push(sentences.diff_summary(difference.same, left, right, difference.changed.len()));
    lines.iter().map(|line| terminal(line, Keep::Nothing) + "\n").collect()
}
