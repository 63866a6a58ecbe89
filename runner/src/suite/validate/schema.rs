//! The response schema subset.

use mcpeak_core::canonical::utf16_cmp;
use serde_json::{Map, Value};

use super::document::{Issues, join};
use super::issue::{Expected, Kind, Problem, echo_name};
use crate::json::safe_unsigned;
use crate::schema::{KEYWORDS, TYPE_NAMES};

/// Keywords that say nothing without a `type`, and the types that give them a meaning.
const TYPED: [(&str, &[&str]); 10] = [
    ("required", &["object"]),
    ("properties", &["object"]),
    ("additionalProperties", &["object"]),
    ("items", &["array"]),
    ("minItems", &["array"]),
    ("minLength", &["string"]),
    ("maxLength", &["string"]),
    ("stringContains", &["string"]),
    ("minimum", &["number", "integer"]),
    ("maximum", &["number", "integer"]),
];

/// Walks a schema: a node, then its properties in declared order, `additionalProperties`, `items`.
pub(super) fn schema(value: &Value, path: String, issues: &mut Issues) {
    let mut stack = vec![(value, path)];
    while let Some((value, path)) = stack.pop() {
        let Some(node) = value.as_object() else {
            let field = path.rsplit('.').next().unwrap_or(&path).to_owned();
            issues.wrong_type(path, &field, Kind::Schema, value);
            continue;
        };
        check(node, &path, issues);
        let mut children = Vec::new();
        if let Some(properties) = node.get("properties").and_then(Value::as_object) {
            let properties_path = join(&path, "properties");
            children.extend(properties.iter().map(|(key, child)| (child, join(&properties_path, key))));
        }
        if let Some(child @ Value::Object(_)) = node.get("additionalProperties") {
            children.push((child, join(&path, "additionalProperties")));
        }
        if let Some(child) = node.get("items") {
            children.push((child, join(&path, "items")));
        }
        stack.extend(children.into_iter().rev());
    }
}

fn check(node: &Map<String, Value>, path: &str, issues: &mut Issues) {
    if node.is_empty() {
        issues.push(path.to_owned(), Problem::Vacuous { field: "schema".to_owned() });
        return;
    }
    let mut foreign: Vec<&String> = node.keys().filter(|key| !KEYWORDS.contains(&key.as_str())).collect();
    foreign.sort_by(|left, right| utf16_cmp(left, right));
    for keyword in foreign {
        issues.push(join(path, keyword), Problem::Keyword { keyword: echo_name(keyword) });
    }
    type_keyword(node, path, issues);
    for keyword in KEYWORDS {
        let Some(value) = node.get(keyword) else { continue };
        keyword_value(keyword, value, join(path, keyword), issues);
        requires_type(keyword, node, path, issues);
    }
}

fn type_keyword(node: &Map<String, Value>, path: &str, issues: &mut Issues) {
    let Some(value) = node.get("type") else { return };
    match value.as_str() {
        None => issues.wrong_type(join(path, "type"), "type", Kind::String, value),
        Some(name) if TYPE_NAMES.contains(&name) => {}
        Some(_) => issues.bad_value(join(path, "type"), "type", Expected::Values(&TYPE_NAMES), value),
    }
}

fn requires_type(keyword: &str, node: &Map<String, Value>, path: &str, issues: &mut Issues) {
    let Some(&(keyword, types)) = TYPED.iter().find(|(name, _)| *name == keyword) else { return };
    let declared = node.get("type").and_then(Value::as_str);
    if !declared.is_some_and(|name| types.contains(&name)) {
        issues.push(join(path, keyword), Problem::KeywordType { keyword, types });
    }
}

fn keyword_value(keyword: &'static str, value: &Value, path: String, issues: &mut Issues) {
    match keyword {
        "enum" => match value.as_array() {
            None => issues.wrong_type(path, keyword, Kind::NonEmptyArray, value),
            Some(values) if values.is_empty() => {
                issues.push(path, Problem::Vacuous { field: keyword.to_owned() });
            }
            Some(_) => {}
        },
        "required" => required(value, path, issues),
        "properties" => match value.as_object() {
            None => issues.wrong_type(path, keyword, Kind::NonEmptyObject, value),
            Some(members) if members.is_empty() => {
                issues.push(path, Problem::Vacuous { field: keyword.to_owned() });
            }
            Some(_) => {}
        },
        "additionalProperties" if !matches!(value, Value::Bool(_) | Value::Object(_)) => {
            issues.wrong_type(path, keyword, Kind::BooleanOrSchema, value);
        }
        "minItems" | "minLength" | "maxLength" => match value {
            Value::Number(_) if safe_unsigned(value).is_some() => {}
            Value::Number(_) => issues.bad_value(path, keyword, Expected::Kind(Kind::Count), value),
            _ => issues.wrong_type(path, keyword, Kind::Count, value),
        },
        "stringContains" => match value.as_str() {
            None => issues.wrong_type(path, keyword, Kind::String, value),
            Some(text) if text.trim().is_empty() => {
                issues.push(path, Problem::Blank { field: keyword.to_owned() });
            }
            Some(_) => {}
        },
        "minimum" | "maximum" if !value.is_number() => {
            issues.wrong_type(path, keyword, Kind::Number, value);
        }
        _ => {}
    }
}

fn required(value: &Value, path: String, issues: &mut Issues) {
    let Some(names) = value.as_array() else {
        issues.wrong_type(path, "required", Kind::NonEmptyStringArray, value);
        return;
    };
    if names.is_empty() {
        issues.push(path, Problem::Vacuous { field: "required".to_owned() });
        return;
    }
    for (index, name) in names.iter().enumerate() {
        let path = format!("{path}[{index}]");
        match name.as_str() {
            None => issues.wrong_type(path, "required", Kind::String, name),
            Some(name) if name.trim().is_empty() => {
                issues.push(path, Problem::Blank { field: "required".to_owned() });
            }
            Some(_) => {}
        }
    }
}
