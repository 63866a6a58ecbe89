//! JUnit XML.
//!
//! Written by hand: the layout is a frozen contract down to the line breaks inside a failure, which a general writer
//! does not give, and the format needs five elements.

use std::fmt::Write as _;

use std::borrow::Cow;

use mcpeak_core::locale::Locale;

use super::model::{AssertionStatus, CaseReport, CaseStatus, OperationStatus, RunnerReport};
use crate::diagnostic::Diagnostic;
use crate::json::compact;
use crate::text::{self, Label};

/// A failure that no case has: an outbound call without a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideFailure {
    /// What failed, as the name of a test case.
    pub name: String,
    /// Why, in one line.
    pub message: String,
    /// Stable code.
    pub code: &'static str,
}

/// The XML of one or several suites. `time` is always 0: reports carry no clock. Failures outside the suites follow as a suite of
/// their own, so that a run that fails is never green for whoever reads only this.
pub fn render(reports: &[&RunnerReport], outside: &[OutsideFailure], locale: Locale) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let outside_counts = Counts { tests: outside.len(), failures: outside.len(), ..Counts::default() };
    let total = reports.iter().fold(outside_counts, |sum, report| sum.plus(&Counts::of(report)));
    let name = match reports {
        [report] => report.suite.name.as_str(),
        _ => "mcpeak",
    };
    let _ = writeln!(out, "<testsuites {}>", total.attributes(name));
    for report in reports {
        suite(&mut out, report, locale);
    }
    outside_suite(&mut out, outside);
    out.push_str("</testsuites>\n");
    out
}

fn outside_suite(out: &mut String, outside: &[OutsideFailure]) {
    if outside.is_empty() {
        return;
    }
    let counts = Counts { tests: outside.len(), failures: outside.len(), ..Counts::default() };
    let _ = writeln!(out, "  <testsuite {}>", counts.attributes("outbound calls"));
    for failure in outside {
        let _ = write!(
            out,
            "    <testcase name=\"{}\" classname=\"outbound calls\" time=\"0\">\n      \
             <failure message=\"{}\" type=\"{}\"/>\n    </testcase>\n",
            attribute(&failure.name),
            attribute(&failure.message),
            failure.code
        );
    }
    out.push_str("  </testsuite>\n");
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of(report: &RunnerReport) -> Self {
        let mut counts = Self { tests: report.cases.len(), ..Self::default() };
        for case in &report.cases {
            match verdict(case) {
                Verdict::Passed => {}
                Verdict::Skipped => counts.skipped += 1,
                Verdict::Error => counts.errors += 1,
                Verdict::Failure => counts.failures += 1,
            }
        }
        counts
    }

    const fn plus(&self, other: &Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }

    fn attributes(&self, name: &str) -> String {
        format!(
            "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
            attribute(name),
            self.tests,
            self.failures,
            self.errors,
            self.skipped
        )
    }
}

enum Verdict {
    Passed,
    Skipped,
    Error,
    Failure,
}

fn verdict(case: &CaseReport) -> Verdict {
    match case.status {
        CaseStatus::Passed => Verdict::Passed,
        CaseStatus::Cancelled | CaseStatus::NotRun => Verdict::Skipped,
        CaseStatus::Failed if case.operation.status == OperationStatus::Completed => Verdict::Failure,
        CaseStatus::Failed | CaseStatus::TimedOut => Verdict::Error,
    }
}

fn suite(out: &mut String, report: &RunnerReport, locale: Locale) {
    let counts = Counts::of(report);
    let _ = writeln!(out, "  <testsuite {}>", counts.attributes(&report.suite.name));
    for case in &report.cases {
        let head = format!(
            "    <testcase name=\"{}\" classname=\"{}\" time=\"0\"",
            attribute(&case.name),
            attribute(&report.suite.id)
        );
        match verdict(case) {
            Verdict::Passed => {
                let _ = writeln!(out, "{head}/>");
            }
            Verdict::Skipped => {
                let _ = write!(out, "{head}>\n      <skipped/>\n    </testcase>\n");
            }
            Verdict::Error => {
                let diagnostics: Vec<&Diagnostic> = case.operation.diagnostic.iter().collect();
                problem(out, &head, "error", &diagnostics, locale);
            }
            Verdict::Failure => {
                let diagnostics: Vec<&Diagnostic> = case
                    .assertions
                    .iter()
                    .filter(|assertion| assertion.status == AssertionStatus::Failed)
                    .filter_map(|assertion| assertion.diagnostic.as_ref())
                    .collect();
                problem(out, &head, "failure", &diagnostics, locale);
            }
        }
    }
    if let Some(reason) = &report.stop_reason {
        let text = text::of(locale);
        let line = format!("{}: {}", text.label(Label::Stopped), text.stop(reason));
        let _ = writeln!(out, "    <system-out>{}</system-out>", content(&line));
    }
    out.push_str("  </testsuite>\n");
}

fn problem(out: &mut String, head: &str, element: &str, diagnostics: &[&Diagnostic], locale: Locale) {
    let Some((first, rest)) = diagnostics.split_first() else {
        let _ = write!(out, "{head}>\n      <{element}/>\n    </testcase>\n");
        return;
    };
    let mut message = first.message.clone();
    if !rest.is_empty() {
        message.push_str(&text::of(locale).more_diagnostics(rest.len()));
    }
    let bodies: Vec<String> = diagnostics.iter().map(|diagnostic| body(diagnostic)).collect();
    let _ = write!(
        out,
        "{head}>\n      <{element} message=\"{}\" type=\"{}\">\n{}\n      </{element}>\n    </testcase>\n",
        attribute(&message),
        first.code.as_str(),
        content(&bodies.join("\n\n"))
    );
}

fn body(diagnostic: &Diagnostic) -> String {
    let mut parts = vec![diagnostic.message.clone()];
    let mut values = Vec::new();
    if let Some(expected) = &diagnostic.expected {
        values.push(format!("expected: {}", compact(expected)));
    }
    if let Some(actual) = &diagnostic.actual {
        values.push(format!("actual:   {}", compact(actual)));
    }
    if !values.is_empty() {
        parts.push(values.join("\n"));
    }
    if let Some(violations) = diagnostic.violations.as_ref().filter(|violations| !violations.is_empty()) {
        let lines: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
        parts.push(lines.join("\n"));
    }
    parts.push(format!("→ {}", diagnostic.hint));
    parts.join("\n\n")
}

/// Characters that XML 1.0 does not have are left out (XML 1.0, 2.2 Characters).
fn legal(text: &str) -> Cow<'_, str> {
    let illegal = |character: char| matches!(character, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(illegal) { Cow::Owned(text.replace(illegal, "")) } else { Cow::Borrowed(text) }
}

fn content(text: &str) -> String {
    // A bare carriage return would come back as a line feed.
    legal(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;")
}

fn attribute(text: &str) -> String {
    let mut flat = String::new();
    let mut in_break = false;
    for character in legal(text).chars() {
        if matches!(character, '\r' | '\n' | '\t') {
            if !in_break {
                flat.push(' ');
            }
            in_break = true;
        } else {
            flat.push(character);
            in_break = false;
        }
    }
    content(&flat).replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{attribute, content};

    #[test]
    fn escapes_and_drops() {
        assert_eq!(attribute("a\r\n\tb \"<&>\" \u{1b}[0m"), "a b &quot;&lt;&amp;&gt;&quot; [0m");
        assert_eq!(content("a\n<b>\u{0}\u{fffe}\r"), "a\n&lt;b&gt;&#13;");
    }
}
