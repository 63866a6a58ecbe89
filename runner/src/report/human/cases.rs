//! One block a case: a line, and under a failure what differed, what was seen, how to fix it.

use mcpeak_core::locale::Locale;

use super::render::safe;
use super::style::Style;
use crate::clamp::clamp;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::json::compact;
use crate::report::{AssertionReport, AssertionStatus, CaseReport};
use crate::text::{self, Label};

/// Width of the column of ids, in code points.
pub(super) fn id_width(cases: &[CaseReport]) -> usize {
    cases.iter().map(|case| safe(&case.id).chars().count()).max().unwrap_or_default()
}

pub(super) fn push(out: &mut String, case: &CaseReport, width: usize, locale: Locale, style: Style) {
    let id = padded(&safe(&case.id), width);
    out.push_str(&format!("{} {id}  {}\n", style.glyph(case.status), safe(&case.name)));
    if let Some(diagnostic) = &case.operation.diagnostic {
        out.push_str(&format!("    {}\n", safe(&diagnostic.message)));
        details(out, diagnostic, locale, style);
    }
    let shown: Vec<&AssertionReport> =
        case.assertions.iter().filter(|assertion| assertion.diagnostic.is_some()).collect();
    let kinds = shown.iter().map(|assertion| kind(assertion).chars().count()).max().unwrap_or_default();
    for assertion in shown {
        let Some(diagnostic) = &assertion.diagnostic else { continue };
        let skipped = if assertion.status == AssertionStatus::Skipped {
            text::of(locale).label(Label::Skipped)
        } else {
            ""
        };
        let kind = padded(kind(assertion), kinds);
        out.push_str(&format!("    {kind}  {skipped}{}\n", safe(&diagnostic.message)));
        details(out, diagnostic, locale, style);
    }
}

fn details(out: &mut String, diagnostic: &Diagnostic, locale: Locale, style: Style) {
    let text = text::of(locale);
    let violations = diagnostic.violations.iter().flatten().map(|violation| violation.message.as_str());
    let notes = diagnostic.notes.iter().flatten().map(String::as_str);
    for line in violations.chain(notes) {
        out.push_str(&format!("    → {}\n", safe(line)));
    }
    let whole = matches!(
        diagnostic.code,
        DiagnosticCode::BodySchemaMismatch | DiagnosticCode::StructuredContentSchemaMismatch
    );
    if let Some(actual) = diagnostic.actual.as_ref().filter(|_| whole) {
        let received = text.received(&clamp(&compact(actual), locale));
        out.push_str(&format!("    → {}\n", safe(&received)));
    }
    let hint = format!("{}: {}", text.label(Label::Fix), safe(&diagnostic.hint));
    out.push_str(&format!("    {}\n", style.dim(&hint)));
}

fn kind(assertion: &AssertionReport) -> &str {
    assertion.spec.get("type").and_then(serde_json::Value::as_str).unwrap_or_default()
}

fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}
