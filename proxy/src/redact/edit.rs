//! Replacements in a text, spliced into it as it was written.

/// A replacement of one secret in a text.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) text: String,
}

/// The text with its edits, which are in order; of two that overlap the first counts. `None` without edits.
pub(super) fn splice(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|edit| edit.offset);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits.iter().filter(|edit| edit.length > 0) {
        if edit.offset >= from {
            out.push_str(&text[from..edit.offset]);
            out.push_str(&edit.text);
            from = edit.offset + edit.length;
        }
    }
    out.push_str(&text[from..]);
    (out != text).then_some(out)
}
