//! The structure of JSON documents, without their values: what drift is measured by.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::changes::member;
use crate::json::{Kind, Node, parse};

/// How a live answer is built otherwise than the recorded ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Drift {
    /// The status is another one.
    Status {
        /// Recorded ones.
        recorded: Vec<u16>,
        /// The live one.
        live: u16,
    },
    /// The media type is another one.
    MediaType {
        /// Recorded ones.
        recorded: Vec<String>,
        /// The live one.
        live: String,
    },
    /// A body that was JSON is none now.
    NotJson,
    /// A member that every recorded answer has is missing.
    Missing {
        /// Its place: `body.items[*].name`.
        place: String,
    },
    /// A value is of another type.
    Type {
        /// Its place.
        place: String,
        /// Recorded types.
        recorded: Vec<&'static str>,
        /// Live types.
        live: Vec<&'static str>,
    },
    /// A member that no recorded answer has. Clients are used to those: it is told and fails nothing.
    Added {
        /// Its place.
        place: String,
    },
}

impl Drift {
    /// Whether a client may stumble over it.
    pub const fn breaks(&self) -> bool {
        !matches!(self, Self::Added { .. })
    }
}

/// The structure of one or more documents: what stands at each place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape(BTreeMap<String, Facts>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Facts {
    types: BTreeSet<&'static str>,
    /// How often something stands here.
    count: usize,
    /// How often that is an object.
    objects: usize,
    /// The place of the object that it is a member of.
    member_of: Option<String>,
}

impl Shape {
    /// Adds a document; `false` if the text is none.
    pub(crate) fn add(&mut self, text: &str) -> bool {
        let Ok(node) = parse(text.trim_start_matches('\u{feff}').trim()) else { return false };
        self.visit("body", None, &node);
        true
    }

    fn visit(&mut self, place: &str, member_of: Option<&str>, node: &Node<'_>) {
        let facts = self.0.entry(place.to_owned()).or_default();
        facts.count += 1;
        facts.member_of = member_of.map(str::to_owned);
        facts.types.insert(match &node.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
        });
        match &node.kind {
            Kind::Array(items) => {
                let place = format!("{place}[*]");
                for item in items {
                    self.visit(&place, None, item);
                }
            }
            Kind::Object(members) => {
                facts.objects += 1;
                for (name, value) in members {
                    self.visit(&member(place, name), Some(place), value);
                }
            }
            _ => {}
        }
    }

    /// How a live document differs from these recorded ones. A `null` fits every type: it says that there is no value this time.
    pub(crate) fn drift(&self, live: &Self) -> Vec<Drift> {
        let mut found = Vec::new();
        for (place, recorded) in &self.0 {
            let parent = recorded.member_of.as_ref();
            let always = parent.is_some_and(|parent| self.objects(parent) == recorded.count);
            match live.0.get(place) {
                None if always && parent.is_some_and(|parent| live.objects(parent) > 0) => {
                    found.push(Drift::Missing { place: place.clone() });
                }
                Some(now) => {
                    let known = |types: &BTreeSet<&'static str>| -> Vec<&'static str> {
                        types.iter().copied().filter(|kind| *kind != "null").collect()
                    };
                    let (before, after) = (known(&recorded.types), known(&now.types));
                    if !before.is_empty() && after.iter().any(|kind| !before.contains(kind)) {
                        found.push(Drift::Type { place: place.clone(), recorded: before, live: after });
                    }
                    let lacks = parent.is_some_and(|parent| live.objects(parent) > now.count);
                    if always && lacks {
                        found.push(Drift::Missing { place: place.clone() });
                    }
                }
                None => {}
            }
        }
        for (place, now) in &live.0 {
            let parent = now.member_of.as_ref();
            if !self.0.contains_key(place) && parent.is_some_and(|parent| self.objects(parent) > 0) {
                found.push(Drift::Added { place: place.clone() });
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn objects(&self, place: &str) -> usize {
        self.0.get(place).map_or(0, |facts| facts.objects)
    }
}

#[cfg(test)]
mod tests {
    use super::{Drift, Shape};

    fn drift(recorded: &[&str], live: &str) -> Vec<Drift> {
        let (mut before, mut after) = (Shape::default(), Shape::default());
        assert!(recorded.iter().all(|text| before.add(text)) && after.add(live));
        before.drift(&after)
    }

    #[test]
    fn d3_values_are_no_drift() {
        assert!(
            drift(&[r#"{"at":"2024","n":1,"l":[{"x":1}]}"#], r#"{"n":2.5,"at":"2026","l":[]}"#).is_empty()
        );
        assert!(drift(&[r#"{"a":null}"#], r#"{"a":"x"}"#).is_empty(), "null fits every type");
        assert!(drift(&[r#"{"a":1}"#, "{}"], "{}").is_empty(), "what was optional may be absent");
    }

    #[test]
    fn d5_types_and_missing_members_are() {
        let place = |place: &str| place.to_owned();
        assert_eq!(
            drift(&[r#"{"l":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}"#], r#"{"l":[{"id":"1","tag":0}]}"#),
            [
                Drift::Missing { place: place("body.l[*].name") },
                Drift::Type { place: place("body.l[*].id"), recorded: vec!["number"], live: vec!["string"] },
                Drift::Added { place: place("body.l[*].tag") },
            ]
        );
        assert_eq!(
            drift(&[r#"[{"a":1},{"a":1}]"#], r#"[{"a":1},{}]"#),
            [Drift::Missing { place: place("body[*].a") }]
        );
        assert!(!Drift::Added { place: place("x") }.breaks() && Drift::NotJson.breaks());
    }
}
