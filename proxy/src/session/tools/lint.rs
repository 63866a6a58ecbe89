//! Secrets that are left in a session file: because it was edited, imported, or recorded before a rule existed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use mcpeak_core::redact::{Redactor, UnknownTokens};
use regex::bytes::Regex;
use serde::Serialize;

use super::super::assemble::referenced;
use super::super::coding::Codings;
use super::super::error::SessionError;
use super::super::journal::folder_of;
use super::super::load::check;
use super::super::model::{Answer, Body, Exchange, Session};
use super::content::{content, shown_line, shown_url, wire};
use crate::exchange::Headers;
use crate::json::{Kind, Node, parse};
use crate::redact::{BodyKind, Redaction, redact_body, redact_fields};
use crate::report::Warning;

/// Encoded bodies are looked into up to this size.
const INFLATED: usize = 64 * 1024 * 1024;

/// A named pseudonym, or one without a number.
static FOUND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{\{(?:secret:([A-Za-z0-9_.-]+)(?::[a-z0-9-]+)?|token)\}\}")
        .expect("a constant pattern compiles")
});

/// What tells that something is a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum SecretKind {
    /// The value that was given under this name.
    Value {
        /// Its name.
        variable: String,
    },
    /// The name it stands under.
    Name,
    /// It reads like a key, a token or a certificate's key.
    Shape,
}

/// A secret in a file. Never holds the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Where in the file: `exchanges[2].response.body.json.access_token`, or the name of a side file that no exchange names.
    pub place: String,
    /// Method and URL of the exchange, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What tells it.
    #[serde(flatten)]
    pub secret: SecretKind,
}

/// Looks for secrets in a file and its side files: by name, by shape, and the redactor's values. What replay would refuse is
/// refused here as well; the warnings are about edits.
pub fn lint(path: &Path, redactor: Redactor) -> Result<(Vec<Finding>, Vec<Warning>), SessionError> {
    let (session, mut warnings) = check(path)?;
    let unsearched = redactor.unsearched().iter();
    warnings.extend(unsearched.map(|name| Warning::ValueNotSearched { name: name.clone() }));
    let redaction = Redaction { redactor, tokens: Arc::new(UnknownTokens) };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut lint = Lint { redaction, folder, request: None, findings: Vec::new() };
    for (index, rule) in session.rules.iter().enumerate() {
        lint.text(&format!("rules[{index}]"), rule);
    }
    for (index, exchange) in session.exchanges.iter().enumerate() {
        lint.exchange(&format!("exchanges[{index}]"), exchange)?;
    }
    lint.request = None;
    for (name, text) in [("tool", &session.meta.tool), ("recordedAt", &session.meta.recorded_at)] {
        lint.text(&format!("meta.{name}"), text.as_deref().unwrap_or_default());
    }
    lint.orphans(&session, path)?;
    Ok((lint.findings, warnings))
}

struct Lint {
    redaction: Redaction,
    folder: PathBuf,
    request: Option<String>,
    findings: Vec<Finding>,
}

impl Lint {
    fn exchange(&mut self, place: &str, exchange: &Exchange) -> Result<(), SessionError> {
        let request = &exchange.request;
        let url = shown_url(&self.redaction, &request.url);
        self.request = Some(shown_line(&self.redaction, request));
        self.text(&format!("{place}.request.method"), &request.method);
        if url != request.url {
            self.found(&format!("{place}.request.url"), request.url.as_bytes(), url.as_bytes());
        }
        self.fields(&format!("{place}.request.headers"), &request.headers);
        self.body(&format!("{place}.request.body"), &request.headers, request.body.as_ref())?;
        let Answer::Response(response) = &exchange.answer else { return Ok(()) };
        self.text(&format!("{place}.response.reason"), response.reason.as_deref().unwrap_or_default());
        self.fields(&format!("{place}.response.headers"), &response.headers);
        self.body(&format!("{place}.response.body"), &response.headers, response.body.as_ref())?;
        self.fields(&format!("{place}.response.trailers"), &response.trailers);
        Ok(())
    }

    fn text(&mut self, place: &str, text: &str) {
        if let Some(redacted) = self.redaction.bytes(text.as_bytes()) {
            self.found(place, text.as_bytes(), &redacted);
        }
    }

    fn fields(&mut self, place: &str, headers: &Headers) {
        for (index, (name, value)) in headers.iter().enumerate() {
            let place = format!("{place}[{index}]");
            if let Some(redacted) = self.redaction.bytes(name.as_bytes()) {
                self.found(&place, name.as_bytes(), &redacted);
                continue;
            }
            let one = std::iter::once((name.to_owned(), value.clone())).collect();
            let redacted = redact_fields(&self.redaction, &one);
            if let Some((_, redacted)) = redacted.iter().next().filter(|(_, redacted)| *redacted != value) {
                self.found(&place, value, redacted);
            }
        }
    }

