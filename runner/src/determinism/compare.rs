//! Two passes, compared case by case.

use mcpeak_core::client::Tool;
use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;
use serde::Serialize;
use serde_json::Value;

use super::difference::{First, first_difference};
use super::hint::{DifferenceHint, hint};
use crate::clamp::clamp_pair;
use crate::json::compact;
use crate::mask::Masker;
use crate::report::{CaseReport, CaseStatus, StopReason};
use crate::run::{Outcome, Run};
use crate::text::{self, DeterminismFacts, Label};

/// The outcome of comparing two passes. Never changes a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Determinism {
    /// Cases compared.
    pub compared: usize,
    /// Cases that ran in neither pass.
    pub skipped: usize,
    /// At most one for each case.
    pub differences: Vec<Difference>,
    /// What follows.
    pub conclusion: Conclusion,
}

/// What follows from a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Conclusion {
    /// No difference, and the state was reset before each pass.
    Deterministic,
    /// No difference, but nothing was reset.
    ConsistentWithoutReset,
    /// There are differences.
    Nondeterministic,
}

/// Where a case differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The case.
    pub case_id: String,
    /// Its name.
    pub case_name: String,
    /// The tool that it calls.
    pub tool_name: Option<String>,
    /// What differs.
    pub kind: DifferenceKind,
    /// Where: `content[0].text`, `assertions[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In the first pass; without secrets, cut so that the difference shows.
    pub first_value: String,
    /// In the second pass.
    pub second_value: String,
    /// What the difference looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<DifferenceHint>,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DifferenceKind {
    /// How the case ended.
    Status,
    /// How an assertion ended.
    Assertion,
    /// What the server answered.
    Response,
}

/// Why two passes could not be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// The first pass stopped early.
    FirstPassStopped,
    /// The server did not start again; why.
    StartFailed(String),
    /// The reset command failed; why.
    ResetFailed(String),
    /// A case timed out in the second pass.
    TimedOut {
        /// The case.
        case_id: String,
    },
    /// The connection was lost in the second pass.
    ConnectionLost {
        /// The case.
        case_id: String,
    },
    /// The second pass was interrupted.
    Aborted,
}

/// Compares two passes over the same suite: status, then assertions, then the raw answer.
/// `reset`: whether the state was reset before each pass.
///
/// # Errors
/// When the second pass stopped early.
pub fn compare(first: &Run, second: &Run, reset: bool) -> Result<Determinism, Unavailable> {
    if let Some(reason) = second.stop_reason() {
        return Err(match reason {
            StopReason::Timeout { case_id } => Unavailable::TimedOut { case_id: case_id.clone() },
            StopReason::ConnectionLost { case_id, .. } => {
                Unavailable::ConnectionLost { case_id: case_id.clone() }
            }
            StopReason::AbortSignal { .. } => Unavailable::Aborted,
        });
    }
    let (mut compared, mut skipped, mut differences) = (0, 0, Vec::new());
    for (index, (before, after)) in first.cases.iter().zip(&second.cases).enumerate() {
        let idle = |case: &CaseReport| matches!(case.status, CaseStatus::NotRun | CaseStatus::Cancelled);
        if idle(before) && idle(after) {
            skipped += 1;
            continue;
        }
        compared += 1;
        let answers = (&first.outcomes[index], &second.outcomes[index]);
        let Some(found) = case(before, after, answers, first.masker(), first.locale()) else { continue };
        differences.push(Difference {
            case_id: before.id.clone(),
            case_name: before.name.clone(),
            tool_name: first.tools_called[index].as_deref().map(|tool| first.masker().text(tool)),
            kind: found.kind,
            path: found.path,
            first_value: found.values.0,
            second_value: found.values.1,
            hint: found.hint,
        });
    }
    let conclusion = match (differences.is_empty(), reset) {
        (false, _) => Conclusion::Nondeterministic,
        (true, true) => Conclusion::Deterministic,
        (true, false) => Conclusion::ConsistentWithoutReset,
    };
    Ok(Determinism { compared, skipped, differences, conclusion })
}

