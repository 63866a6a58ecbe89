//! Several suites in one call.

use mcpeak_core::locale::Locale;
use serde::Serialize;
use serde_json::{Value, json};

use super::human::{self, Style};
use super::junit::{self, OutsideFailure};
use super::model::{RunnerReport, Summary, to_value};
use crate::json::pretty;

/// The report of a suite and the file it came from.
#[derive(Clone, Debug)]
pub struct SuiteReport {
    /// The file, as the user named it.
    pub file: String,
    /// The report.
    pub report: RunnerReport,
}

/// Reports in the order of the command line. One suite alone is reported as itself.
#[derive(Clone, Debug)]
pub struct MultiReport {
    /// At least one.
    pub suites: Vec<SuiteReport>,
    /// Language of the sentences around the reports.
    pub locale: Locale,
    /// One more member of the JSON, last: of the report where there is one suite, else of the whole.
    pub extra: Option<(String, Value)>,
}

/// Counts over all suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Suites.
    pub suites: usize,
    /// Suites whose every case passed.
    pub suites_passed: usize,
    /// Cases.
    #[serde(flatten)]
    pub cases: Summary,
}

impl MultiReport {
    /// Counts over all suites.
    pub fn totals(&self) -> Totals {
        Totals {
            suites: self.suites.len(),
            suites_passed: self.suites.iter().filter(|suite| suite.report.all_passed()).count(),
            cases: self.suites.iter().fold(Summary::default(), |sum, suite| sum.plus(suite.report.summary)),
        }
    }

    /// Whether every case of every suite passed.
    pub fn all_passed(&self) -> bool {
        self.suites.iter().all(|suite| suite.report.all_passed())
    }

    /// The JSON: the plain report for one suite, else `{schemaVersion, suites, summary}`.
    pub fn to_json(&self) -> String {
        let extra = self.extra.as_ref().map(|(key, extra)| (key.as_str(), extra.clone()));
        let whole = match self.suites.as_slice() {
            [suite] => suite.report.to_value_with(extra),
            suites => {
                let suites: Vec<Value> = suites
                    .iter()
                    .map(|suite| json!({"file": suite.file, "report": suite.report.to_value_with(None)}))
                    .collect();
                let mut whole =
                    json!({"schemaVersion": 1, "suites": suites, "summary": to_value(&self.totals())});
                if let Some((key, extra)) = extra {
                    whole[key] = extra;
                }
                whole
            }
        };
        format!("{}\n", pretty(&whole))
    }

    /// For people: one report after the other, then the totals.
    pub fn to_human(&self, style: Style) -> String {
        let mut out = String::new();
        for (index, suite) in self.suites.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(&human::render(&suite.report, self.locale, style));
        }
        if self.suites.len() > 1 {
            out.push_str(&human::render_totals(self, style));
        }
        out
    }

    /// JUnit XML: one `testsuite` a suite, and one for failures outside the suites.
    pub fn to_junit(&self, outside: &[OutsideFailure]) -> String {
        let reports: Vec<&RunnerReport> = self.suites.iter().map(|suite| &suite.report).collect();
        junit::render(&reports, outside, self.locale)
    }
}
