//! What a difference looks like.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;
use serde_json::Value;

/// What a difference looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DifferenceHint {
    /// Times in ISO 8601.
    Timestamp,
    /// UUIDs.
    RandomId,
    /// Numbers.
    NumericDrift,
}

/// Kinds of values that change by themselves, in the order in which they are taken out of a text: a timestamp contains
/// numbers, so it goes first.
static KINDS: LazyLock<[(DifferenceHint, Regex); 3]> = LazyLock::new(|| {
    let regex = |pattern| Regex::new(pattern).expect("the pattern is a constant that compiles");
    [
        (
            DifferenceHint::Timestamp,
            regex(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"),
        ),
        (
            DifferenceHint::RandomId,
            regex(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
        ),
        (DifferenceHint::NumericDrift, regex(r"-?\d+(?:\.\d+)?")),
    ]
});

/// The one kind of value that changed, if nothing else did.
pub(super) fn hint(left: &Value, right: &Value) -> Option<DifferenceHint> {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => Some(DifferenceHint::NumericDrift),
        (Value::String(left), Value::String(right)) => text_hint(left, right),
        _ => None,
    }
}

fn text_hint(left: &str, right: &str) -> Option<DifferenceHint> {
    let (mut left, mut right) = (left.to_owned(), right.to_owned());
    for (kind, regex) in &*KINDS {
        let values =
            |text: &str| regex.find_iter(text).map(|found| found.as_str().to_owned()).collect::<Vec<_>>();
        let changed = values(&left) != values(&right);
        // U+0000 takes the place of a value: it does not occur in what is looked for.
        left = regex.replace_all(&left, "\0").into_owned();
        right = regex.replace_all(&right, "\0").into_owned();
        if changed {
            return (left == right).then_some(*kind);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DifferenceHint, hint};

    #[test]
    fn only_if_nothing_else_differs() {
        let of = |left: &str, right: &str| hint(&json!(left), &json!(right));
        assert_eq!(
            of("at 2026-01-01T10:00:00Z by 1", "at 2026-01-01T10:00:01Z by 1"),
            Some(DifferenceHint::Timestamp)
        );
        assert_eq!(of("at 2026-01-01T10:00Z by 1", "at 2026-01-01T10:01Z by 2"), None);
        assert_eq!(
            of("id 0f0f0f0f-0000-4000-8000-000000000001", "id 0f0f0f0f-0000-4000-8000-000000000002"),
            Some(DifferenceHint::RandomId)
        );
        assert_eq!(of("took 1.5 ms", "took 17 ms"), Some(DifferenceHint::NumericDrift));
        assert_eq!(of("took 1 ms", "needs 1 ms"), None);
        assert_eq!(of("took 1 ms", "took 2 s"), None);
        assert_eq!(hint(&json!(1), &json!(2)), Some(DifferenceHint::NumericDrift));
        assert_eq!(hint(&json!(1), &json!("2")), None);
    }
}
