//! One spelling for every document that means the same.

use super::{Kind, Node, quote};

/// Keys sorted (duplicates in order), strings escaped minimally, numbers as sign, digits and exponent: `1.0`, `1` and `10e-1`
/// are one number, `9007199254740993` and `9007199254740992` are two.
pub(crate) fn canonical(node: &Node<'_>) -> String {
    let mut out = String::with_capacity(node.raw.len());
    append(node, &mut out);
    out
}

fn append(node: &Node<'_>, out: &mut String) {
    match &node.kind {
        Kind::Null | Kind::Bool(_) => out.push_str(node.raw),
        Kind::Number => append_number(node.raw, out),
        Kind::String => append_string(node, out),
        Kind::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                append(item, out);
            }
            out.push(']');
        }
        Kind::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            // Stable: duplicates of a key keep their order.
            sorted.sort_by_cached_key(|(name, _)| name.text().unwrap_or_default().into_owned());
            out.push('{');
            for (index, (name, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                append_string(name, out);
                out.push(':');
                append(value, out);
            }
            out.push('}');
        }
    }
}

fn append_string(node: &Node<'_>, out: &mut String) {
    if node.raw.contains('\\') {
        out.push_str(&quote(&node.text().unwrap_or_default()));
    } else {
        out.push_str(node.raw);
    }
}

/// `[-]digits[e[-]exponent]` without zeros at either end of the digits; integers that are short stay as they are.
fn append_number(raw: &str, out: &mut String) {
    let unsigned = raw.trim_start_matches('-');
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        out.push('0');
        return;
    }
    let significant = digits.trim_end_matches('0');
    let Ok(exponent) = exponent.trim_start_matches('+').parse::<i64>() else {
        // An exponent of more than 18 digits: only the same spelling is the same number.
        out.push_str(raw);
        return;
    };
    let dropped = i64::try_from(digits.len() - significant.len()).unwrap_or(i64::MAX);
    let scale =
        exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX)).saturating_add(dropped);
    if raw.starts_with('-') {
        out.push('-');
    }
    out.push_str(significant);
    if scale != 0 {
        out.push('e');
        out.push_str(&scale.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::canonical;

    fn of(text: &str) -> String {
        canonical(&parse(text).unwrap())
    }

    #[test]
    fn m3_json_key_order() {
        assert_eq!(of(r#"{"b": 1, "a": [1, 2]}"#), of("{\n  \"a\": [1,2],\n  \"b\": 1\n}"));
        assert_ne!(of("[1,2]"), of("[2,1]"), "arrays are ordered");
        assert_ne!(of("1"), of("\"1\""), "a number is not a text");
        assert_ne!(of(r#"{"a":1,"a":2}"#), of(r#"{"a":2}"#), "duplicates count");
        assert_ne!(of(r#"{"a":1,"a":2}"#), of(r#"{"a":2,"a":1}"#), "duplicates keep their order");
        assert_eq!(of(r#""\u00e9\/""#), of("\"é/\""));
    }

    #[test]
    fn m3_numbers_are_exact() {
        assert_ne!(of("9007199254740993"), of("9007199254740992"));
        assert_ne!(of("12345678901234567890"), of("12345678901234567891"));
        for same in ["1", "1.0", "1e0", "10e-1", "0.1E+1"] {
            assert_eq!(of(same), "1", "{same}");
        }
        assert_eq!(of("-0.0"), "0");
        assert_eq!(of("1500"), of("1.5e3"));
        assert_ne!(of("0.1"), of("0.10000000000000001"));
    }
}
