//! Secrets of an HTTP message replaced by pseudonyms.
//!
//! | module | what it holds |
//! |---|---|
//! | `ledger` | pseudonyms of secrets that a recording discovers |
//! | `url` | path, query, userinfo, and URLs inside texts |
//! | `header` | header fields: what is stored of a request, what of a response |
//! | `edit` | replacements in a text |
//! | `body` | JSON at any depth, form, multipart, SSE, and everything else |
//! | `pseudonym` | pseudonyms in a text: numbered, collapsed |
//! | `segments` | the same over a stream |

mod body;
mod edit;
mod header;
mod ledger;
mod pseudonym;
mod segments;
mod url;

use std::sync::Arc;

pub(crate) use mcpeak_core::redact::parameter;
use mcpeak_core::redact::{Redactor, Tokens};

pub(crate) use body::{BodyKind, redact_body};
pub(crate) use header::{learn_request, redact_fields, request_fields, response_fields};
pub(crate) use ledger::{Ledger, Live};
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
    /// What a value under a sensitive name becomes.
    pub(crate) fn sensitive(&self, name: &str, value: &str) -> String {
        self.redactor.sensitive(name, value, &*self.tokens)
    }

    /// By value and shape only.
    pub(crate) fn text(&self, text: &str) -> String {
        self.redactor.redact_text(text, &*self.tokens)
    }

    /// A method, of which one that holds a secret keeps nothing: a pseudonym is no token (RFC 9110 section 9.1).
    pub(crate) fn method(&self, method: &str) -> String {
        let common = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"].contains(&method);
        if common || self.bytes(method.as_bytes()).is_none() {
            method.to_owned()
        } else {
            "REDACTED".to_owned()
        }
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