    fn body(&mut self, place: &str, headers: &Headers, body: Option<&Body>) -> Result<(), SessionError> {
        let Some(body) = body else { return Ok(()) };
        let content_type = headers.get("content-type");
        let bytes = content(&self.folder, body)?;
        self.content(place, content_type, &bytes);
        // Who takes a secret out of the readable part may not know that the bytes below hold it once more.
        let codings = Codings::parse(body.encoding.as_deref());
        if let (Some(codings), Some(wire)) = (codings, wire(&self.folder, body)?) {
            let decoded = codings.decode(&wire, INFLATED).unwrap_or_else(|error| error.partial);
            if decoded != bytes {
                self.content(&format!("{place}.wire"), content_type, &Bytes::from(decoded));
            }
        }
        Ok(())
    }

    fn content(&mut self, place: &str, content_type: Option<&str>, bytes: &Bytes) {
        let kind = BodyKind::of(content_type, bytes);
        let Some(redacted) = redact_body(&self.redaction, &kind, bytes).filter(|redacted| redacted != bytes)
        else {
            return;
        };
        let texts = (std::str::from_utf8(bytes), std::str::from_utf8(&redacted));
        if let (Ok(before), Ok(after)) = texts
            && let (Ok(before), Ok(after)) = (parse(before.trim()), parse(after.trim()))
            && self.members(&format!("{place}.json"), &before, &after)
        {
            return;
        }
        self.found(place, bytes, &redacted);
    }

    /// The values that were replaced, by their places; `false` if the documents are not built alike.
    fn members(&mut self, place: &str, before: &Node<'_>, after: &Node<'_>) -> bool {
        match (&before.kind, &after.kind) {
            (Kind::Array(before), Kind::Array(after)) if before.len() == after.len() => {
                let mut pairs = before.iter().zip(after).enumerate();
                pairs
                    .all(|(index, (before, after))| self.members(&format!("{place}[{index}]"), before, after))
            }
            (Kind::Object(before), Kind::Object(after)) if before.len() == after.len() => {
                before.iter().zip(after).all(|((name, before), (other, after))| {
                    let known = name.raw == other.raw;
                    known && self.members(&super::changes::member(place, name), before, after)
                })
            }
            (Kind::Array(_) | Kind::Object(_), _) | (_, Kind::Array(_) | Kind::Object(_)) => false,
            _ => {
                if before.raw != after.raw {
                    self.found(place, before.raw.as_bytes(), after.raw.as_bytes());
                }
                true
            }
        }
    }

    /// Keeps what was replaced: values by their names, and whether the rest was told by a name or by its shape.
    fn found(&mut self, place: &str, before: &[u8], after: &[u8]) {
        let count = |text: &[u8]| {
            let mut tokens = 0;
            let mut names = Vec::new();
            for captures in FOUND.captures_iter(text) {
                match captures.get(1) {
                    Some(name) => names.push(String::from_utf8_lossy(name.as_bytes()).into_owned()),
                    None => tokens += 1,
                }
            }
            (tokens, names)
        };
        let (tokens_before, names_before): (usize, Vec<String>) = count(before);
        let (tokens, mut names) = count(after);
        names.retain(|name| !names_before.contains(name));
        names.sort();
        names.dedup();
        let shaped = self.redaction.bytes(before).map_or(tokens_before, |redacted| count(&redacted).0);
        let mut kinds: Vec<_> = names.into_iter().map(|variable| SecretKind::Value { variable }).collect();
        if shaped > tokens_before {
            kinds.push(SecretKind::Shape);
        }
        if tokens > shaped || kinds.is_empty() {
            kinds.push(SecretKind::Name);
        }
        let place = self.redaction.text(place);
        self.findings.extend(kinds.into_iter().map(|secret| Finding {
            place: place.clone(),
            request: self.request.clone(),
            secret,
        }));
    }

    /// Files beside the session that no exchange names: they would be committed with it.
    fn orphans(&mut self, session: &Session, path: &Path) -> Result<(), SessionError> {
        let named = referenced(session, path);
        let Ok(files) = std::fs::read_dir(folder_of(path)) else { return Ok(()) };
        let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.is_file() && !named.contains(file)) {
            let bytes = std::fs::read(&file).map_err(|source| SessionError::io("read", &file, source))?;
            let name = file.strip_prefix(&self.folder).unwrap_or(&file).display().to_string();
            self.content(&name, None, &Bytes::from(bytes));
        }
        Ok(())
    }
}
