//! A captured exchange made into a journal entry: decoded, redacted, its large bodies in files.

use std::io;
use std::path::Path;

use bytes::Bytes;
use mcpeak_core::redact::mark_foreign;
use sha2::{Digest, Sha256};

use super::body::SIDE_FILE;
use super::coding::{Codings, content_encoding};
use super::journal::{Blob, Data, Entry, EntryAnswer, EntryResponse, Field};
use super::late::{redact_bodies, redact_head};
use super::sink::{HELD, Spool};
use crate::exchange::{
    Captured, Framing, Headers, Incomplete, IncompleteCause, Outcome, RequestHead, ResponseHead, SpoolFile,
};
use crate::redact::{
    BodyKind, Redaction, learn_request, redact_body, redact_fields, redact_form, redact_path, request_fields,
    response_fields, without_ids,
};
use crate::report::Warning;

/// Most bytes that a held body may inflate to in memory.
const INFLATED: usize = 32 * 1024 * 1024;

/// An exchange that ended, not yet redacted.
pub(crate) struct Finished {
    pub(crate) seq: u64,
    pub(crate) head: RequestHead,
    pub(crate) request: Captured,
    pub(crate) outcome: Outcome,
}

impl Finished {
    /// Bytes it holds in memory.
    pub(crate) fn held(&self) -> usize {
        let held = |captured: &Captured| if let Captured::Memory(bytes) = captured { bytes.len() } else { 0 };
        let response = if let Outcome::Response { body, .. } = &self.outcome { held(body) } else { 0 };
        held(&self.request) + response + 1024
    }
}

/// Who wrote a message. In what an upstream wrote, a text like a pseudonym is marked: it would be replayed as a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Client,
    Upstream,
}

/// Makes entries.
pub(crate) struct Capture<'a> {
    /// Whether pseudonyms in answers are ours.
    pub(crate) own: bool,
    pub(crate) redaction: &'a Redaction,
    /// Folder of the side files.
    pub(crate) folder: &'a Path,
    /// Further request fields that are stored.
    pub(crate) fields: &'a [String],
    pub(crate) warnings: &'a mut Vec<Warning>,
}

