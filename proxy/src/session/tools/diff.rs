//! Two files compared by key: what only one has, and answers that differ.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use mcpeak_core::redact::{Redactor, UnknownTokens};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::error::SessionError;
use super::super::load::load;
use super::super::model::{Answer, Body, Exchange, Response, Session, names};
use super::changes::{Change, changes};
use super::content::{content, shown_line};
use super::shape::{Drift, Shape};
use crate::exchange::Headers;
use crate::matching::Key;
use crate::redact::{BodyKind, Redaction, redact_body, redact_fields};

/// Response fields that say what a client makes of an answer; the others change by themselves.
const COMPARED: [&str; 6] =
    ["allow", "content-language", "content-type", "link", "location", "www-authenticate"];
/// Most changes of one answer that are told.
const TOLD: usize = 50;

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Further response fields that are compared.
    pub headers: Vec<String>,
    /// Places that are not compared: `body.items[*].time`, `status`, `header location`.
    pub ignored: Vec<String>,
    /// Of JSON bodies only the structure.
    pub shape: bool,
}

/// How two files differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Requests that only the first has, redacted; one line for each recording.
    pub only_left: Vec<String>,
    /// Requests that only the second has.
    pub only_right: Vec<String>,
    /// Requests that both have, with another answer.
    pub changed: Vec<Changed>,
    /// How many recordings are alike.
    pub same: usize,
}

impl Difference {
    /// Whether there is any.
    pub fn is_empty(&self) -> bool {
        self.only_left.is_empty() && self.only_right.is_empty() && self.changed.is_empty()
    }
}

/// An answer that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Method and URL, redacted.
    pub request: String,
    /// Which recording of this request, from 0.
    pub occurrence: usize,
    /// Where, and how; cut off after 50.
    pub changes: Vec<Change>,
}

/// Compares two files. Requests are matched as in replay, by the rules of their files, with their secrets left out.
pub fn diff(left: &Path, right: &Path, comparison: &Comparison) -> Result<Difference, SessionError> {
    let redaction = Redaction { redactor: Redactor::default(), tokens: Arc::new(UnknownTokens) };
    let (one, other) = (Side::load(left, &redaction)?, Side::load(right, &redaction)?);
    let mut difference = Difference::default();
    for key in &one.order {
        let (before, after) = (&one.by_key[key], other.by_key.get(key).map_or(&[][..], Vec::as_slice));
        for (occurrence, &index) in before.iter().enumerate() {
            let exchange = &one.session.exchanges[index];
            let Some(&counterpart) = after.get(occurrence) else {
                difference.only_left.push(shown_line(&redaction, &exchange.request));
                continue;
            };
            let pair = Pair { one: &one, other: &other, redaction: &redaction, comparison };
            let changes = pair.changes(exchange, &other.session.exchanges[counterpart])?;
            if changes.is_empty() {
                difference.same += 1;
            } else {
                let request = shown_line(&redaction, &exchange.request);
                difference.changed.push(Changed { request, occurrence, changes });
            }
        }
    }
    for key in &other.order {
        let known = one.by_key.get(key).map_or(0, Vec::len);
        for &index in other.by_key[key].iter().skip(known) {
            difference.only_right.push(shown_line(&redaction, &other.session.exchanges[index].request));
        }
    }
    Ok(difference)
}

/// A file and its exchanges by key, in the order of the file.
struct Side<'a> {
    folder: &'a Path,
    session: Session,
    order: Vec<Key>,
    by_key: HashMap<Key, Vec<usize>>,
}

impl<'a> Side<'a> {
    fn load(path: &'a Path, redaction: &Redaction) -> Result<Self, SessionError> {
        let (loaded, ..) = load(path, redaction, &[], &[])?;
        let session = Session::open(path)?;
        let (mut order, mut by_key) = (Vec::new(), HashMap::<Key, Vec<usize>>::new());
        for (index, entry) in loaded.iter().enumerate() {
            let group = by_key.entry(entry.loose).or_default();
            if group.is_empty() {
                order.push(entry.loose);
            }
            group.push(index);
        }
        Ok(Self { folder: path.parent().unwrap_or(Path::new("")), session, order, by_key })
    }
}

struct Pair<'a> {
    one: &'a Side<'a>,
    other: &'a Side<'a>,
    redaction: &'a Redaction,
    comparison: &'a Comparison,
}

