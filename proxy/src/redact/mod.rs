//! Secrets of an HTTP message replaced by pseudonyms.
//!
//! | module | what it holds |
//! |---|---|
//! | `ledger` | pseudonyms of secrets that a recording discovers |
//! | `url` | path, query, userinfo, and URLs inside texts |
//! | `header` | header fields: what is stored of a request, what of a response |
//! | `body` | JSON at any depth, form, multipart, SSE, and everything else |
//! | `pseudonym` | pseudonyms in a text: numbered, collapsed |
//! | `segments` | the same over a stream |

mod body;
mod header;
mod ledger;
mod pseudonym;
mod segments;
mod url;

use std::sync::Arc;

use mcpeak_core::redact::{Redactor, Tokens};

pub(crate) use body::{BodyKind, parameter, redact_body};
pub(crate) use header::{learn_request, redact_fields, request_fields, request_secrets, response_fields};
pub(crate) use ledger::{Ledger, Unnumbered};
pub(crate) use pseudonym::{collapse, has_numbered, provisional_ids, renumber, without_ids};
pub(crate) use segments::{CollapsedHash, Segments};
pub(crate) use url::{form_pairs, redact_form, redact_path, redact_urls};

/// What finds secrets, and what names them.
#[derive(Clone)]
pub(crate) struct Redaction {
    pub(crate) redactor: Redactor,
    pub(crate) tokens: Arc<dyn Tokens>,
}

impl Redaction {
    /// The pseudonym of a value under a sensitive name: `Bearer x` keeps its scheme, a pseudonym stays as it is.
    pub(crate) fn sensitive(&self, value: &str) -> String {
        if value.is_empty() || pseudonym::is_pseudonym(value) {
            return value.to_owned();
        }
        match value.split_once(' ') {
            Some((scheme, rest))
                if !rest.is_empty()
                    && scheme.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') =>
            {
                format!("{scheme} {}", self.sensitive(rest.trim_start()))
            }
            _ => self.redactor.pseudonym(value.as_bytes(), &*self.tokens),
        }
    }

    /// By value and shape only.
    pub(crate) fn text(&self, text: &str) -> String {
        self.redactor.redact_text(text, &*self.tokens)
    }

    /// By value and shape only; `None` if there is nothing to replace.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.redactor.redact(bytes, &*self.tokens)
    }
}

impl std::fmt::Debug for Redaction {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.redactor.fmt(formatter)
    }
}

/// Whether a value under `…tokens` counts something: `max_tokens: 100`, `x-ratelimit-reset-tokens: 6ms`.
pub(crate) fn is_count(name: &str, value: &str) -> bool {
    name.to_ascii_lowercase().ends_with("tokens")
        && value.len() < 12
        && value.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}
