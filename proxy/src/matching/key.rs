//! The hash of a request's parts.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use mcpeak_core::redact::{is_count, names_secret};
use sha2::{Digest, Sha256};

use super::parts::{BodyParts, Parts};
use crate::json::{Kind, Node, parse, quote};
use crate::redact::{collapse, has_numbered};

/// Which request: SHA-256 of its canonical parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([u8; 32]);

impl Hash for Key {
    /// A part of a hash is a hash.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(&self.0[..8]);
    }
}

impl Key {
    /// The key in which a secret counts by its pseudonym: `{{token:1}}` and `{{token:2}}` are two requests.
    pub(crate) fn exact(parts: &Parts) -> Self {
        Self::hash(parts, false)
    }

    /// The key in which no secret counts: members under sensitive names are left out, present or not, and a secret anywhere
    /// else is one placeholder.
    pub(crate) fn loose(parts: &Parts) -> Self {
        Self::hash(parts, true)
    }

    /// The first 16 hex digits.
    pub(crate) fn short(self) -> String {
        hex::encode(&self.0[..8])
    }

    fn hash(parts: &Parts, loose: bool) -> Self {
        let mut hasher = Fields(Sha256::new());
        hasher.field(b"mcpeak-key-1");
        hasher.field(parts.method.as_bytes());
        hasher.field(parts.origin.as_bytes());
        hasher.text(&parts.path, loose);
        hasher.pairs(&parts.query, loose);
        hasher.pairs(&parts.headers, loose);
        match &parts.body {
            BodyParts::None => hasher.field(b"none"),
            BodyParts::Json(json) => {
                hasher.field(b"json");
                hasher.json(json, loose);
            }
            BodyParts::Form(pairs) => {
                hasher.field(b"form");
                hasher.pairs(pairs, loose);
            }
            BodyParts::Multipart(list) => {
                hasher.field(b"multipart");
                hasher.count(list.len());
                for part in list {
                    for field in [&part.name, &part.filename, &part.content_type] {
                        hasher.text(field, loose);
                    }
                    hasher.field(part.sha256.as_bytes());
                }
            }
            BodyParts::Graphql { operation, query, rest } => {
                hasher.field(b"graphql");
                hasher.field(operation.as_deref().unwrap_or_default().as_bytes());
                hasher.text(query, loose);
                hasher.json(rest, loose);
            }
            BodyParts::Bytes(sha256) => {
                hasher.field(b"bytes");
                hasher.field(sha256.as_bytes());
            }
        }
        Self(hasher.0.finalize().into())
    }
}

/// Fields with their lengths, so that no two lists hash alike.
struct Fields(Sha256);

impl Fields {
    fn field(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_be_bytes());
    }

    fn text(&mut self, text: &str, loose: bool) {
        let bytes = if loose { collapse(text.as_bytes()) } else { Cow::Borrowed(text.as_bytes()) };
        self.field(&bytes);
    }

    fn pairs(&mut self, pairs: &[(String, String)], loose: bool) {
        let kept = |(name, value): &&(String, String)| !(loose && is_secret(name, value));
        self.count(pairs.iter().filter(kept).count());
        for (name, value) in pairs.iter().filter(kept) {
            self.text(name, loose);
            self.text(value, loose);
        }
    }

    fn json(&mut self, canonical: &str, loose: bool) {
        match loose.then(|| parse(canonical)) {
            Some(Ok(node)) => {
                let mut out = String::with_capacity(canonical.len());
                without_secrets(&node, &mut out);
                self.text(&out, true);
            }
            _ => self.text(canonical, loose),
        }
    }
}

/// Canonical JSON without the members under sensitive names.
fn without_secrets(node: &Node<'_>, out: &mut String) {
    match &node.kind {
        Kind::Array(items) => {
            out.push('[');
            for item in items {
                without_secrets(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Kind::Object(members) => {
            out.push('{');
            for (name, value) in members {
                let name = name.text().unwrap_or_default();
                if !is_secret(&name, value.raw) {
                    out.push_str(&quote(&name));
                    out.push(':');
                    without_secrets(value, out);
                    out.push(',');
                }
            }
            out.push('}');
        }
        _ => out.push_str(node.raw),
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    names_secret(name) && !is_count(name, value)
}

impl Parts {
    /// Whether a pseudonym is in a part that a recording handed out: such a request is one and no other.
    pub(crate) fn has_numbered(&self) -> bool {
        self.any(&|value| has_numbered(value.as_bytes()))
    }

    fn any(&self, test: &dyn Fn(&str) -> bool) -> bool {
        let pairs = |pairs: &[(String, String)]| pairs.iter().any(|(_, value)| test(value));
        let body = match &self.body {
            BodyParts::None | BodyParts::Bytes(_) | BodyParts::Multipart(_) => false,
            BodyParts::Json(json) => test(json),
            BodyParts::Form(form) => pairs(form),
            BodyParts::Graphql { query, rest, .. } => test(query) || test(rest),
        };
        test(&self.path) || pairs(&self.query) || pairs(&self.headers) || body
    }
}
