//! The bytes of a stored body, without its `Content-Encoding`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use mcpeak_core::redact::{Redactor, UnknownTokens};

use super::super::error::SessionError;
use super::super::load::load;
use super::super::model::{Body, Form, Request, Session, Wire, split_url};
use crate::redact::{Redaction, redact_form, redact_path, without_ids};

/// A file, and its exchanges by key: indexes of those with one key, in the order of the file.
pub(crate) fn groups(path: &Path) -> Result<(Session, Vec<Vec<usize>>), SessionError> {
    let redaction = Redaction { redactor: Redactor::default(), tokens: Arc::new(UnknownTokens) };
    let (loaded, ..) = load(path, &redaction, &[], &[])?;
    let (mut places, mut groups) = (HashMap::new(), Vec::<Vec<usize>>::new());
    for (index, entry) in loaded.iter().enumerate() {
        let place = *places.entry(entry.loose).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    Ok((Session::open(path)?, groups))
}

/// The content of a body; side files are named relative to `folder`.
pub(crate) fn content(folder: &Path, body: &Body) -> Result<Bytes, SessionError> {
    match &body.form {
        Form::File(name) => side_file(folder, name),
        form => form.bytes().ok_or_else(|| {
            let problem = std::io::Error::other("a text cannot be written in its charset");
            SessionError::io("encode", folder, problem)
        }),
    }
}

/// The bytes as they were encoded, where the file has them.
pub(crate) fn wire(folder: &Path, body: &Body) -> Result<Option<Bytes>, SessionError> {
    match &body.wire {
        None => Ok(None),
        Some(Wire::Inline(bytes)) => Ok(Some(bytes.clone())),
        Some(Wire::File(name)) => side_file(folder, name).map(Some),
    }
}

fn side_file(folder: &Path, name: &str) -> Result<Bytes, SessionError> {
    let path = folder.join(name);
    std::fs::read(&path).map(Bytes::from).map_err(|source| SessionError::io("read", &path, source))
}

/// Method and URL as they may be shown, whatever is in the file.
pub(crate) fn shown_line(redaction: &Redaction, request: &Request) -> String {
    without_ids(&format!("{} {}", redaction.method(&request.method), shown_url(redaction, &request.url)))
}

/// A URL redacted. An origin is a place of the network and stays as it is, but not what stands before its `@`.
pub(crate) fn shown_url(redaction: &Redaction, url: &str) -> String {
    let Some((_, path, query)) = split_url(url) else { return redaction.text(url) };
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let authority = &rest[..authority_length(rest)];
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{{{{token}}}}@{host}"),
        None => authority.to_owned(),
    };
    // An empty path is written as it was.
    let path = if rest[authority_length(rest)..].starts_with(path) { path } else { "" };
    let path = redact_path(redaction, path);
    let query = query.map(|query| format!("?{}", redact_form(redaction, query))).unwrap_or_default();
    format!("{scheme}://{authority}{path}{query}")
}

fn authority_length(rest: &str) -> usize {
    rest.find(['/', '?', '*']).unwrap_or(rest.len())
}
