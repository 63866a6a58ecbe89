//! Rules that would make a request match a recording.

use super::key::Key;
use super::miss::Difference;
use super::parts::Parts;
use super::path_rule::PathPattern;
use super::rules::Rules;

/// The rules that take out all that differs, if what differs looks as if it were new each time and the rules are enough.
/// Nothing otherwise: a rule is for what a run makes up, not for what it asks.
pub(crate) fn suggest(recorded: &Parts, actual: &Parts, differences: &[Difference]) -> Vec<String> {
    let volatile = |value: &Option<String>| value.as_deref().is_none_or(looks_made_up);
    if !differences.iter().all(|difference| volatile(&difference.recorded) && volatile(&difference.actual)) {
        return Vec::new();
    }
    enough(recorded, actual, differences)
}

/// The rules that take out all that differs, whatever it looks like, if they are enough.
pub(crate) fn enough(recorded: &Parts, actual: &Parts, differences: &[Difference]) -> Vec<String> {
    let rules: Option<Vec<_>> =
        differences.iter().map(|difference| rule(&difference.field, recorded, actual)).collect();
    let mut rules = rules.unwrap_or_default();
    rules.sort();
    rules.dedup();
    let without = |parts: &Parts| {
        let mut parts = parts.clone();
        Rules::new(&rules).apply(&mut parts);
        Key::loose(&parts)
    };
    if without(recorded) == without(actual) { rules } else { Vec::new() }
}

/// The rule about one field of a difference.
fn rule(field: &str, recorded: &Parts, actual: &Parts) -> Option<String> {
    let (place, name) = field.split_once(' ').unwrap_or((field, ""));
    let rule = match place {
        "query" | "form" | "header" => format!("{place}:{name}"),
        "json" => format!("json:{}", items(name)),
        // The members of a GraphQL request beside the query.
        "graphql" if name.starts_with('.') => format!("json:${}", items(name)),
        "path" => format!("path:{}", PathPattern::between(&recorded.path, &actual.path)?.as_str()),
        _ => return None,
    };
    Rules::understands(&rule).then_some(rule)
}

/// A place in JSON with any index in place of each: `$.a[0].t` is `$.a[*].t`.
fn items(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((index, after)) =
            after.split_once(']').filter(|(index, _)| index.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            break;
        };
        out.push_str(before);
        out.push_str(if index.is_empty() { "[]" } else { "[*]" });
        rest = after;
    }
    out + rest
}

/// A time, a number, a random id: there is a digit in it.
pub(crate) fn looks_made_up(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}
