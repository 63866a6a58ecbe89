//! Canonical JSON as the TypeScript MCPeak defines it, and the fingerprint over it.
//!
//! Object keys sorted by UTF-16 code units, arrays in order, no white space, numbers and strings as JavaScript's
//! `JSON.stringify` writes them (ECMA-262, `SerializeJSONProperty`).

use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// Canonical JSON of a value.
///
/// Recursion is bounded by the parser: `serde_json` refuses documents nested deeper than 128 levels.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// SHA-256 of the canonical JSON, as 64 lower-case hex digits.
pub fn fingerprint(value: &Value) -> String {
    hex::encode(Sha256::digest(canonical_json(value).as_bytes()))
}

/// A number as `JSON.stringify` writes it: `1.0` is `1`, `1e21` is `1e+21`, `-0` is `0`.
/// Integers beyond 2^53 are rounded to the nearest double, as JavaScript reads them.
pub fn js_number(number: &Number) -> String {
    const MAX_SAFE: u64 = (1 << 53) - 1;
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(integer), _, _) if integer.unsigned_abs() <= MAX_SAFE => integer.to_string(),
        (_, Some(integer), _) if integer <= MAX_SAFE => integer.to_string(),
        (_, _, Some(double)) => {
            let double = if double == 0.0 { 0.0 } else { double };
            ryu_js::Buffer::new().format(double).to_owned()
        }
        _ => number.to_string(),
    }
}

/// Orders two texts by UTF-16 code units, as JavaScript's `<` and `Array.prototype.sort` do.
pub fn utf16_cmp(left: &str, right: &str) -> std::cmp::Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&js_number(number)),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(left, _), (right, _)| utf16_cmp(left, right));
            out.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_value(out, member);
            }
            out.push('}');
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if u32::from(control) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{canonical_json, fingerprint};

    #[test]
    fn documented_vector() {
        let suite = json!({"schemaVersion":1,"id":"weather","name":"weather","cases":[{"id":"tool-exists",
            "name":"get_weather exists","operation":{"type":"listTools"},
            "assertions":[{"type":"toolExists","tool":"get_weather"}]}]});
        assert_eq!(fingerprint(&suite), "5f07275ec848015d9636ce25a2dde2cc69f5fcc0d37d457d635eb4e707e69df1");
    }

    #[test]
    fn numbers_follow_javascript() {
        let text = r"[1.0,1e21,-0,-0.0,9007199254740993,1e-7,123456789012345680000,0.1,5e-324]";
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(
            canonical_json(&value),
            "[1,1e+21,0,0,9007199254740992,1e-7,123456789012345680000,0.1,5e-324]"
        );
    }

    #[test]
    fn keys_sort_by_utf16_code_units() {
        // U+10000 is D800 DC00 in UTF-16 and sorts before U+FB01, the other way round than in UTF-8.
        let value = json!({"\u{fb01}": 1, "\u{10000}": 2, "b": 3, "a": 4});
        assert_eq!(canonical_json(&value), "{\"a\":4,\"b\":3,\"\u{10000}\":2,\"\u{fb01}\":1}");
    }

    #[test]
    fn strings_escape_as_json_stringify() {
        assert_eq!(canonical_json(&json!("\u{1}\n\"\\/\u{7f}서")), "\"\\u0001\\n\\\"\\\\/\u{7f}서\"");
    }
}
