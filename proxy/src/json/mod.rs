//! JSON read exactly: every token as it was written, with its offset; no number passes through a float.
//!
//! Duplicate keys, the digits of numbers and the escapes of strings survive, which `serde_json::Value` does not promise.

mod canonical;
mod layout;
mod parse;

use std::borrow::Cow;

pub(crate) use canonical::canonical;
pub use layout::Layout;
pub(crate) use parse::{ParseError, outline, parse};

/// A value in a text.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// The value as it was written.
    pub(crate) raw: &'a str,
    /// Its offset in the text, in bytes.
    pub(crate) offset: usize,
    /// What it is.
    pub(crate) kind: Kind<'a>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    Null,
    Bool(bool),
    Number,
    String,
    Array(Vec<Node<'a>>),
    /// Keys (nodes of kind `String`) and values, in order, duplicates kept.
    Object(Vec<(Node<'a>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// The text of a string, unescaped.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        if !matches!(self.kind, Kind::String) {
            return None;
        }
        let inner = &self.raw[1..self.raw.len() - 1];
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        // A lone surrogate has no text; its escape stands for itself.
        Some(serde_json::from_str::<String>(self.raw).map_or(Cow::Borrowed(inner), Cow::Owned))
    }

    /// Whether this is a string with a `\u` escape that is half of a surrogate pair.
    pub(crate) fn has_lone_surrogate(&self) -> bool {
        matches!(self.kind, Kind::String)
            && self.raw.contains("\\u")
            && serde_json::from_str::<String>(self.raw).is_err()
    }

    /// The members of an object.
    pub(crate) fn members(&self) -> Option<&[(Node<'a>, Node<'a>)]> {
        if let Kind::Object(members) = &self.kind { Some(members) } else { None }
    }

    /// The items of an array.
    pub(crate) fn items(&self) -> Option<&[Node<'a>]> {
        if let Kind::Array(items) = &self.kind { Some(items) } else { None }
    }
}

/// A string as JSON, escaped only where it must be.
pub(crate) fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
