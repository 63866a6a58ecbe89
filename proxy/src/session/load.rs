//! A session file made ready for replay: hashes checked, secrets put back, edits encoded again, keys computed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::ScopedJoinHandle;

use bytes::Bytes;
use mcpeak_core::redact::{Redactor, UnknownTokens};
use sha2::{Digest, Sha256};

use super::assemble::{collapsed_sha256, sha256_of};
use super::coding::Codings;
use super::error::SessionError;
use super::model::{Answer, Body, Exchange, Form, Response, Session, Wire, split_url};
use super::pieces;
use super::read::{Outline, outline, read_text};
use super::replay::Timing;
use super::stored::{Stored, StoredBody, StoredResponse};
use crate::exchange::{Framing, Headers};
use crate::json::Node;
use crate::matching::{BodyParts, Key, Parts, Rules};
use crate::redact::Redaction;
use crate::report::Warning;

/// Fields that vouch for a body's bytes; void when the body was edited.
const VALIDATORS: [&str; 8] = [
    "etag",
    "content-md5",
    "digest",
    "content-digest",
    "repr-digest",
    "x-goog-hash",
    "x-amz-checksum-sha256",
    "signature",
];
/// Decoded and edited bodies are not larger than this.
const INFLATED: usize = 64 * 1024 * 1024;
/// Side files up to this size are searched for secrets to put back.
const RESTORED: u64 = 4 * 1024 * 1024;

/// A recorded exchange in memory.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its id in the file.
    pub(crate) id: Option<String>,
    pub(crate) exact: Key,
    pub(crate) loose: Key,
    /// The request, for explanations.
    pub(crate) parts: Parts,
    /// Method and URL.
    pub(crate) line: String,
    pub(crate) stored: Arc<Stored>,
}

/// Where a problem is and what it is.
struct Problem {
    text: String,
    hint: &'static str,
}

type Checked<T> = Result<T, Problem>;

/// An exchange of the file made ready, its id, and what is to be said of it.
type Ready = Result<(Option<String>, Loaded, Vec<Warning>), SessionError>;

/// Loads a file; the exchanges are read and checked on all processors.
pub(crate) fn load(
    path: &Path,
    redaction: &Redaction,
    match_headers: &[String],
    further: &[String],
    timing: Timing,
) -> Result<(Vec<Loaded>, Rules, Vec<Warning>), SessionError> {
    let text = read_text(path)?;
    let file = outline(&text, path)?;
    let other = further.iter().filter(|rule| !file.rules.contains(rule));
    let rules = Rules::new(&file.rules.iter().chain(other).cloned().collect::<Vec<_>>());
    let folder = path.parent().unwrap_or(Path::new(""));
    let loader = Loader { folder, redaction, match_headers, timing, rules: &rules };
    let mut entries = Vec::with_capacity(file.exchanges.len());
    let (mut ids, mut warnings) = (HashSet::new(), Vec::new());
    for (ready, node) in all_ready(&file, loader).into_iter().zip(&file.exchanges) {
        let (id, entry, found) = ready?;
        file.note(&mut ids, node, id)?;
        entries.push(entry);
        warnings.extend(found);
    }
    Ok((entries, rules, warnings))
}

/// Reads a file and checks all of it, side files and hashes included, as replay does. The warnings are about edits.
pub fn check(path: &Path) -> Result<(Session, Vec<Warning>), SessionError> {
    let redaction = Redaction { redactor: Redactor::default(), tokens: Arc::new(UnknownTokens) };
    let (_, _, mut warnings) = load(path, &redaction, &[], &[], Timing::Instant)?;
    // No value is known here, and none is asked for.
    warnings.retain(|warning| !matches!(warning, Warning::SecretUnknown { .. }));
    Ok((Session::open(path)?, warnings))
}

/// The exchanges in the order of the file.
fn all_ready(file: &Outline<'_>, loader: Loader<'_>) -> Vec<Ready> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = file.exchanges.len().div_ceil(threads).max(64);
    let ready = |node: &Node<'_>| {
        let exchange = file.exchange(node)?;
        let invalid = |problem: Problem| file.invalid(node, &problem.text, problem.hint);
        let (entry, found) = loader.exchange(&exchange).map_err(invalid)?;
        Ok((exchange.id, entry, found))
    };
    let work = |share: &[Node<'_>]| share.iter().map(ready).collect::<Vec<Ready>>();
    std::thread::scope(|scope| {
        let shares = file.exchanges.chunks(share);
        let handles: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let join = |handle: ScopedJoinHandle<'_, Vec<Ready>>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().flat_map(join).collect()
    })
}

#[derive(Clone, Copy)]
struct Loader<'a> {
    folder: &'a Path,
    redaction: &'a Redaction,
    match_headers: &'a [String],
    timing: Timing,
    rules: &'a Rules,
}

/// What a stored body is sent as.
struct Sent {
    body: StoredBody,
    edited: bool,
}

