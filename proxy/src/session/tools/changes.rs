//! What differs between two JSON documents, by place.

use serde::Serialize;

use crate::json::{Kind, Node, canonical, parse};

/// Values are shown up to this many characters.
const SHOWN: usize = 60;

/// One place that differs. A side that has nothing there is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `status`, `header content-type`, `body.items[2].name`, `body`.
    pub place: String,
    /// In the first file.
    pub left: Option<String>,
    /// In the second.
    pub right: Option<String>,
}

impl Change {
    /// A change with its values cut to what a reader can take in.
    pub(crate) fn new(place: impl Into<String>, left: Option<&str>, right: Option<&str>) -> Self {
        let shown = |value: &str| match value.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &value[..end]),
            None => value.to_owned(),
        };
        Self { place: place.into(), left: left.map(shown), right: right.map(shown) }
    }
}

/// The place of a member: `.name`, quoted where it is no plain word.
pub(crate) fn member(place: &str, name: &Node<'_>) -> String {
    let text = name.text().unwrap_or_default();
    let plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain { format!("{place}.{text}") } else { format!("{place}[{}]", name.raw) }
}

/// Two documents compared value by value; `None` if one is no JSON. The order of members does not count.
pub(crate) fn changes(place: &str, left: &str, right: &str, ignored: &[String]) -> Option<Vec<Change>> {
    let (left, right) = (parse(left.trim()).ok()?, parse(right.trim()).ok()?);
    let mut found = Vec::new();
    compare(place, &left, &right, ignored, &mut found);
    Some(found)
}

fn compare(place: &str, left: &Node<'_>, right: &Node<'_>, ignored: &[String], found: &mut Vec<Change>) {
    if ignored.iter().any(|ignored| ignored == &general(place)) {
        return;
    }
    match (&left.kind, &right.kind) {
        (Kind::Object(before), Kind::Object(after)) => {
            let same = |one: &Node<'_>, other: &Node<'_>| one.text() == other.text();
            for (name, value) in before {
                let place = member(place, name);
                match after.iter().find(|(other, _)| same(name, other)) {
                    Some((_, other)) => compare(&place, value, other, ignored, found),
                    None => only(&place, Some(value), None, ignored, found),
                }
            }
            for (name, value) in after {
                if !before.iter().any(|(other, _)| same(name, other)) {
                    only(&member(place, name), None, Some(value), ignored, found);
                }
            }
        }
        (Kind::Array(before), Kind::Array(after)) => {
            for index in 0..before.len().max(after.len()) {
                let place = format!("{place}[{index}]");
                match (before.get(index), after.get(index)) {
                    (Some(left), Some(right)) => compare(&place, left, right, ignored, found),
                    (left, right) => only(&place, left, right, ignored, found),
                }
            }
        }
        _ if canonical(left) == canonical(right) => {}
        _ => found.push(Change::new(place, Some(left.raw), Some(right.raw))),
    }
}

fn only(
    place: &str,
    left: Option<&Node<'_>>,
    right: Option<&Node<'_>>,
    ignored: &[String],
    found: &mut Vec<Change>,
) {
    if !ignored.iter().any(|ignored| ignored == &general(place)) {
        found.push(Change::new(place, left.map(|node| node.raw), right.map(|node| node.raw)));
    }
}

/// A place with every index as `[*]`, as rules write it.
fn general(place: &str) -> String {
    let mut out = String::with_capacity(place.len());
    let mut rest = place;
    while let Some(open) = rest.find('[') {
        let end = rest[open..].find(']').map_or(rest.len(), |end| open + end);
        let index = &rest[open + 1..end.min(rest.len())];
        if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(&rest[..open]);
            out.push_str("[*]");
        } else {
            out.push_str(&rest[..(end + 1).min(rest.len())]);
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{Change, changes};

    fn all(left: &str, right: &str, ignored: &[&str]) -> Vec<String> {
        let ignored: Vec<String> = ignored.iter().map(|place| (*place).to_owned()).collect();
        let show = |change: Change| {
            format!(
                "{} {} {}",
                change.place,
                change.left.unwrap_or_default(),
                change.right.unwrap_or_default()
            )
        };
        changes("body", left, right, &ignored).unwrap().into_iter().map(show).collect()
    }

    #[test]
    fn f8_json_is_compared_by_place_and_value() {
        assert!(all(r#"{"a":1,"b":[1.0,"x"]}"#, r#"{ "b": [1.0, "\u0078"], "a": 1 }"#, &[]).is_empty());
        assert_eq!(
            all(r#"{"a":{"b":1},"c":[1],"d":true}"#, r#"{"a":{"b":"1"},"c":[1,2],"e k":null}"#, &[]),
            ["body.a.b 1 \"1\"", "body.c[1]  2", "body.d true ", "body[\"e k\"]  null"]
        );
    }

    #[test]
    fn d3_a_place_can_be_ignored_for_every_item() {
        let (left, right) = (r#"{"l":[{"t":1,"v":2},{"t":3}]}"#, r#"{"l":[{"t":4,"v":5},{"t":6}]}"#);
        assert_eq!(all(left, right, &["body.l[*].t"]), ["body.l[0].v 2 5"]);
    }

    #[test]
    fn what_is_no_json_is_not_compared_as_such() {
        assert_eq!(changes("body", "{", "{}", &[]), None);
    }
}
