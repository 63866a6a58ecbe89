//! Over-long text, cut and marked.

use mcpeak_core::locale::Locale;
use serde_json::{Value, json};

use crate::json::compact;
use crate::text;

/// Longest text of a value in a report, in code points.
pub const LIMIT: usize = 200;

/// Largest whole value in a diagnostic, in bytes of its compact JSON; beyond it only the size is told.
const WHOLE_LIMIT: usize = 16 * 1024;

/// A text of at most [`LIMIT`] code points, with the mark that says how long it was.
/// Redact before: a secret that is cut in two is not recognised any more.
pub fn clamp(text: &str, locale: Locale) -> String {
    clamp_to(text, LIMIT, locale)
}

/// How long a text was, if [`clamp`] cuts it.
pub fn cut_length(text: &str) -> Option<usize> {
    let length = text.chars().count();
    (length > LIMIT).then_some(length)
}

/// Two texts, cut so that the place where they differ can be seen.
pub fn clamp_pair(left: &str, right: &str, locale: Locale) -> (String, String) {
    const BEFORE: usize = 40;
    let same = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    if same < LIMIT - BEFORE {
        return (clamp(left, locale), clamp(right, locale));
    }
    let skipped = same - BEFORE;
    let mark = text::of(locale).skipped_before(skipped);
    let window = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        format!("{mark}{}", clamp(&rest, locale))
    };
    (window(left), window(right))
}

/// A value for a diagnostic: long strings inside are cut; a value that is still large is told by its size.
pub fn clamp_value(value: &Value, locale: Locale) -> Value {
    let clamped = clamp_strings(value, locale);
    if compact(&clamped).len() > WHOLE_LIMIT { summary(value) } else { clamped }
}

/// `{kind, keys}` or `{kind, items}` of a structure; a scalar itself.
pub fn summary(value: &Value) -> Value {
    match value {
        Value::Object(members) => json!({"kind": "object", "keys": members.len()}),
        Value::Array(items) => json!({"kind": "array", "items": items.len()}),
        other => other.clone(),
    }
}

fn clamp_strings(value: &Value, locale: Locale) -> Value {
    match value {
        Value::String(text) => Value::String(clamp(text, locale)),
        Value::Array(items) => items.iter().map(|item| clamp_strings(item, locale)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, member)| (key.clone(), clamp_strings(member, locale))).collect(),
        ),
        other => other.clone(),
    }
}

fn clamp_to(text: &str, limit: usize, locale: Locale) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let total = text.chars().count();
    format!("{}{}", &text[..end], text::of(locale).cut_mark(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_code_points_and_says_so() {
        let long = "서".repeat(201);
        assert_eq!(clamp(&"서".repeat(200), Locale::Ko), "서".repeat(200));
        assert_eq!(clamp(&long, Locale::Ko), format!("{}…(총 201자)", "서".repeat(200)));
        assert_eq!(clamp(&long, Locale::En), format!("{}…(201 characters in total)", "서".repeat(200)));
        assert_eq!((cut_length("abc"), cut_length(&long)), (None, Some(201)));
    }

    #[test]
    fn a_late_difference_is_visible() {
        let same = "x".repeat(500);
        let (left, right) = clamp_pair(&format!("{same}A"), &format!("{same}B"), Locale::Ko);
        assert_eq!(left, format!("…(앞 460자 생략){}A", "x".repeat(40)));
        assert_eq!(right, format!("…(앞 460자 생략){}B", "x".repeat(40)));
    }

    #[test]
    fn large_values_are_told_by_size() {
        let items: Vec<String> = (0..200).map(|_| "y".repeat(150)).collect();
        assert_eq!(clamp_value(&json!(items), Locale::En), json!({"kind": "array", "items": 200}));
        assert_eq!(clamp_value(&json!({"a": "b"}), Locale::En), json!({"a": "b"}));
    }
}
