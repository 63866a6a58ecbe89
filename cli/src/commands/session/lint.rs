//! `mcpeak session lint`: the gate before a commit.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_core::redact::Redactor;
use mcpeak_proxy::session::tools::{Finding, lint};
use serde::Serialize;

use super::{failed, json, warn};
use crate::args::session_tools::LintArgs;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::settings::environment;
use crate::text;

/// What was found in one file.
#[derive(Serialize)]
struct OfFile {
    file: String,
    findings: Vec<Finding>,
}

/// Lists the secrets of every file; exit code 1 if there is one.
pub(super) fn execute(args: &LintArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let named = environment::named(&args.env, text::of(locale))?;
    let redactor = Redactor::new(named.into_iter().map(|secret| (secret.name, secret.value)));
    let sentences = text::session::of(locale);
    let mut all = Vec::with_capacity(args.files.len());
    for path in &args.files {
        let (findings, warnings) = lint(path, redactor.clone()).map_err(|error| failed(error, locale))?;
        warn(&warnings, locale, printer);
        all.push(OfFile { file: path.display().to_string(), findings });
    }
    let clean = all.iter().all(|file| file.findings.is_empty());
    if args.json {
        print(printer, &json(&all), locale)?;
    } else {
        let mut out = String::new();
        for OfFile { file, findings } in &all {
            for finding in findings {
                let request = finding.request.as_ref().map(|line| format!("  ({line})")).unwrap_or_default();
                let kind = sentences.secret_kind(&finding.secret);
                let line = format!("{file}: {}: {kind}{request}", finding.place);
                out.push_str(&terminal(&line, Keep::Nothing));
                out.push('\n');
            }
            let last = if findings.is_empty() {
                sentences.lint_clean(file)
            } else {
                sentences.lint_found(findings.len(), file)
            };
            out.push_str(&terminal(&last, Keep::Nothing));
            out.push('\n');
        }
        print(printer, &out, locale)?;
    }
    if clean {
        return Ok(ExitCode::Passed);
    }
    printer.err(&format!("{}\n", text::of(locale).hint_line(&sentences.lint_fix())));
    Ok(ExitCode::Failed)
}
