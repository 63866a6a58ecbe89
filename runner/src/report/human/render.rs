//! The whole report.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;

use super::style::Style;
use super::{blocks, cases};
use crate::report::{CaseReport, MultiReport, RunnerReport, Summary};
use crate::text::{self, Label};

/// Renders a report; ends with a newline.
pub fn render(report: &RunnerReport, locale: Locale, style: Style) -> String {
    let count = report.cases.len();
    let noun = if count == 1 { "case" } else { "cases" };
    let mut out = format!("{}  ({count} {noun})\n\n", safe(&report.suite.name));
    let width = cases::id_width(&report.cases);
    for case in &report.cases {
        cases::push(&mut out, case, width, locale, style);
    }
    out.push('\n');
    if let Some(reason) = &report.stop_reason {
        let text = text::of(locale);
        out.push_str(&format!("{}: {}\n\n", text.label(Label::Stopped), safe(&text.stop(reason))));
    }
    out.push_str(&summary(&report.summary));
    out.push('\n');
    if report.summary.rejection_unverified > 0 {
        out.push('\n');
        for line in text::of(locale).unverified_rejections(report.summary.rejection_unverified) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    for block in blocks::all(report, locale) {
        out.push('\n');
        for line in block {
            out.push_str(&safe(&line));
            out.push('\n');
        }
    }
    out
}

/// The lines about one case, as the report has them; for live output and dry runs.
pub fn render_case(case: &CaseReport, locale: Locale, style: Style) -> String {
    let mut out = String::new();
    cases::push(&mut out, case, case.id.chars().count(), locale, style);
    out
}

/// The totals of several suites: one line a suite that did not pass, then the counts.
pub fn render_totals(multi: &MultiReport, style: Style) -> String {
    let text = text::of(multi.locale);
    let totals = multi.totals();
    let mut out = format!("\n{}\n\n", text.label(Label::Total));
    for suite in multi.suites.iter().filter(|suite| !suite.report.all_passed()) {
        let failed = suite
            .report
            .cases
            .iter()
            .map(|case| case.status)
            .find(|status| *status != crate::report::CaseStatus::Passed);
        if let Some(status) = failed {
            let line = format!(
                "{} {}  {}\n",
                style.glyph(status),
                safe(&suite.file),
                summary(&suite.report.summary)
            );
            out.push_str(&line);
        }
    }
    out.push_str(&format!(
        "{}: {}\n",
        text.suites_total(totals.suites, totals.suites_passed),
        summary(&totals.cases)
    ));
    out
}

fn summary(summary: &Summary) -> String {
    let counts = [
        (summary.passed, "passed"),
        (summary.failed, "failed"),
        (summary.timed_out, "timed out"),
        (summary.cancelled, "cancelled"),
        (summary.not_run, "not run"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, label)| format!("{count} {label}"))
        .collect();
    format!("{}  ({} total)", parts.join(", "), summary.total)
}

/// Text that may come from outside, as one harmless line.
pub(super) fn safe(text: &str) -> String {
    terminal(text, Keep::Nothing).into_owned()
}
