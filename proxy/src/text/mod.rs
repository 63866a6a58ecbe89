//! Sentences about sessions, one implementation per language.

mod en;
mod ko;

#[cfg(test)]
mod tests;

use mcpeak_core::escape::{self, Keep};
use mcpeak_core::locale::Locale;

use crate::authority::AuthorityErrorKind;
use crate::error::ProxyError;
use crate::matching::{Difference, MissReason};
use crate::report::{Mode, SessionReport, Unused, Warning};
use crate::session::SessionError;

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
pub trait Text: Sync {
    /// What is wrong with a session, and where.
    fn session_error(&self, error: &SessionError) -> String;
    /// How to fix it.
    fn session_hint(&self, error: &SessionError) -> String;
    /// What the session did, in one line.
    fn outcome(&self, report: &SessionReport) -> String;
    /// The head of the list of misses.
    fn missed(&self, count: u64) -> String;
    /// Why a request was missed.
    fn reason(&self, reason: &MissReason) -> String;
    /// One field that differs.
    fn difference(&self, difference: &Difference) -> String;
    /// What to do about misses.
    fn miss_hint(&self, file: &str) -> String;
    /// The head of the list of unused recordings.
    fn unused(&self, count: u64) -> String;
    /// One unused recording.
    fn unused_line(&self, unused: &Unused) -> String;
    /// A remark.
    fn warning(&self, warning: &Warning) -> String;
    /// A client that does not accept the certificate.
    fn refused_certificate(&self, host: &str, program: Option<&str>, count: u64) -> String;
    /// Why a proxy cannot start or finish. Errors of the session and the authority have sentences of their own.
    fn proxy_error(&self, error: &ProxyError) -> String;
    /// How to fix it.
    fn proxy_hint(&self, error: &ProxyError) -> String;
    /// What is wrong with the CA in a folder.
    fn authority_error(&self, folder: &str, kind: &AuthorityErrorKind) -> String;
    /// How to fix it.
    fn authority_hint(&self, kind: &AuthorityErrorKind) -> String;
}

/// The sentences of a language.
pub fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}

/// The end-of-run block: lines for a terminal, without a final line feed. What came from outside is escaped.
pub fn end_of_run(report: &SessionReport, locale: Locale) -> String {
    let text = of(locale);
    let safe = |line: String| escape::terminal(&line, Keep::Nothing).into_owned();
    let mut lines = vec![safe(text.outcome(report))];
    if report.has_misses() {
        lines.push(text.missed(report.missed.iter().map(|miss| miss.count).sum()));
        for miss in &report.missed {
            let times = if miss.count > 1 { format!(" (×{})", miss.count) } else { String::new() };
            lines.push(safe(format!("  {} {}{times}", miss.method, miss.url)));
            lines.push(safe(format!("    {}", text.reason(&miss.reason))));
            if let MissReason::NearMiss { differences, .. } = &miss.reason {
                lines.extend(
                    differences.iter().map(|field| safe(format!("      {}", text.difference(field)))),
                );
            }
        }
        lines.push(safe(text.miss_hint(&report.file)));
    }
    if report.mode == Mode::Replay && !report.unused.is_empty() {
        lines.push(text.unused(report.unused.iter().map(|unused| unused.left).sum()));
        lines.extend(report.unused.iter().map(|unused| safe(format!("  {}", text.unused_line(unused)))));
    }
    lines.extend(report.warnings.iter().map(|warning| safe(text.warning(warning))));
    let refused = report.refused_certificates.iter();
    lines.extend(
        refused.map(|client| {
            safe(text.refused_certificate(&client.host, client.program.as_deref(), client.count))
        }),
    );
    lines.join("\n")
}
