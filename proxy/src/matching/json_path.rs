//! A place in a JSON body: `$` and then `.name` or `[*]`, at least once.

use crate::json::{Kind, Node, parse};

/// A place, or with `[*]` several.
#[derive(Debug)]
pub(crate) struct JsonPath(Vec<Step>);

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Items,
}

impl JsonPath {
    /// The path of a text such as `$.events[*].time`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("[*]") {
                steps.push(Step::Items);
                rest = after;
            } else {
                let name = rest.strip_prefix('.')?;
                let end = name.find(['.', '[']).unwrap_or(name.len());
                steps.push(Step::Member(Some(&name[..end]).filter(|name| !name.is_empty())?.to_owned()));
                rest = &name[end..];
            }
        }
        (!steps.is_empty()).then_some(Self(steps))
    }

    /// Canonical JSON without what is at this place; nothing where nothing is there.
    pub(crate) fn without(&self, canonical: &str) -> Option<String> {
        let node = parse(canonical).ok()?;
        let mut rest = Rest { out: String::with_capacity(canonical.len()), less: false };
        rest.node(&node, &self.0);
        rest.less.then_some(rest.out)
    }
}

/// What is left.
struct Rest {
    out: String,
    less: bool,
}

impl Rest {
    fn node(&mut self, node: &Node<'_>, path: &[Step]) {
        match (path.split_first(), &node.kind) {
            (Some((Step::Member(wanted), path)), Kind::Object(members)) => {
                self.object(members, wanted, path);
            }
            (Some((Step::Items, path)), Kind::Array(items)) => self.array(items, path),
            _ => self.out.push_str(node.raw),
        }
    }

    fn object(&mut self, members: &[(Node<'_>, Node<'_>)], wanted: &str, path: &[Step]) {
        self.out.push('{');
        let start = self.out.len();
        for (name, value) in members {
            let here = name.text().is_some_and(|name| name == wanted);
            if here && path.is_empty() {
                self.less = true;
                continue;
            }
            self.comma(start);
            self.out.push_str(name.raw);
            self.out.push(':');
            if here { self.node(value, path) } else { self.out.push_str(value.raw) }
        }
        self.out.push('}');
    }

    fn array(&mut self, items: &[Node<'_>], path: &[Step]) {
        self.out.push('[');
        let start = self.out.len();
        if path.is_empty() {
            self.less |= !items.is_empty();
        } else {
            for item in items {
                self.comma(start);
                self.node(item, path);
            }
        }
        self.out.push(']');
    }

    fn comma(&mut self, start: usize) {
        if self.out.len() > start {
            self.out.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(path: &str, json: &str) -> Option<String> {
        JsonPath::parse(path).expect("a path").without(json)
    }

    #[test]
    fn a_path_is_made_of_names_and_items() {
        for wrong in ["", "id", "$", "$.", "$..id", "$.a.", "$[0]", "$id", "$.a[*", "$.a[*]b"] {
            assert!(JsonPath::parse(wrong).is_none(), "{wrong}");
        }
        for right in ["$.id", "$.a.b", "$[*]", "$.a[*].b", "$[*][*].세션 id"] {
            assert!(JsonPath::parse(right).is_some(), "{right}");
        }
    }

    #[test]
    fn what_is_at_the_place_is_taken_out_and_nothing_else() {
        assert_eq!(without("$.b", r#"{"a":1,"b":{"c":2},"d":3}"#).as_deref(), Some(r#"{"a":1,"d":3}"#));
        assert_eq!(without("$.b.c", r#"{"a":1,"b":{"c":2}}"#).as_deref(), Some(r#"{"a":1,"b":{}}"#));
        assert_eq!(
            without("$.a[*].t", r#"{"a":[{"n":1,"t":2},{"n":3},"t"]}"#).as_deref(),
            Some(r#"{"a":[{"n":1},{"n":3},"t"]}"#)
        );
        assert_eq!(without("$[*]", "[1,2]").as_deref(), Some("[]"));
        assert_eq!(without("$.é", r#"{"\u00e9":1}"#).as_deref(), Some("{}"));
    }

    #[test]
    fn a_place_that_is_not_there_changes_nothing() {
        for path in ["$.x", "$.a.b", "$[*]", "$.a[*]", "$.b[*].a"] {
            assert_eq!(without(path, r#"{"a":1,"b":[]}"#), None, "{path}");
        }
        assert_eq!(without("$.a", r#""a""#), None);
    }
}
