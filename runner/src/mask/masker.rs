//! The masker.

use std::sync::LazyLock;

use mcpeak_core::redact::is_sensitive_name;
use mcpeak_core::secret::Secret;
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::embedded;
use super::literal::Literals;
use crate::json::compact;
use crate::schema::Segment;

/// What stands where a secret was.
pub const REPLACEMENT: &str = "[REDACTED]";

/// `"name": value` in JSON that is cut off or broken, so that no parser finds it.
static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""((?:[^"\\]|\\.)*)"(\s*:\s*)("(?:[^"\\]|\\.)*("|\\?$)|[^\s,}\]\[{"]+)"#)
        .expect("the pattern is a constant that compiles")
});

/// Takes secrets out of what is reported. Without literal values it still masks by name.
#[derive(Clone, Default)]
pub struct Masker {
    literals: Literals,
}

impl Masker {
    /// With the values that the user handed to the server by `--env` and `--header-env`.
    pub fn new(values: &[Secret<String>]) -> Self {
        Self { literals: Literals::new(values) }
    }

    /// A copy without secrets. Under a sensitive name the whole value goes.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Number(number) if self.literals.is_exactly(&number.to_string()) => {
                Value::String(REPLACEMENT.to_owned())
            }
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => Value::Object(self.members(members)),
            other => other.clone(),
        }
    }

    /// A copy of an object without secrets.
    pub fn members(&self, members: &Map<String, Value>) -> Map<String, Value> {
        members
            .iter()
            .map(|(key, member)| {
                let member = if is_sensitive_name(key) {
                    Value::String(REPLACEMENT.to_owned())
                } else {
                    self.value(member)
                };
                (self.literals.replace(key), member)
            })
            .collect()
    }

    /// A text without secrets; JSON inside it is masked by name too.
    pub fn text(&self, text: &str) -> String {
        let mask = |value: &Value| {
            let masked = self.value(value);
            (masked != *value).then_some(masked)
        };
        let rewritten = embedded::rewrite(text, &mask);
        let text = rewritten.as_deref().unwrap_or(text);
        let text = MEMBER.replace_all(text, |found: &Captures<'_>| {
            if is_sensitive_name(&found[1]) {
                format!("\"{}\"{}\"{REPLACEMENT}\"", &found[1], &found[2])
            } else {
                found[0].to_owned()
            }
        });
        self.literals.replace(&text)
    }

    /// A value at a path: hidden whole when a name on the way to it is sensitive.
    pub fn at(&self, path: &[Segment<'_>], value: &Value) -> Value {
        let hidden = path.iter().any(|segment| match segment {
            Segment::Key(key) => is_sensitive_name(key),
            Segment::Index(_) => false,
        });
        if hidden { Value::String(REPLACEMENT.to_owned()) } else { self.value(value) }
    }

    /// A schema without secrets: its shape stays, the values below a property with a sensitive name go.
    pub fn schema(&self, schema: &Value) -> Value {
        self.schema_node(schema, false)
    }

    fn schema_node(&self, schema: &Value, hidden: bool) -> Value {
        let Value::Object(members) = schema else { return self.value(schema) };
        let mut out = Map::new();
        for (key, member) in members {
            let masked = match (key.as_str(), member) {
                ("properties", Value::Object(properties)) => Value::Object(
                    properties
                        .iter()
                        .map(|(name, child)| {
                            let hidden = hidden || is_sensitive_name(name);
                            (self.literals.replace(name), self.schema_node(child, hidden))
                        })
                        .collect(),
                ),
                ("items" | "additionalProperties", child) => self.schema_node(child, hidden),
                ("const" | "stringContains", _) if hidden => Value::String(REPLACEMENT.to_owned()),
                ("enum", _) if hidden => Value::Array(vec![Value::String(REPLACEMENT.to_owned())]),
                (_, other) => self.value(other),
            };
            out.insert(key.clone(), masked);
        }
        Value::Object(out)
    }

    /// One line of JSON of a value without secrets.
    pub fn line(&self, value: &Value) -> String {
        compact(&self.value(value))
    }
}
