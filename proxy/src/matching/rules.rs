//! Rules that take volatile parts out of matching: `query:NAME`, `form:NAME`, `header:NAME`, `json:$.PATH`, `path:/a/*/b`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::json_path::JsonPath;
use super::parts::{BodyParts, Parts};
use super::path_rule::PathPattern;
use super::volatile;

/// The rules of a session file and of the settings.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    written: String,
    what: What,
    acted: AtomicBool,
}

/// What a rule takes out.
#[derive(Debug)]
enum What {
    Query(String),
    Form(String),
    Header(String),
    Json(JsonPath),
    Path(PathPattern),
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

    /// Takes out of a request's parts what the rules name, and what is always volatile.
    pub(crate) fn apply(&self, parts: &mut Parts) {
        volatile::take_out(parts);
        for rule in &self.0 {
            if rule.what.take_out(parts) {
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
        let (place, name) = written.split_once(':').filter(|(_, name)| !name.is_empty())?;
        let what = match place {
            "query" => What::Query(name.to_owned()),
            "form" => What::Form(name.to_owned()),
            "header" => What::Header(name.to_ascii_lowercase()),
            "json" => What::Json(JsonPath::parse(name)?),
            "path" => What::Path(PathPattern::parse(name)?),
            _ => return None,
        };
        Some(Self { written: written.to_owned(), what, acted: AtomicBool::new(false) })
    }
}

impl What {
    /// Whether there was something to take out.
    fn take_out(&self, parts: &mut Parts) -> bool {
        match (self, &mut parts.body) {
            (Self::Query(name), _) => remove(&mut parts.query, name),
            (Self::Header(name), _) => remove(&mut parts.headers, name),
            (Self::Form(name), BodyParts::Form(form)) => remove(form, name),
            (Self::Path(pattern), _) if pattern.matches(&parts.path) => {
                pattern.as_str().clone_into(&mut parts.path);
                true
            }
            (Self::Json(path), BodyParts::Json(json) | BodyParts::Graphql { rest: json, .. }) => {
                match path.without(json) {
                    Some(rest) => {
                        *json = rest;
                        true
                    }
                    None => false,
                }
            }
            (Self::Form(_) | Self::Json(_) | Self::Path(_), _) => false,
        }
    }
}

fn remove(pairs: &mut Vec<(String, String)>, name: &str) -> bool {
    let before = pairs.len();
    pairs.retain(|(other, _)| other != name);
    pairs.len() < before
}
