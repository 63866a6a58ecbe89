//! Violations of response schemas.

use mcpeak_core::canonical::utf16_cmp;
use serde_json::{Map, Value, json};

use super::facts::ViolationFacts;
use super::model::ViolationReport;
use super::write::Diagnostics;
use crate::clamp::{LIMIT, clamp, clamp_value, cut_length, summary};
use crate::json::{compact, type_name};
use crate::schema::{Violation, ViolationKind, render_path};
use crate::text;

/// Members of an object that a violation lists.
const MAX_OBSERVED_KEYS: usize = 20;

impl Diagnostics {
    pub(super) fn violation(&self, violation: &Violation<'_>) -> ViolationReport {
        let actual = violation.actual.map(|value| self.masker.at(&violation.path, value));
        let shown = actual.as_ref().map(|value| self.show(value)).unwrap_or_default();
        let path = self.masker.text(&render_path(&violation.path));
        let mut report = ViolationReport {
            code: violation.kind.code(),
            path,
            message: String::new(),
            expected: None,
            actual: actual.as_ref().map(|value| match &violation.kind {
                ViolationKind::Const(_) | ViolationKind::Enum(_) => clamp_value(value, self.locale),
                _ => clamp_value(&summary(value), self.locale),
            }),
            actual_chars: actual.as_ref().and_then(Value::as_str).and_then(cut_length),
            observed_keys: None,
            observed_keys_total: None,
        };
        let sentence = self.facts(violation, actual.as_ref(), &shown, &mut report);
        report.message = format!("{}: {sentence}", report.path);
        report
    }

    /// Fills in what a kind of violation expects, and gives its sentence.
    fn facts(
        &self,
        violation: &Violation<'_>,
        actual: Option<&Value>,
        shown: &str,
        report: &mut ViolationReport,
    ) -> String {
        let text = text::of(self.locale);
        let (expected, sentence) = match violation.kind {
            ViolationKind::Type(name) => {
                let actual = actual.map(|value| self.show_typed(value)).unwrap_or_default();
                let facts = ViolationFacts::Type { expected: name.as_str(), actual: &actual };
                (json!(name.as_str()), text.violation(&facts))
            }
            ViolationKind::Const(value) => {
                let value = self.masker.at(&violation.path, value);
                let expected = self.show_whole(&value);
                let actual = actual.map(|value| self.show_whole(value)).unwrap_or_default();
                let facts = ViolationFacts::Const { expected: &expected, actual: &actual };
                (clamp_value(&value, self.locale), text.violation(&facts))
            }
            ViolationKind::Enum(values) => {
                let values: Vec<Value> =
                    values.iter().map(|value| self.masker.at(&violation.path, value)).collect();
                let list: Vec<String> = values.iter().map(compact).collect();
                let expected = clamp(&list.join(", "), self.locale);
                let actual = actual.map(|value| self.show_whole(value)).unwrap_or_default();
                let facts = ViolationFacts::Enum { expected: &expected, actual: &actual };
                (clamp_value(&Value::Array(values), self.locale), text.violation(&facts))
            }
            ViolationKind::Required(members) => {
                let observed = self.observed_keys(members);
                let total = members.len();
                let sentence = text.violation(&ViolationFacts::Required { observed: &observed, total });
                report.observed_keys_total = (total > observed.len()).then_some(total);
                report.observed_keys = Some(observed);
                return sentence;
            }
            ViolationKind::AdditionalProperty => return text.violation(&ViolationFacts::Additional),
            ViolationKind::MinItems(limit, found) => {
                (json!(limit), text.violation(&ViolationFacts::MinItems { limit, found }))
            }
            ViolationKind::MinLength(limit, found) => {
                (json!(limit), text.violation(&ViolationFacts::MinLength { limit, found }))
            }
            ViolationKind::MaxLength(limit, found) => {
                (json!(limit), text.violation(&ViolationFacts::MaxLength { limit, found }))
            }
            ViolationKind::Contains(part) => {
                let part = self.masker.at(&violation.path, &json!(part));
                let facts = ViolationFacts::Contains { part: &self.show(&part), actual: shown };
                (part.clone(), text.violation(&facts))
            }
            ViolationKind::Minimum(limit) => {
                let facts = ViolationFacts::Minimum { limit: &compact(&json!(limit)), actual: shown };
                (json!(limit), text.violation(&facts))
            }
            ViolationKind::Maximum(limit) => {
                let facts = ViolationFacts::Maximum { limit: &compact(&json!(limit)), actual: shown };
                (json!(limit), text.violation(&facts))
            }
        };
        report.expected = Some(expected);
        sentence
    }

    fn observed_keys(&self, members: &Map<String, Value>) -> Vec<String> {
        let mut keys: Vec<&String> = members.keys().collect();
        keys.sort_by(|left, right| utf16_cmp(left, right));
        keys.into_iter().take(MAX_OBSERVED_KEYS).map(|key| self.words(key)).collect()
    }

    /// A scalar as JSON, a structure by its size.
    fn show(&self, value: &Value) -> String {
        match value {
            Value::Object(members) => text::of(self.locale).object_size(members.len()),
            Value::Array(items) => text::of(self.locale).array_size(items.len()),
            Value::String(text) => {
                let shown = clamp(text, self.locale);
                match cut_length(text) {
                    // The mark stands outside the quotes, or it would look like part of the value.
                    Some(_) => {
                        let end = text.char_indices().nth(LIMIT).map_or(text.len(), |(at, _)| at);
                        format!("{}{}", compact(&json!(text[..end])), &shown[end..])
                    }
                    None => compact(value),
                }
            }
            other => compact(other),
        }
    }

    fn show_typed(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Object(_) | Value::Array(_) => self.show(value),
            other => format!("{} ({})", type_name(other), self.show(other)),
        }
    }

    fn show_whole(&self, value: &Value) -> String {
        match value {
            Value::String(_) => self.show(value),
            other => clamp(&compact(other), self.locale),
        }
    }
}
