//! What could not be carried over from another tool's file.

use std::sync::Arc;

use mcpeak_core::redact::{Redactor, UnknownTokens};
use serde::Serialize;

use crate::redact::Redaction;
use crate::session::tools::shown_url;

/// Kinds of what is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Lost {
    /// Left out: not an HTTP request to an absolute URL.
    NotHttp,
    /// Left out: there is no answer, and no reason for that either.
    NoAnswer,
    /// Left out: the body is not in the file, only its size.
    BodyMissing,
    /// Left out: frames of a WebSocket.
    Frames,
    /// Stored without `Content-Encoding`: the file has the body decoded.
    ContentEncoding,
    /// The times of a stream's events.
    EventTimes,
}

/// Something that could not be carried over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// What.
    pub lost: Lost,
    /// How often.
    pub count: usize,
    /// The first of them: method and URL, redacted.
    pub example: String,
}

/// Notes under way, one for each kind.
#[derive(Debug)]
pub(crate) struct Notes {
    list: Vec<Note>,
    redaction: Redaction,
}

impl Default for Notes {
    fn default() -> Self {
        Self::new(Redactor::default())
    }
}

impl Notes {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { list: Vec::new(), redaction: Redaction { redactor, tokens: Arc::new(UnknownTokens) } }
    }

    pub(crate) fn add(&mut self, lost: Lost, method: &str, url: &str) {
        if let Some(known) = self.list.iter_mut().find(|note| note.lost == lost) {
            known.count += 1;
            return;
        }
        let example = format!("{} {}", self.redaction.method(method), shown_url(&self.redaction, url));
        self.list.push(Note { lost, count: 1, example });
        self.list.sort_by_key(|note| note.lost);
    }

    pub(crate) fn list(&self) -> &[Note] {
        &self.list
    }
}
