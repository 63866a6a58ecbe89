//! The first place where two values differ: keys sorted, elements by index, without recursion.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::schema::Segment;

/// The place, and what is there on each side.
pub(super) struct First<'a> {
    pub(super) path: Vec<Segment<'a>>,
    pub(super) left: Option<&'a Value>,
    pub(super) right: Option<&'a Value>,
}

/// Descends into the first differing member until the sides are no longer structures of one kind.
pub(super) fn first_difference<'a>(left: &'a Value, right: &'a Value) -> Option<First<'a>> {
    if same(left, right) {
        return None;
    }
    let mut first = First { path: Vec::new(), left: Some(left), right: Some(right) };
    while let (Some(left), Some(right)) = (first.left, first.right) {
        let Some((segment, left, right)) = step(left, right) else { break };
        first.path.push(segment);
        (first.left, first.right) = (left, right);
    }
    Some(first)
}

fn same(left: &Value, right: &Value) -> bool {
    mcpeak_core::canonical::canonical_json(left) == mcpeak_core::canonical::canonical_json(right)
}

type Step<'a> = (Segment<'a>, Option<&'a Value>, Option<&'a Value>);

fn step<'a>(left: &'a Value, right: &'a Value) -> Option<Step<'a>> {
    let differ = |left: Option<&Value>, right: Option<&Value>| match (left, right) {
        (Some(left), Some(right)) => !same(left, right),
        (left, right) => left.is_some() != right.is_some(),
    };
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: BTreeSet<&str> = left.keys().chain(right.keys()).map(String::as_str).collect();
            keys.into_iter()
                .map(|key| (Segment::Key(key), left.get(key), right.get(key)))
                .find(|(_, left, right)| differ(*left, *right))
        }
        (Value::Array(left), Value::Array(right)) => (0..left.len().max(right.len()))
            .map(|index| (Segment::Index(index), left.get(index), right.get(index)))
            .find(|(_, left, right)| differ(*left, *right)),
        _ => None,
    }
}
