//! Arguments against a tool's `inputSchema`, top level only.

use serde_json::{Map, Value};

use super::check::Found;
use super::finding::{FindingFacts, RangeRule};
use crate::json::{compact, equal, type_name};
use crate::mask::Masker;
use crate::schema::{Segment, TypeName};

/// Keywords at the root that make the schema more than a list of fields, in the order in which they are reported.
const ROOT_BEYOND: [&str; 14] = [
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$dynamicRef",
    "patternProperties",
    "dependentSchemas",
    "dependentRequired",
    "propertyNames",
    "unevaluatedProperties",
];

/// Keywords of a field that are read. Any other one that constrains means that the field may be broken unseen.
const FIELD_READ: [&str; 18] = [
    "type",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
];

/// Keywords that make a field more than a type with limits.
const FIELD_BEYOND: [&str; 9] =
    ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef"];

/// What a check could see.
pub(super) enum Checked {
    /// The schema is beyond this check, because of this keyword.
    Beyond(String),
    /// It was read.
    Complete {
        /// What the arguments break.
        violations: Vec<Found>,
        /// Whether nothing that constrains the arguments was passed over.
        everything_read: bool,
    },
}

pub(super) fn check(schema: Option<&Value>, input: &Map<String, Value>, masker: &Masker) -> Checked {
    let Some(schema) = schema.and_then(Value::as_object) else {
        return Checked::Beyond("inputSchema".to_owned());
    };
    if let Some(keyword) = ROOT_BEYOND.iter().find(|keyword| schema.contains_key(**keyword)) {
        return Checked::Beyond((*keyword).to_owned());
    }
    if schema.get("type").is_some_and(|name| name != "object") {
        return Checked::Beyond("type".to_owned());
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Checked::Beyond("properties".to_owned());
    };
    let mut violations = Vec::new();
    let mut everything_read = schema.keys().all(|key| {
        matches!(
            key.as_str(),
            "type"
                | "properties"
                | "required"
                | "additionalProperties"
                | "title"
                | "description"
                | "$schema"
                | "$id"
                | "$comment"
        )
    });
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str().filter(|name| !input.contains_key(*name)) {
            violations.push(at(name, FindingFacts::RequiredMissing { field: name.to_owned() }));
        }
    }
    for (name, value) in input {
        match properties.get(name) {
            Some(declared) => {
                everything_read &= field(name, declared, value, masker, &mut violations);
            }
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                violations.push(at(name, FindingFacts::UndeclaredField { field: name.clone() }));
            }
            None => everything_read &= !schema.get("additionalProperties").is_some_and(Value::is_object),
        }
    }
    Checked::Complete { violations, everything_read }
}

/// Looks at one field; false if something that may constrain it was passed over.
fn field(name: &str, declared: &Value, value: &Value, masker: &Masker, out: &mut Vec<Found>) -> bool {
    let Some(declared) = declared.as_object() else { return declared == &Value::Bool(true) };
    let type_value = declared.get("type");
    let skipped = FIELD_BEYOND.iter().any(|keyword| declared.contains_key(*keyword))
        || type_value.is_some_and(|name| !name.is_string());
    if skipped {
        return false;
    }
    let shown = || compact(&masker.at(&[Segment::Key(name)], value));
    let expected = type_value.and_then(Value::as_str).and_then(TypeName::from_name);
    if let Some(expected) = expected.filter(|expected| !expected.accepts(value)) {
        let actual = match value {
            Value::Object(_) | Value::Array(_) | Value::Null => type_name(value).to_owned(),
            scalar => format!("{} ({})", type_name(scalar), shown()),
        };
        let expected = expected.as_str().to_owned();
        out.push(at(name, FindingFacts::TypeMismatch { field: name.to_owned(), expected, actual }));
        return true;
    }
    if let Some(choices) = declared.get("enum").and_then(Value::as_array)
        && !choices.iter().any(|choice| equal(choice, value))
    {
        let allowed = choices.iter().map(compact).collect::<Vec<_>>().join(", ");
        let facts = FindingFacts::EnumMismatch { field: name.to_owned(), allowed, actual: shown() };
        out.push(at(name, facts));
        return true;
    }
    if let Some((rule, limit, measured)) = range(declared, value) {
        let actual = measured.map_or_else(shown, |count| count.to_string());
        let facts =
            FindingFacts::RangeMismatch { field: name.to_owned(), rule, limit: compact(limit), actual };
        out.push(at(name, facts));
        return true;
    }
    // Inside of structures nothing is looked at.
    let nested = matches!(value, Value::Object(_) | Value::Array(_));
    !nested && declared.keys().all(|keyword| FIELD_READ.contains(&keyword.as_str()))
}

/// The first range rule that is broken: rule, limit, and the length or number of elements if that is what was measured.
fn range<'a>(
    declared: &'a Map<String, Value>,
    value: &Value,
) -> Option<(RangeRule, &'a Value, Option<usize>)> {
    let broken = |keyword: &str, breaks: &dyn Fn(f64) -> bool| {
        declared.get(keyword).filter(|limit| limit.as_f64().is_some_and(breaks))
    };
    match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            let rules: [(RangeRule, Option<&Value>); 4] = [
                (RangeRule::Minimum, broken("minimum", &|limit| number < limit)),
                (RangeRule::Maximum, broken("maximum", &|limit| number > limit)),
                (RangeRule::ExclusiveMinimum, broken("exclusiveMinimum", &|limit| number <= limit)),
                (RangeRule::ExclusiveMaximum, broken("exclusiveMaximum", &|limit| number >= limit)),
            ];
            rules.into_iter().find_map(|(rule, limit)| Some((rule, limit?, None)))
        }
        Value::String(text) => {
            let rules = (RangeRule::MinLength, "minLength", RangeRule::MaxLength, "maxLength");
            size(text.chars().count(), rules, &broken)
        }
        Value::Array(items) => {
            let rules = (RangeRule::MinItems, "minItems", RangeRule::MaxItems, "maxItems");
            size(items.len(), rules, &broken)
        }
        _ => None,
    }
}

type Broken<'b, 'a> = dyn Fn(&str, &dyn Fn(f64) -> bool) -> Option<&'a Value> + 'b;

#[expect(clippy::cast_precision_loss, reason = "lengths beyond 2^53 do not occur")]
fn size<'a>(
    found: usize,
    (least, least_keyword, most, most_keyword): (RangeRule, &str, RangeRule, &str),
    broken: &Broken<'_, 'a>,
) -> Option<(RangeRule, &'a Value, Option<usize>)> {
    let measured = found as f64;
    if let Some(limit) = broken(least_keyword, &|limit| measured < limit) {
        return Some((least, limit, Some(found)));
    }
    broken(most_keyword, &|limit| measured > limit).map(|limit| (most, limit, Some(found)))
}

fn at(field: &str, facts: FindingFacts) -> Found {
    Found { path: format!("operation.input.{field}"), facts }
}
