//! JSON as JavaScript writes and compares it: reports must be the bytes that `JSON.stringify` gives.

use mcpeak_core::canonical::js_number;
use serde_json::Value;

const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// `JSON.stringify(value)`: one line, members in their order.
pub fn compact(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, None);
    out
}

/// `JSON.stringify(value, null, 2)`: two spaces a level, no final newline.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, Some(0));
    out
}

/// Name of a value's JSON type; integers are `number`.
pub const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Deep equality. Numbers are compared as doubles, as a suite's verdicts were defined; member order does not matter.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => left == right,
    }
}

/// Whether a value is a number without fraction: `1.0` is an integer.
pub fn is_integer(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// An integer from 0 to 2^53 − 1, however it is written (`3`, `3.0`, `3e0`).
pub fn safe_unsigned(value: &Value) -> Option<u64> {
    let number = value.as_f64()?;
    if number.fract() != 0.0 || !(0.0..=MAX_SAFE).contains(&number) {
        return None;
    }
    // The range check above makes the conversion exact.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ..= 2^53 - 1, integral")]
    Some(number as u64)
}

/// Members in the order in which a JavaScript object keeps them: array indexes first, ascending (ECMA-262,
/// OrdinaryOwnPropertyKeys), then all others as they came.
#[must_use]
pub fn js_member_order(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(js_member_order).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.into_iter().map(|(key, member)| (key, js_member_order(member))).collect();
            // Stable: those that are no indexes keep their order behind them.
            members.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
            Value::Object(members.into_iter().collect())
        }
        other => other,
    }
}

/// The array index that a key spells: decimal, without leading zeros, below 2^32 − 1.
fn array_index(key: &str) -> Option<u32> {
    let plain = key.bytes().all(|byte| byte.is_ascii_digit()) && (key == "0" || !key.starts_with('0'));
    key.parse().ok().filter(|index| plain && *index != u32::MAX)
}

fn write(out: &mut String, value: &Value, indent: Option<usize>) {
    match value {
        Value::Number(number) => out.push_str(&js_number(number)),
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            let inner = indent.map(|level| level + 1);
            for (index, item) in items.iter().enumerate() {
                separate(out, index, inner);
                write(out, item, inner);
            }
            break_line(out, indent);
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            out.push('{');
            let inner = indent.map(|level| level + 1);
            for (index, (key, member)) in members.iter().enumerate() {
                separate(out, index, inner);
                write(out, &Value::String(key.clone()), None);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(out, member, inner);
            }
            break_line(out, indent);
            out.push('}');
        }
        // Escapes of strings are those of JSON.stringify; the rest has one spelling.
        other => out.push_str(&other.to_string()),
    }
}

fn separate(out: &mut String, index: usize, indent: Option<usize>) {
    if index > 0 {
        out.push(',');
    }
    break_line(out, indent);
}

fn break_line(out: &mut String, indent: Option<usize>) {
    if let Some(level) = indent {
        out.push('\n');
        for _ in 0..level {
            out.push_str("  ");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{compact, equal, is_integer, js_member_order, pretty, safe_unsigned};

    #[test]
    fn writes_what_json_stringify_writes() {
        let value: Value =
            serde_json::from_str(r#"{"b":1.0,"a":[],"c":{},"d":[1e21,-0.0,{"x":"é\u0001\n"}]}"#).unwrap();
        assert_eq!(compact(&value), r#"{"b":1,"a":[],"c":{},"d":[1e+21,0,{"x":"é\u0001\n"}]}"#);
        assert_eq!(
            pretty(&json!({"a": [1, {"b": null}], "c": []})),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": []\n}"
        );
    }

    #[test]
    fn numbers_are_doubles() {
        assert!(equal(&json!(1), &json!(1.0)));
        assert!(equal(&json!({"a": 1, "b": [2]}), &json!({"b": [2.0], "a": 1})));
        assert!(!equal(&json!([1]), &json!([1, 2])));
        assert!(!equal(&json!("1"), &json!(1)));
        assert!(is_integer(&json!(1.0)) && !is_integer(&json!(1.5)) && !is_integer(&json!("1")));
    }

    #[test]
    fn array_indexes_come_first() {
        let text = r#"{"b":{"x":1,"10":2},"010":3,"2":4,"a":[{"y":5,"0":6}],"1":7,"4294967295":8,"-1":9}"#;
        let value = js_member_order(serde_json::from_str(text).unwrap());
        assert_eq!(
            compact(&value),
            r#"{"1":7,"2":4,"b":{"10":2,"x":1},"010":3,"a":[{"0":6,"y":5}],"4294967295":8,"-1":9}"#
        );
    }

    #[test]
    fn safe_integers() {
        assert_eq!(safe_unsigned(&json!(3.0)), Some(3));
        assert_eq!(safe_unsigned(&json!(9_007_199_254_740_992_u64)), None);
        assert_eq!(safe_unsigned(&json!(-1)), None);
        assert_eq!(safe_unsigned(&json!("3")), None);
    }
}
