//! `Mcp-Name` and `Mcp-Param-*`: what a modern request repeats of its body in headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::wire::{Rule, Violation};

/// An argument that a header repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParamHeader {
    header: String,
    path: Vec<String>,
}

/// The `x-mcp-header` annotations of an input schema. An error is a rule broken: clients must not use such a tool.
pub(super) fn param_headers(schema: &Value) -> Result<Vec<ParamHeader>, Violation> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    collect(schema, Some(&mut path), &mut found).map_err(|seen| {
        let raw = schema.to_string();
        Violation::new(Rule::ParamHeader, "inputSchema", Some(seen), raw.as_bytes())
    })?;
    Ok(found)
}

/// `path` is `None` where a schema is not reached through `properties` alone. The error is the offending schema.
fn collect<'a>(
    schema: &'a Value,
    mut path: Option<&mut Vec<String>>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), &'a Value> {
    let Value::Object(members) = schema else {
        return match schema {
            Value::Array(items) => items.iter().try_for_each(|item| collect(item, None, found)),
            _ => Ok(()),
        };
    };
    if let Some(annotation) = members.get("x-mcp-header") {
        let header = annotation.as_str().filter(|name| is_token(name)).ok_or(schema)?;
        let path = path.as_deref().filter(|path| !path.is_empty()).ok_or(schema)?;
        let typed = members.get("type").and_then(Value::as_str);
        let unique = found.iter().all(|other| !other.header.eq_ignore_ascii_case(header));
        if !unique || !matches!(typed, Some("integer" | "string" | "boolean")) {
            return Err(schema);
        }
        found.push(ParamHeader { header: header.to_owned(), path: path.clone() });
    }
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            // Values, not schemas.
            ("const" | "default" | "enum" | "examples", _) => {}
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    match path.as_deref_mut() {
                        Some(path) => {
                            path.push(name.clone());
                            collect(property, Some(path), found)?;
                            path.pop();
                        }
                        None => collect(property, None, found)?,
                    }
                }
            }
            (_, value) => collect(value, None, found)?,
        }
    }
    Ok(())
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Header names and values for the arguments of a call. Null and absent arguments have none.
pub(super) fn values_of(headers: &[ParamHeader], arguments: &Map<String, Value>) -> Vec<(String, String)> {
    headers
        .iter()
        .filter_map(|annotated| {
            let (first, rest) = annotated.path.split_first()?;
            let value = rest.iter().try_fold(arguments.get(first)?, |value, name| value.get(name))?;
            let text = match value {
                Value::String(text) => header_value(text),
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => return None,
            };
            Some((format!("mcp-param-{}", annotated.header.to_ascii_lowercase()), text))
        })
        .collect()
}

/// The member of `params` that `Mcp-Name` repeats.
pub(super) fn name_header(method: &str, params: &Map<String, Value>) -> Option<String> {
    let member = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ if method.starts_with("tasks/") => "taskId",
        _ => return None,
    };
    params.get(member).and_then(Value::as_str).map(header_value)
}

/// A text as a header value: as it is where that survives the way, or between `=?base64?` and `?=`.
pub(super) fn header_value(text: &str) -> String {
    let safe = text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && text.trim() == text
        && !text.starts_with("=?base64?");
    if safe { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{header_value, name_header, param_headers, values_of};

    #[test]
    fn repeats_arguments() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "where": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        }});
        let headers = param_headers(&schema).unwrap();
        let arguments = json!({"region": "서울", "where": {"n": 3}, "dry": null});
        assert_eq!(
            values_of(&headers, arguments.as_object().unwrap()),
            [
                ("mcp-param-region".to_owned(), "=?base64?7ISc7Jq4?=".to_owned()),
                ("mcp-param-n".to_owned(), "3".to_owned())
            ]
        );
    }

    #[test]
    fn refuses_broken_annotations() {
        let with = |property: Value| param_headers(&json!({"type": "object", "properties": {"a": property}}));
        assert!(with(json!({"type": "string", "x-mcp-header": "Ok"})).is_ok());
        assert!(with(json!({"type": "string", "x-mcp-header": ""})).is_err());
        assert!(with(json!({"type": "string", "x-mcp-header": "a b"})).is_err());
        assert!(with(json!({"type": "number", "x-mcp-header": "A"})).is_err());
        assert!(with(json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}})).is_err());
        let twice = json!({"properties": {"a": {"type": "string", "x-mcp-header": "X"},
            "b": {"type": "string", "x-mcp-header": "x"}}});
        assert!(param_headers(&twice).is_err());
    }

    #[test]
    fn values_survive_headers() {
        assert_eq!(header_value("get_weather"), "get_weather");
        assert_eq!(header_value(" x"), "=?base64?IHg=?=");
        assert_eq!(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
        let params = json!({"name": "t", "uri": "u"});
        assert_eq!(name_header("tools/call", params.as_object().unwrap()).as_deref(), Some("t"));
        assert_eq!(name_header("resources/read", params.as_object().unwrap()).as_deref(), Some("u"));
        assert_eq!(name_header("tools/list", params.as_object().unwrap()), None);
    }
}