impl Loader<'_> {
    fn exchange(&self, exchange: &Exchange) -> Checked<(Loaded, Vec<Warning>)> {
        let request = &exchange.request;
        let line = format!("{} {}", request.method, request.url);
        let mut warnings = Vec::new();
        let (origin, path, query) = split_url(&request.url)
            .ok_or_else(|| problem("`url` is not an absolute URL".to_owned(), EDIT))?;
        let body = self.request_body(&request.headers, request.body.as_ref())?;
        let parts = |further, body| {
            Parts::new(&request.method, &origin, path, query, &request.headers, further, body)
        };
        // As they were when the file was written, if this replay lets more take part.
        let recorded = (!self.match_headers.is_empty()).then(|| parts(&[], body.clone()));
        let mut parts = parts(self.match_headers, body);
        let key = Key::loose(recorded.as_ref().unwrap_or(&parts)).short();
        if exchange.id.as_ref().is_some_and(|id| id.split('#').next() != Some(&*key)) {
            warnings.push(Warning::RequestEdited { request: line.clone() });
        }
        self.rules.apply(&mut parts);
        let stored = match &exchange.answer {
            Answer::Failure(kind) => Stored::Failure(*kind),
            Answer::Response(response) => Stored::Response(self.response(response, &line, &mut warnings)?),
        };
        let (exact, loose) = (Key::exact(&parts), Key::loose(&parts));
        let id = exchange.id.clone();
        Ok((Loaded { id, exact, loose, parts, line, stored: Arc::new(stored) }, warnings))
    }

    fn request_body(&self, headers: &Headers, body: Option<&Body>) -> Checked<BodyParts> {
        let Some(body) = body else { return Ok(BodyParts::None) };
        if let (Form::File(name), true) = (&body.form, body.streamed) {
            let path = self.side_file(name)?;
            return collapsed_sha256(&path).map(BodyParts::Bytes).map_err(|error| unreadable(name, &error));
        }
        Ok(BodyParts::new(headers.get("content-type"), &self.content(body)?))
    }

    fn response(
        &self,
        response: &Response,
        line: &str,
        warnings: &mut Vec<Warning>,
    ) -> Checked<StoredResponse> {
        let sent = match &response.body {
            Some(body) => self.sent(body)?,
            None => Sent { body: StoredBody::Empty, edited: false },
        };
        let mut headers = self.restore_fields(&response.headers);
        let held: Vec<&Bytes> = match &sent.body {
            StoredBody::Memory(bytes) => vec![bytes],
            StoredBody::Pieces { pieces, .. } => pieces.iter().map(|(_, bytes)| bytes).collect(),
            StoredBody::Empty | StoredBody::File { .. } => Vec::new(),
        };
        for text in headers.iter().map(|(_, value)| value).chain(held) {
            let names = self.redaction.redactor.unknown_names(text).into_iter();
            warnings.extend(names.map(|name| Warning::SecretUnknown { name }));
        }
        for name in ["connection", "keep-alive"] {
            headers.remove(name);
        }
        // Where there is no body it describes the one that a GET would have had; else it says where it is to be sent.
        if !matches!(response.framing, Framing::None | Framing::Chunked) {
            headers.remove("transfer-encoding");
        }
        if sent.edited {
            warnings.push(Warning::Edited { request: line.to_owned() });
            for name in VALIDATORS {
                headers.remove(name);
            }
        }
        match response.framing {
            // HTTP/2 may carry it; it then has to be true.
            Framing::ContentLength | Framing::H2 if response.incomplete.is_none() => {
                headers.replace("content-length", &sent.body.length().to_string());
            }
            Framing::Chunked | Framing::Close => headers.remove("content-length"),
            Framing::ContentLength | Framing::H2 | Framing::None => {}
        }
        Ok(StoredResponse {
            status: response.status,
            reason: response.reason.as_ref().map(|reason| self.restore_text(reason)),
            headers,
            framing: response.framing,
            body: sent.body,
            trailers: self.restore_fields(&response.trailers),
            incomplete: response.incomplete,
            h2_fields: OnceLock::new(),
        })
    }

    fn restore_text(&self, text: &str) -> String {
        let restored = self.redaction.redactor.restore(text.as_bytes());
        restored.map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn restore_fields(&self, headers: &Headers) -> Headers {
        let restore =
            |value: &Bytes| self.redaction.redactor.restore(value).map_or_else(|| value.clone(), Bytes::from);
        headers.iter().map(|(name, value)| (name.to_owned(), restore(value))).collect()
    }

    /// The bytes to send: the recorded ones unless the content was edited or a secret is put back.
    fn sent(&self, body: &Body) -> Checked<Sent> {
        if let (Form::File(name), None) = (&body.form, &body.encoding) {
            return self.sent_file(name, body.sha256.as_deref());
        }
        if let (Form::File(content), Some(Wire::File(wire)), true) = (&body.form, &body.wire, body.streamed) {
            return self.sent_encoded(content, wire, body.sha256.as_deref());
        }
        let content = self.content(body)?;
        let restored = self.redaction.redactor.restore(&content).map(Bytes::from);
        let Some(encoding) = &body.encoding else {
            let edited = body.sha256.as_ref().is_some_and(|sha256| *sha256 != hash(&content));
            if edited && matches!(body.form, Form::Base64(_)) {
                return Err(problem("the hash of a base64 body is wrong".to_owned(), DAMAGED));
            }
            let body = self.whole_or_pieces(body, &content, restored);
            return Ok(Sent { body, edited });
        };
        let codings = Codings::parse(Some(encoding))
            .ok_or_else(|| problem(format!("`encoding` is `{encoding}`, which is not known"), EDIT))?;
        let wire = self.wire(body)?;
        let same = wire
            .as_ref()
            .is_some_and(|wire| codings.decode(wire, INFLATED).is_ok_and(|decoded| decoded == content));
        match wire {
            Some(wire) if same && restored.is_none() => {
                if body.sha256.as_ref().is_some_and(|sha256| *sha256 != hash(&wire)) {
                    return Err(problem("the hash of an encoded body is wrong".to_owned(), DAMAGED));
                }
                Ok(Sent { body: StoredBody::Memory(wire), edited: false })
            }
            wire => {
                let content = restored.unwrap_or(content);
                let encoded = codings.encode(&content).map_err(|error| problem(error.to_string(), EDIT))?;
                let edited = wire.is_some() && !same;
                Ok(Sent { body: StoredBody::Memory(Bytes::from(encoded)), edited })
            }
        }
    }

    fn whole_or_pieces(&self, body: &Body, content: &Bytes, restored: Option<Bytes>) -> StoredBody {
        let sent = restored.unwrap_or_else(|| content.clone());
        match &body.form {
            Form::Events(events) => {
                let marks = pieces::moved(content, &sent, &pieces::marks(events));
                StoredBody::Pieces { pieces: pieces::cut(&sent, &marks).into(), timing: self.timing }
            }
            _ => StoredBody::Memory(sent),
        }
    }

    /// A body that is too large to be decoded and compared: its readable file has its hash for a name, and so cannot be edited.
    fn sent_encoded(&self, content: &str, wire: &str, sha256: Option<&str>) -> Checked<Sent> {
        let path = self.side_file(content)?;
        let actual = sha256_of(&path).map_err(|error| unreadable(content, &error))?;
        if path.file_stem().is_none_or(|stem| stem.to_string_lossy() != actual) {
            let text = format!("`{content}` is not the content that its name says");
            return Err(problem(
                text,
                "restore the side file, or delete `encoding` and `wire` here to send it as it is",
            ));
        }
        self.sent_file(wire, sha256)
    }

    fn sent_file(&self, name: &str, sha256: Option<&str>) -> Checked<Sent> {
        let path = self.side_file(name)?;
        let length = std::fs::metadata(&path).map_err(|error| unreadable(name, &error))?.len();
        let actual = sha256_of(&path).map_err(|error| unreadable(name, &error))?;
        if sha256.is_some_and(|sha256| sha256 != actual) {
            let text = format!("the hash of `{name}` is wrong");
            return Err(problem(
                text,
                "restore the side file, or delete `sha256` here if the change is wanted",
            ));
        }
        if length <= RESTORED {
            let bytes = std::fs::read(&path).map_err(|error| unreadable(name, &error))?;
            if let Some(restored) = self.redaction.redactor.restore(&bytes) {
                return Ok(Sent { body: StoredBody::Memory(Bytes::from(restored)), edited: false });
            }
        }
        Ok(Sent { body: StoredBody::File { path, length }, edited: false })
    }

    fn content(&self, body: &Body) -> Checked<Bytes> {
        match &body.form {
            Form::File(name) => self.read(name),
            form => form
                .bytes()
                .ok_or_else(|| problem("a text cannot be written in its charset".to_owned(), EDIT)),
        }
    }

    fn wire(&self, body: &Body) -> Checked<Option<Bytes>> {
        match &body.wire {
            None => Ok(None),
            Some(Wire::Inline(bytes)) => Ok(Some(bytes.clone())),
            Some(Wire::File(name)) => self.read(name).map(Some),
        }
    }

    fn read(&self, name: &str) -> Checked<Bytes> {
        let path = self.side_file(name)?;
        std::fs::read(path).map(Bytes::from).map_err(|error| unreadable(name, &error))
    }

    fn side_file(&self, name: &str) -> Checked<PathBuf> {
        let path = self.folder.join(name);
        if path.is_file() {
            Ok(path)
        } else {
            Err(problem(
                format!("the side file `{name}` is missing"),
                "add it to version control, or record again",
            ))
        }
    }
}

const EDIT: &str = "correct the file at this place, or record the session again";
const DAMAGED: &str = "take the file from version control; delete `sha256` here if the change is wanted";

fn problem(text: String, hint: &'static str) -> Problem {
    Problem { text, hint }
}

fn unreadable(name: &str, error: &std::io::Error) -> Problem {
    problem(format!("the side file `{name}` cannot be read: {error}"), "check its permissions")
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