/// The block for a comparison that could not be made; ends with a newline. For stderr.
pub fn render_unavailable(reason: &Unavailable, locale: Locale) -> String {
    let lines = text::of(locale).determinism_unavailable(reason);
    lines.iter().map(|line| format!("{}\n", terminal(line, Keep::Nothing))).collect()
}

impl Determinism {
    /// The block of the report for people. `reset` is told by the conclusion where it matters.
    pub(crate) fn lines(&self, locale: Locale) -> Vec<String> {
        let text = text::of(locale);
        let facts = DeterminismFacts {
            compared: self.compared,
            skipped: self.skipped,
            differences: self.differences.len(),
            reset: self.conclusion != Conclusion::ConsistentWithoutReset,
        };
        let mut lines = text.determinism(&facts);
        for difference in &self.differences {
            lines.push(format!("  ≠ {}  {}", difference.case_id, difference.case_name));
            let values = text.difference(
                difference.path.as_deref(),
                &difference.first_value,
                &difference.second_value,
            );
            lines.push(format!("    {values}"));
            if let Some(hint) = difference.hint {
                lines.push(format!("    → {}", text.difference_hint(hint)));
            }
        }
        lines
    }
}

struct Found {
    kind: DifferenceKind,
    path: Option<String>,
    values: (String, String),
    hint: Option<DifferenceHint>,
}

fn case(
    before: &CaseReport,
    after: &CaseReport,
    (first, second): (&Outcome, &Outcome),
    masker: &Masker,
    locale: Locale,
) -> Option<Found> {
    if before.status != after.status {
        let values = (before.status.as_str().to_owned(), after.status.as_str().to_owned());
        return Some(Found { kind: DifferenceKind::Status, path: None, values, hint: None });
    }
    let assertions = before.assertions.iter().zip(&after.assertions);
    if let Some((index, (left, right))) =
        assertions.enumerate().find(|(_, (left, right))| left.status != right.status)
    {
        return Some(Found {
            kind: DifferenceKind::Assertion,
            path: Some(format!("assertions[{index}]")),
            values: (left.status.as_str().to_owned(), right.status.as_str().to_owned()),
            hint: None,
        });
    }
    response(raw(first).as_ref(), raw(second).as_ref(), masker, locale)
}

fn response(first: Option<&Value>, second: Option<&Value>, masker: &Masker, locale: Locale) -> Option<Found> {
    let text = text::of(locale);
    let (path, left, right) = match (first, second) {
        (None, None) => return None,
        (Some(first), Some(second)) => {
            let First { path, left, right } = first_difference(first, second)?;
            (path, left, right)
        }
        (left, right) => (Vec::new(), left, right),
    };
    let whole = first.is_some() && second.is_some();
    let absent = text.label(if whole { Label::Nothing } else { Label::NoResponse });
    let hint = match (left, right) {
        (Some(left), Some(right)) => hint(left, right),
        _ => None,
    };
    let show = |value: Option<&Value>| match value.map(|value| masker.at(&path, value)) {
        None => absent.to_owned(),
        Some(Value::String(text)) => text,
        Some(other) => compact(&other),
    };
    let rendered = crate::schema::render_path(&path);
    // Paths of answers have no root sign: `content[0].text`.
    let rendered = rendered.trim_start_matches('$').trim_start_matches('.');
    let rendered =
        if rendered.is_empty() { text.label(Label::Root).to_owned() } else { masker.text(rendered) };
    Some(Found {
        kind: DifferenceKind::Response,
        path: Some(rendered),
        values: clamp_pair(&show(left), &show(right), locale),
        hint,
    })
}

fn raw(outcome: &Outcome) -> Option<Value> {
    match outcome {
        Outcome::Tools(tools) => {
            Some(tools.iter().map(|tool: &Tool| Value::Object(tool.raw.clone())).collect())
        }
        Outcome::Result(result) => Some(Value::Object(result.raw.clone())),
        Outcome::Failed(_) | Outcome::TimedOut(_) | Outcome::Cancelled | Outcome::NotRun => None,
    }
}