impl Pair<'_> {
    fn changes(&self, left: &Exchange, right: &Exchange) -> Result<Vec<Change>, SessionError> {
        let mut found = Vec::new();
        match (&left.answer, &right.answer) {
            (Answer::Response(left), Answer::Response(right)) => self.responses(left, right, &mut found)?,
            (left, right) => {
                let (left, right) = (word(left), word(right));
                if left != right {
                    found.push(Change::new("answer", Some(&left), Some(&right)));
                }
            }
        }
        found.retain(|change| !self.comparison.ignored.contains(&change.place));
        found.truncate(TOLD);
        Ok(found)
    }

    fn responses(
        &self,
        left: &Response,
        right: &Response,
        found: &mut Vec<Change>,
    ) -> Result<(), SessionError> {
        let mut compare = |place: &str, left: Option<&str>, right: Option<&str>| {
            if left != right {
                found.push(Change::new(place, left, right));
            }
        };
        compare("status", Some(&left.status.to_string()), Some(&right.status.to_string()));
        let names = COMPARED.into_iter().chain(self.comparison.headers.iter().map(String::as_str));
        for name in names {
            let (left, right) = (self.field(&left.headers, name), self.field(&right.headers, name));
            compare(&format!("header {}", name.to_ascii_lowercase()), left.as_deref(), right.as_deref());
        }
        for (name, _) in left.trailers.iter().chain(right.trailers.iter()) {
            let (left, right) = (self.field(&left.trailers, name), self.field(&right.trailers, name));
            compare(&format!("trailer {}", name.to_ascii_lowercase()), left.as_deref(), right.as_deref());
        }
        let incomplete =
            |response: &Response| response.incomplete.map(|stop| format!("after {} bytes", stop.after_bytes));
        compare("incomplete", incomplete(left).as_deref(), incomplete(right).as_deref());
        found.dedup();
        self.bodies(left, right, found)
    }

    fn field(&self, headers: &Headers, name: &str) -> Option<String> {
        let values: Vec<String> = redact_fields(self.redaction, headers)
            .iter()
            .filter(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    fn bodies(&self, left: &Response, right: &Response, found: &mut Vec<Change>) -> Result<(), SessionError> {
        let one = self.body(self.one.folder, &left.headers, left.body.as_ref())?;
        let other = self.body(self.other.folder, &right.headers, right.body.as_ref())?;
        if one == other || self.comparison.ignored.iter().any(|ignored| ignored == "body") {
            return Ok(());
        }
        let texts = (std::str::from_utf8(&one).ok(), std::str::from_utf8(&other).ok());
        if let (Some(one), Some(other)) = texts {
            let by_place = if self.comparison.shape {
                shapes(one, other)
            } else {
                changes("body", one, other, &self.comparison.ignored)
            };
            if let Some(by_place) = by_place {
                found.extend(by_place);
                return Ok(());
            }
            if one.len() <= 200 && other.len() <= 200 {
                found.push(Change::new("body", Some(one), Some(other)));
                return Ok(());
            }
        }
        let facts = |body: &[u8]| {
            format!("{} bytes, sha256 {}", body.len(), &hex::encode(Sha256::digest(body))[..12])
        };
        found.push(Change::new("body", Some(&facts(&one)), Some(&facts(&other))));
        Ok(())
    }

    fn body(&self, folder: &Path, headers: &Headers, body: Option<&Body>) -> Result<Bytes, SessionError> {
        let Some(body) = body else { return Ok(Bytes::new()) };
        let bytes = content(folder, body)?;
        let kind = BodyKind::of(headers.get("content-type"), &bytes);
        Ok(redact_body(self.redaction, &kind, &bytes).map_or(bytes, Bytes::from))
    }
}

/// The structure of two documents compared; `None` if one is no JSON.
fn shapes(left: &str, right: &str) -> Option<Vec<Change>> {
    let (mut one, mut other) = (Shape::default(), Shape::default());
    if !one.add(left) || !other.add(right) {
        return None;
    }
    let change = |drift: Drift| match drift {
        Drift::Missing { place } => Change::new(place, Some("…"), None),
        Drift::Added { place } => Change::new(place, None, Some("…")),
        Drift::Type { place, recorded, live } => {
            Change::new(place, Some(&recorded.join("|")), Some(&live.join("|")))
        }
        Drift::Status { .. } | Drift::MediaType { .. } | Drift::NotJson => Change::new("body", None, None),
    };
    Some(one.drift(&other).into_iter().map(change).collect())
}

fn word(answer: &Answer) -> String {
    match answer {
        Answer::Response(response) => response.status.to_string(),
        Answer::Failure(kind) => names::of(&names::FAILURES, kind).to_owned(),
    }
}