impl Capture<'_> {
    /// The entry of an exchange.
    pub(crate) fn entry(&mut self, finished: Finished) -> io::Result<Entry> {
        let Finished { seq, head, request, outcome } = finished;
        let known = self.redaction.tokens.known();
        learn_request(self.redaction, &head.headers);
        // By name first, the parts that tell most names before the others: what is learned is then looked for in all.
        let query = head.query.as_deref().map(|query| redact_form(self.redaction, query));
        let body = self.blob(&head.headers, request, &format!("{seq}-request"), Whose::Client)?;
        let mut headers = request_fields(self.redaction, &head.headers, self.fields);
        if body.as_ref().is_some_and(|body| body.decoded) {
            headers.remove("content-encoding");
        }
        let mut mismatch = false;
        let answer = match outcome {
            Outcome::Failure(kind) => EntryAnswer::failure(kind),
            Outcome::Response { head: answer, body, trailers, incomplete } => {
                let found = mismatch_of(&head, &answer, body.wire_length()).filter(|_| incomplete.is_none());
                mismatch = found.is_some();
                let response = self.response(seq, &answer, body, &trailers, incomplete.or(found))?;
                EntryAnswer::Response(Box::new(response))
            }
        };
        let path = redact_path(self.redaction, &head.path);
        let target = query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
        let url = format!("{}{target}", head.origin);
        let method = self.redaction.method(&head.method);
        let mut entry = Entry { seq, method, url, headers: Field::list(&headers), body, answer };
        redact_head(&mut entry, self.redaction);
        if self.redaction.tokens.known() > known {
            redact_bodies(&mut entry, self.redaction, self.folder)?;
        }
        let origin = head.origin.to_string();
        let shown = self.redaction.text(&origin);
        if shown != origin {
            self.warnings.push(Warning::HostStored { origin: without_ids(&shown) });
        }
        self.warn(&entry, mismatch);
        Ok(entry)
    }

    fn warn(&mut self, entry: &Entry, mismatch: bool) {
        let request = format!("{} {}", entry.method, without_ids(&entry.url));
        let answer =
            if let EntryAnswer::Response(answer) = &entry.answer { answer.body.as_ref() } else { None };
        for _ in entry.body.iter().chain(answer).filter(|body| body.decoded) {
            self.warnings.push(Warning::StoredDecoded { request: request.clone() });
        }
        if mismatch {
            self.warnings.push(Warning::LengthMismatch { request });
        }
    }

    fn response(
        &mut self,
        seq: u64,
        head: &ResponseHead,
        body: Captured,
        trailers: &Headers,
        incomplete: Option<Incomplete>,
    ) -> io::Result<EntryResponse> {
        // Fields first: a token in a field is then known when the body is looked at, whatever order they came in.
        let mut headers = response_fields(self.redaction, &self.marked(&head.headers), head.framing);
        let body = self.blob(&head.headers, body, &format!("{seq}-response"), Whose::Upstream)?;
        if body.as_ref().is_some_and(|body| body.decoded) {
            headers.remove("content-encoding");
        }
        let trailers = redact_fields(self.redaction, &self.marked(trailers));
        let mut response = EntryResponse::new(head, &headers, body, &trailers, incomplete);
        let reason = response.reason.as_ref().filter(|_| !self.own);
        let marked = reason.and_then(|reason| mark_foreign(reason.as_bytes()));
        if let Some(marked) = marked {
            response.reason = Some(String::from_utf8_lossy(&marked).into_owned());
        }
        Ok(response)
    }

    fn blob(
        &self,
        headers: &Headers,
        captured: Captured,
        name: &str,
        whose: Whose,
    ) -> io::Result<Option<Blob>> {
        match captured {
            Captured::Empty => Ok(None),
            Captured::Memory(bytes) if bytes.is_empty() => Ok(None),
            Captured::Memory(bytes) => self.held(headers, &bytes, name, whose).map(Some),
            Captured::Spooled(spooled) => {
                let file = spooled.file.blocking_recv();
                let file = file.map_err(|_| io::Error::other("the body's writer ended early"))??;
                let mut blob = spooled_blob(&file);
                blob.redacted |= self.own;
                Ok(Some(blob))
            }
        }
    }

    fn held(&self, headers: &Headers, bytes: &Bytes, name: &str, whose: Whose) -> io::Result<Blob> {
        let header = content_encoding(headers);
        let content_type = headers.get("content-type");
        let codings = Codings::parse(header.as_deref()).filter(|codings| !codings.is_identity());
        let Some(codings) = codings else { return self.plain(content_type, bytes, name, whose) };
        match codings.decode(bytes, INFLATED) {
            Ok(content) => {
                let redacted = self.redact(content_type, &content, whose);
                let wire =
                    if redacted.is_none() { Some(self.data(bytes, &format!("{name}-wire"))?) } else { None };
                Ok(Blob {
                    redacted: redacted.is_some(),
                    content: self.data(&redacted.unwrap_or(content), name)?,
                    encoding: header,
                    wire,
                    streamed: false,
                    decoded: false,
                })
            }
            Err(error) if error.too_large => {
                let names = BodyKind::of(content_type, b"").names();
                let path = self.folder.join(format!("{name}.part"));
                let file = Spool::new(self.redaction, Some(codings), names, path).write_all(bytes)?;
                Ok(spooled_blob(&file))
            }
            Err(error) => {
                let kind = BodyKind::of(content_type, &error.partial);
                match redact_body(self.redaction, &kind, &error.partial) {
                    // What can be read of a damaged body holds a secret: the readable part is kept without it.
                    Some(redacted) => {
                        let content = self.data(&redacted, name)?;
                        let (encoding, wire) = (None, None);
                        Ok(Blob { content, encoding, wire, redacted: true, streamed: false, decoded: true })
                    }
                    None => self.plain(None, bytes, name, whose),
                }
            }
        }
    }

    fn plain(&self, content_type: Option<&str>, bytes: &Bytes, name: &str, whose: Whose) -> io::Result<Blob> {
        let redacted = self.redact(content_type, bytes, whose);
        let content = self.data(redacted.as_deref().unwrap_or(bytes), name)?;
        let redacted = redacted.is_some() || self.own;
        Ok(Blob { content, encoding: None, wire: None, redacted, streamed: false, decoded: false })
    }

    fn marked(&self, headers: &Headers) -> Headers {
        if self.own {
            return headers.clone();
        }
        let mark = |value: &Bytes| mark_foreign(value).map_or_else(|| value.clone(), Bytes::from);
        headers.iter().map(|(name, value)| (name.to_owned(), mark(value))).collect()
    }

    fn redact(&self, content_type: Option<&str>, content: &[u8], whose: Whose) -> Option<Vec<u8>> {
        let kind = BodyKind::of(content_type, content);
        match if whose == Whose::Upstream && !self.own { mark_foreign(content) } else { None } {
            Some(marked) => Some(redact_body(self.redaction, &kind, &marked).unwrap_or(marked)),
            None => redact_body(self.redaction, &kind, content),
        }
    }

    /// Bytes for the journal; from 64 KiB on in a file.
    fn data(&self, bytes: &[u8], name: &str) -> io::Result<Data> {
        debug_assert!(bytes.len() <= INFLATED.max(2 * HELD), "larger bodies are spooled");
        if bytes.len() < SIDE_FILE {
            return Ok(Data::inline(bytes));
        }
        std::fs::create_dir_all(self.folder)?;
        let path = format!("{name}.part");
        let mut file = std::fs::File::create(self.folder.join(&path))?;
        io::Write::write_all(&mut file, bytes)?;
        file.sync_data()?;
        let sha256 = hex::encode(Sha256::digest(bytes));
        Ok(Data::File { path, length: bytes.len() as u64, sha256 })
    }
}

/// A body that ended whole must have the length that was announced; otherwise it is not stored as complete.
fn mismatch_of(request: &RequestHead, head: &ResponseHead, wire: u64) -> Option<Incomplete> {
    let announced: u64 = head.headers.get("content-length")?.trim().parse().ok()?;
    let delimits = request.method != "HEAD" && head.framing == Framing::ContentLength;
    (delimits && announced != wire)
        .then_some(Incomplete { after_bytes: wire, cause: IncompleteCause::Upstream })
}

fn spooled_blob(file: &SpoolFile) -> Blob {
    let encoded = file.encoded.as_ref();
    Blob {
        content: Data::file(&file.path, file.length, file.sha256),
        encoding: encoded.map(|wire| wire.encoding.clone()),
        wire: encoded.map(|wire| Data::file(&wire.path, wire.length, wire.sha256)),
        redacted: file.redacted,
        streamed: true,
        decoded: file.decoded,
    }
}
