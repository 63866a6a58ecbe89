//! JSON found inside a text.

use std::sync::LazyLock;

use mcpeak_core::redact::is_sensitive_name;
use regex::{Captures, Regex};
use serde_json::{Deserializer, Value};

use super::masker::REPLACEMENT;

/// Bytes that failed attempts may read, for each byte of the text, before the search for JSON is given up.
const BUDGET_FACTOR: usize = 4;

/// Bytes that failed attempts may always read.
const BUDGET_BASE: usize = 64 * 1024;

/// `"name": value` in JSON that is cut off or broken, so that no parser finds it.
static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""((?:[^"\\]|\\.)*)"(\s*:\s*)("(?:[^"\\]|\\.)*("|\\?$)|[^\s,}\]\[{"]+)"#)
        .expect("the pattern is a constant that compiles")
});

/// `"name": {` or `"name": [`, up to before the bracket.
static STRUCTURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""((?:[^"\\]|\\.)*)"\s*:\s*[\[{]"#).expect("the pattern is a constant that compiles")
});

/// Rewrites every JSON object and array inside a text with `mask`; parts that it leaves alone keep their bytes.
/// `None` when nothing changed.
pub(super) fn rewrite(text: &str, mask: &dyn Fn(&Value) -> Option<Value>) -> Option<String> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    let mut budget = text.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_BASE);
    while let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) {
        let (value, end) = match parse(&text[start..]) {
            Ok((value, length)) => (value, start + length),
            Err(read) => {
                at = start + 1;
                // Nested brackets without an end cost the parser its whole depth at each of them.
                match budget.checked_sub(read) {
                    Some(left) => budget = left,
                    None => break,
                }
                continue;
            }
        };
        if let Some(masked) = mask(&value) {
            out.push_str(&text[copied..start]);
            out.push_str(&crate::json::compact(&masked));
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Hides what stands under a sensitive name in JSON that no parser finds. Where the end of a structure cannot be told,
/// the rest of the text goes with it.
pub(super) fn hide_members(text: &str) -> String {
    let text = hide_structures(text);
    let hidden = MEMBER.replace_all(&text, |found: &Captures<'_>| {
        if is_sensitive_name(&found[1]) {
            format!("\"{}\"{}\"{REPLACEMENT}\"", &found[1], &found[2])
        } else {
            found[0].to_owned()
        }
    });
    hidden.into_owned()
}

fn hide_structures(text: &str) -> String {
    let mut out = String::new();
    let mut copied = 0;
    while let Some(found) = STRUCTURE.captures_at(text, copied) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { break };
        let bracket = whole.end() - 1;
        if !is_sensitive_name(name.as_str()) {
            out.push_str(&text[copied..=bracket]);
            copied = bracket + 1;
            continue;
        }
        out.push_str(&text[copied..bracket]);
        out.push('"');
        out.push_str(REPLACEMENT);
        out.push('"');
        match parse(&text[bracket..]) {
            Ok((_, length)) => copied = bracket + length,
            Err(_) => return out,
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// The JSON value at the beginning of a text and its length in bytes; else how many bytes were read in vain.
fn parse(text: &str) -> Result<(Value, usize), usize> {
    let mut stream = Deserializer::from_str(text).into_iter::<Value>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, stream.byte_offset())),
        Some(Err(error)) => {
            let line_start = match error.line().checked_sub(2) {
                Some(before) => text.match_indices('\n').nth(before).map_or(0, |(at, _)| at),
                None => 0,
            };
            Err(line_start + error.column())
        }
        None => Err(0),
    }
}
