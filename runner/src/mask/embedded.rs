//! JSON found inside a text.

use serde_json::{Deserializer, Value};

/// Rewrites every JSON object and array inside a text with `mask`; parts that it leaves alone keep their bytes.
/// `None` when nothing changed.
pub(super) fn rewrite(text: &str, mask: &dyn Fn(&Value) -> Option<Value>) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) {
        let mut stream = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let Some(Ok(value)) = stream.next() else {
            at = start + 1;
            continue;
        };
        let end = start + stream.byte_offset();
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
