//! `mcpeak session verify`: does the API still answer like the recording?

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_core::redact::Redactor;
use mcpeak_proxy::verify::{Verification, VerifySettings, verify};

use super::json;
use crate::args::session_tools::VerifyArgs;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::proxy_error;
use crate::settings::{environment, session, target};
use crate::text;

/// Sends what is safe and lists what drifted; exit code 1 if a client may stumble over it.
pub(super) async fn execute(
    args: &VerifyArgs,
    locale: Locale,
    printer: &Printer,
) -> Result<ExitCode, CliError> {
    let words = text::of(locale);
    let mut named = environment::named(&args.env, words)?;
    let headers = target::headers(&args.header_env, words)?;
    named.extend(headers.iter().map(|(_, secret)| secret.clone()));
    let settings = VerifySettings {
        upstream: session::upstream(&args.upstream, words)?,
        redactor: Redactor::new(named.into_iter().map(|secret| (secret.name, secret.value))),
        headers: headers.into_iter().map(|(header, secret)| (header, secret.value)).collect(),
        hosts: session::parse_all("--host", &args.host, words)?,
    };
    let verification = verify(&args.file, settings).await.map_err(|error| proxy_error(&error, locale))?;
    let output = if args.json { json(&verification) } else { rendered(&verification, locale) };
    print(printer, &output, locale)?;
    Ok(if verification.has_drifted() { ExitCode::Failed } else { ExitCode::Passed })
}

fn rendered(verification: &Verification, locale: Locale) -> String {
    let sentences = text::session::of(locale);
    let mut lines = Vec::new();
    for checked in &verification.checked {
        let sign = if checked.has_drifted() { '✗' } else { '✓' };
        lines.push(format!("{sign} {}", checked.request));
        lines.extend(checked.drift.iter().map(|drift| format!("    {}", sentences.drift(drift))));
        lines.extend(checked.failure.iter().map(|why| format!("    {}", sentences.no_live_answer(why))));
    }
    for skipped in &verification.skipped {
        lines.push(format!("- {}: {}", skipped.request, sentences.skipped(&skipped.why)));
    }
    lines.push(sentences.verified(verification));
    lines.iter().map(|line| terminal(line, Keep::Nothing) + "\n").collect()
}
