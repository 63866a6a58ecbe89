//! Rules that take volatile parts out of matching: `query:NAME`, `form:NAME`, `header:NAME`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::parts::{BodyParts, Parts};

/// The rules of a session file.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    written: String,
    place: RulePlace,
    name: String,
    acted: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RulePlace {
    Query,
    Form,
    Header,
}

impl Rules {
    /// Whether a text is a rule that is understood.
    pub(crate) fn understands(written: &str) -> bool {
        Rule::parse(written).is_some()
    }

    /// The rules that are understood; the reader has refused the others.
    pub(crate) fn new(written: &[String]) -> Self {
        Self(written.iter().filter_map(|rule| Rule::parse(rule)).collect())
    }

    /// Takes out of a request's parts what the rules name.
    pub(crate) fn apply(&self, parts: &mut Parts) {
        for rule in &self.0 {
            let pairs = match (rule.place, &mut parts.body) {
                (RulePlace::Query, _) => &mut parts.query,
                (RulePlace::Header, _) => &mut parts.headers,
                (RulePlace::Form, BodyParts::Form(form)) => form,
                (RulePlace::Form, _) => continue,
            };
            let before = pairs.len();
            pairs.retain(|(name, _)| *name != rule.name);
            if pairs.len() < before {
                rule.acted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Rules that have not acted on any recording or request.
    pub(crate) fn idle(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|rule| !rule.acted.load(Ordering::Relaxed)).map(|rule| rule.written.as_str())
    }
}

impl Rule {
    fn parse(written: &str) -> Option<Self> {
        let (place, name) = written.split_once(':')?;
        let (place, name) = match place {
            "query" => (RulePlace::Query, name.to_owned()),
            "form" => (RulePlace::Form, name.to_owned()),
            "header" => (RulePlace::Header, name.to_ascii_lowercase()),
            _ => return None,
        };
        let acted = AtomicBool::new(false);
        (!name.is_empty()).then(|| Self { written: written.to_owned(), place, name, acted })
    }
}
