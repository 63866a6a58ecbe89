//! A journal turned into a session file: canonical order, final numbers of pseudonyms, side files, one atomic rename.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::body::{SIDE_FILE, extension};
use super::coding::Codings;
use super::error::SessionError;
use super::journal::{Blob, Data, Entry, EntryAnswer, EntryResponse, Field, folder_of};
use super::late::{redact_bodies, redact_head};
use super::model::{Answer, Body, Exchange, Form, Meta, Request, Response, Session, Wire, names, split_url};
use crate::exchange::{FailureKind, Framing, Headers, Incomplete, IncompleteCause};
use crate::matching::{BodyParts, Key, Parts};
use crate::redact::{CollapsedHash, Redaction, Segments, collapse, provisional_ids, renumber};

/// Files of at most this size are read whole.
const WHOLE: u64 = 4 * SIDE_FILE as u64;

type Result<T> = std::result::Result<T, SessionError>;

/// Writes the session file of these entries; `late` finds secrets that were discovered after an entry was written.
pub(crate) fn assemble(path: &Path, entries: Vec<Entry>, late: &Redaction, now: &str) -> Result<Session> {
    let folder = folder_of(path);
    let previous = Session::open(path).ok();
    let mut assembly = Assembly { folder: &folder, numbers: HashMap::new() };
    let mut entries = entries;
    for entry in &mut entries {
        redact_head(entry, late);
        redact_bodies(entry, late, &folder).map_err(|source| SessionError::io("redact", &folder, source))?;
    }
    let mut sorted = assembly.sort(entries)?;
    for group in sorted.chunk_by_mut(|left, right| left.0 == right.0) {
        assembly.settle(group);
        for (_, entry) in group {
            assembly.number(entry)?;
        }
    }
    let mut session = Session::default();
    let mut occurrences: HashMap<Key, usize> = HashMap::new();
    for (key, entry) in sorted {
        let occurrence = occurrences.entry(key).or_default();
        let id = format!("{}#{occurrence}", key.short());
        *occurrence += 1;
        session.exchanges.push(assembly.exchange(id, entry)?);
    }
    let tool = Some(format!("mcpeak {}", env!("CARGO_PKG_VERSION")));
    session.meta = Meta { tool, recorded_at: Some(now.to_owned()) };
    if let Some(previous) = previous {
        keep_unchanged(&mut session, previous);
    }
    write_atomically(path, session.to_text().as_bytes())?;
    Ok(session)
}

/// What is volatile is taken from the file that was there, where nothing else changed.
fn keep_unchanged(session: &mut Session, previous: Session) {
    session.rules.clone_from(&previous.rules);
    let mut known: HashMap<String, Exchange> =
        previous.exchanges.iter().filter_map(|old| Some((old.id.clone()?, old.clone()))).collect();
    for exchange in &mut session.exchanges {
        let old = exchange.id.as_ref().and_then(|id| known.remove(id));
        if let Some(old) = old.filter(|old| settled(old) == settled(exchange)) {
            *exchange = old;
        }
    }
    if session.exchanges == previous.exchanges {
        session.meta = previous.meta;
    }
}

/// An exchange without what changes from one answer to the next: the clock, and the bytes that a compressor chose.
fn settled(exchange: &Exchange) -> Exchange {
    let mut exchange = exchange.clone();
    let still = |body: &mut Option<Body>| {
        if let Some(body) = body.as_mut().filter(|body| body.encoding.is_some()) {
            (body.wire, body.sha256) = (None, None);
        }
    };
    still(&mut exchange.request.body);
    if let Answer::Response(response) = &mut exchange.answer {
        response.headers.remove("date");
        response.headers.remove("age");
        if response.body.as_ref().is_some_and(|body| body.encoding.is_some()) {
            response.headers.remove("content-length");
        }
        still(&mut response.body);
    }
    exchange
}

struct Assembly<'a> {
    folder: &'a Path,
    /// Final numbers of provisional pseudonyms.
    numbers: HashMap<usize, usize>,
}

impl Assembly<'_> {
    /// Canonical order: origin, path, method, key, then order of arrival. The key has no secrets in it, and so no trace of the
    /// order in which they were discovered.
    fn sort(&self, entries: Vec<Entry>) -> Result<Vec<(Key, Entry)>> {
        let mut keyed = Vec::with_capacity(entries.len());
        for entry in entries {
            let (origin, path, query) = split_url(&entry.url).ok_or_else(|| {
                let problem = io::Error::other(format!("an exchange without a usable URL: {}", entry.url));
                SessionError::io("finish", self.folder, problem)
            })?;
            let headers = Field::headers(&entry.headers);
            let body = self.body_parts(&headers, entry.body.as_ref())?;
            let parts = Parts::new(&entry.method, &origin, path, query, &headers, &[], body);
            // Provisional numbers must not show in the order either.
            let path = collapse(parts.path.as_bytes()).into_owned();
            let order = (origin.to_string(), path, entry.method.clone(), Key::loose(&parts), entry.seq);
            keyed.push((order, entry));
        }
        keyed.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(keyed.into_iter().map(|(order, entry)| (order.3, entry)).collect())
    }

    fn body_parts(&self, headers: &Headers, blob: Option<&Blob>) -> Result<BodyParts> {
        let Some(blob) = blob else { return Ok(BodyParts::None) };
        match &blob.content {
            Data::File { path, .. } if blob.streamed => {
                let path = self.folder.join(path);
                collapsed_sha256(&path)
                    .map(BodyParts::Bytes)
                    .map_err(|source| SessionError::io("read", &path, source))
            }
            data => Ok(BodyParts::new(headers.get("content-type"), &self.load(data)?)),
        }
    }

    /// Orders requests that differ in secrets only by the numbers their secrets already have, so that it does not show which of
    /// two tokens was used first. Secrets without a number leave the order of arrival alone.
    fn settle(&self, group: &mut [(Key, Entry)]) {
        let number = |id| self.numbers.get(&id).copied().unwrap_or_default();
        group.sort_by_cached_key(|(_, entry)| {
            let body = match entry.body.as_ref().map(|body| &body.content) {
                Some(Data::Text(text)) => text.as_bytes(),
                _ => b"",
            };
            provisional_ids(entry.url.as_bytes()).chain(provisional_ids(body)).map(number).collect::<Vec<_>>()
        });
    }

    /// Numbers the pseudonyms of an entry in the order in which a reader of the file meets them.
    fn number(&mut self, entry: &Entry) -> Result<()> {
        self.meet(entry.url.as_bytes());
        self.meet_fields(&entry.headers);
        self.meet_blob(entry.body.as_ref())?;
        if let EntryAnswer::Response(response) = &entry.answer {
            self.meet(response.reason.as_deref().unwrap_or_default().as_bytes());
            self.meet_fields(&response.headers);
            self.meet_blob(response.body.as_ref())?;
            self.meet_fields(&response.trailers);
        }
        Ok(())
    }

    fn meet(&mut self, text: &[u8]) {
        for id in provisional_ids(text) {
            let next = self.numbers.len() + 1;
            self.numbers.entry(id).or_insert(next);
        }
    }

    fn meet_fields(&mut self, fields: &[Field]) {
        for field in fields {
            self.meet(field.1.as_bytes());
        }
    }

    fn meet_blob(&mut self, blob: Option<&Blob>) -> Result<()> {
        let Some(blob) = blob.filter(|blob| blob.redacted) else { return Ok(()) };
        match &blob.content {
            Data::File { path, .. } => {
                let path = self.folder.join(path);
                let read = each_segment(&path, &mut |piece| {
                    self.meet(piece);
                    Ok(())
                });
                read.map_err(|source| SessionError::io("read", &path, source))
            }
            data => {
                let bytes = self.load(data)?;
                self.meet(&bytes);
                Ok(())
            }
        }
    }

    fn exchange(&self, id: String, entry: Entry) -> Result<Exchange> {
        let headers = self.fields(&entry.headers);
        let body = self.body(&headers, entry.body)?;
        let answer = match entry.answer {
            EntryAnswer::Response(response) => Answer::Response(Box::new(self.response(*response)?)),
            EntryAnswer::Failure(name) => {
                let known = names::FAILURES.iter().find(|(known, _)| *known == name);
                Answer::Failure(known.map_or(FailureKind::Reset, |(_, kind)| *kind))
            }
        };
        let url = self.text(&entry.url);
        Ok(Exchange { id: Some(id), request: Request { method: entry.method, url, headers, body }, answer })
    }

    fn response(&self, response: EntryResponse) -> Result<Response> {
        let framing = names::FRAMINGS.iter().find(|(name, _)| *name == response.framing);
        let framing = framing.map_or(Framing::Close, |(_, framing)| *framing);
        let cause =
            |name: &str| names::CAUSES.iter().find(|(known, _)| *known == name).map(|(_, cause)| *cause);
        let mut headers = self.fields(&response.headers);
        let body = self.body(&headers, response.body)?;
        if matches!(framing, Framing::ContentLength | Framing::H2) && response.incomplete.is_none() {
            // Redaction changes lengths, and a length that changed would say how long a secret was.
            let length = self
                .sent_length(body.as_ref())
                .map_err(|source| SessionError::io("read", self.folder, source))?;
            headers.replace("content-length", &length.to_string());
        }
        Ok(Response {
            status: response.status,
            reason: response.reason.map(|reason| self.text(&reason)),
            body,
            headers,
            framing,
            trailers: self.fields(&response.trailers),
            incomplete: response.incomplete.map(|(after_bytes, name)| Incomplete {
                after_bytes,
                cause: cause(&name).unwrap_or(IncompleteCause::Upstream),
            }),
        })
    }

    fn fields(&self, fields: &[Field]) -> Headers {
        let headers = Field::headers(fields);
        headers.iter().map(|(name, value)| (name.to_owned(), Bytes::from(self.renumber(value)))).collect()
    }

    fn body(&self, headers: &Headers, blob: Option<Blob>) -> Result<Option<Body>> {
        let Some(blob) = blob else { return Ok(None) };
        let content_type = headers.get("content-type");
        let streamed = blob.streamed;
        if let (Data::File { path, .. }, Some(Data::File { path: wire, .. }), true) =
            (&blob.content, &blob.wire, streamed)
        {
            let codings = Codings::parse(blob.encoding.as_deref()).unwrap_or_default();
            let form = Form::File(self.side_file_of(path, false, extension(content_type))?.0);
            let (wire, sha256) = self.side_file_of(wire, false, codings.extension())?;
            let (wire, sha256) = (Some(Wire::File(wire)), Some(sha256));
            return Ok(Some(Body { form, sha256, encoding: blob.encoding, wire, streamed }));
        }
        if let Data::File { path, length, .. } = &blob.content
            && (*length > WHOLE || streamed)
            && blob.encoding.is_none()
        {
            let (file, sha256) = self.side_file_of(path, blob.redacted, extension(content_type))?;
            let (form, sha256) = (Form::File(file), Some(sha256));
            return Ok(Some(Body { form, sha256, encoding: None, wire: None, streamed }));
        }
        let content = self.load(&blob.content)?;
        let content = Bytes::from(if blob.redacted { self.renumber(&content) } else { content });
        let wire = match (&blob.encoding, &blob.wire) {
            (None, _) => None,
            (Some(_), Some(wire)) => Some(self.load(wire)?),
            (Some(encoding), None) => Some(self.encode(encoding, &content)?),
        };
        let sent = wire.as_deref().unwrap_or(&content);
        let sha256 = Some(hex::encode(Sha256::digest(sent)));
        let form = if content.len() < SIDE_FILE {
            Form::choose(&content, content_type)
        } else {
            Form::File(self.side_file(&content, extension(content_type))?)
        };
        let wire = match wire {
            Some(wire) if wire.len() < SIDE_FILE => Some(Wire::Inline(Bytes::from(wire))),
            Some(wire) => {
                let codings = Codings::parse(blob.encoding.as_deref()).unwrap_or_default();
                Some(Wire::File(self.side_file(&wire, codings.extension())?))
            }
            None => None,
        };
        Ok(Some(Body { form, sha256, encoding: blob.encoding, wire, streamed }))
    }

    fn encode(&self, encoding: &str, content: &[u8]) -> Result<Vec<u8>> {
        let codings = Codings::parse(Some(encoding)).unwrap_or_default();
        codings.encode(content).map_err(|source| SessionError::io("encode", self.folder, source))
    }

    fn renumber(&self, text: &[u8]) -> Vec<u8> {
        renumber(text, &|id| self.numbers.get(&id).copied()).into_owned()
    }

    fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.renumber(text.as_bytes())).into_owned()
    }

    fn load(&self, data: &Data) -> Result<Vec<u8>> {
        data.load(self.folder).map_err(|source| SessionError::io("read", self.folder, source))
    }

    /// Stores bytes under their hash; the name relative to the session file's folder.
    fn side_file(&self, bytes: &[u8], extension: &str) -> Result<String> {
        let name = format!("{}.{extension}", hex::encode(Sha256::digest(bytes)));
        let path = self.folder.join(&name);
        if std::fs::metadata(&path).is_ok_and(|known| known.len() == bytes.len() as u64) {
            return Ok(self.relative(&name));
        }
        let written = std::fs::create_dir_all(self.folder).and_then(|()| {
            let part = path.with_extension("part");
            let mut file = File::create(&part)?;
            file.write_all(bytes)?;
            file.sync_data()?;
            std::fs::rename(part, &path)
        });
        written.map_err(|source| SessionError::io("write", &path, source))?;
        Ok(self.relative(&name))
    }

    /// Makes a spooled file a side file, its pseudonyms renumbered; its name and hash.
    fn side_file_of(&self, part: &str, redacted: bool, extension: &str) -> Result<(String, String)> {
        let part = self.folder.join(part);
        let renumbered = self.folder.join("renumbered.part");
        let source = if redacted { &renumbered } else { &part };
        let stored = (|| {
            if redacted {
                // The name of the one before may be linked to a side file, which must not be written over.
                drop(std::fs::remove_file(&renumbered));
                let mut file = io::BufWriter::new(File::create(&renumbered)?);
                each_segment(&part, &mut |piece| file.write_all(&self.renumber(piece)))?;
                file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
            }
            let sha256 = sha256_of(source)?;
            let name = format!("{sha256}.{extension}");
            let target = self.folder.join(&name);
            // The part stays until the journal is gone: a crash before that can be recovered from.
            if !target.exists() && std::fs::hard_link(source, &target).is_err() {
                std::fs::copy(source, &target)?;
            }
            Ok((self.relative(&name), sha256))
        })();
        stored.map_err(|source| SessionError::io("write", &part, source))
    }

    fn sent_length(&self, body: Option<&Body>) -> io::Result<u64> {
        let parent = self.folder.parent().unwrap_or(Path::new(""));
        let length = |name: &str| std::fs::metadata(parent.join(name)).map(|file| file.len());
        match body.map(|body| (&body.wire, &body.form)) {
            None => Ok(0),
            Some((Some(Wire::Inline(bytes)), _)) => Ok(bytes.len() as u64),
            Some((Some(Wire::File(name)), _) | (None, Form::File(name))) => length(name),
            Some((None, form)) => Ok(form.bytes().map_or(0, |bytes| bytes.len() as u64)),
        }
    }

    fn relative(&self, name: &str) -> String {
        format!("{}/{name}", self.folder.file_name().unwrap_or_default().to_string_lossy())
    }
}

/// SHA-256 of a file with its pseudonyms collapsed, in hex.
pub(crate) fn collapsed_sha256(path: &Path) -> io::Result<String> {
    let mut hash = CollapsedHash::default();
    each_chunk(path, &mut |chunk| {
        hash.push(chunk);
        Ok(())
    })?;
    Ok(hex::encode(hash.finish()))
}

/// SHA-256 of a file in hex.
pub(crate) fn sha256_of(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    each_chunk(path, &mut |chunk| {
        hasher.update(chunk);
        Ok(())
    })?;
    Ok(hex::encode(hasher.finalize()))
}

pub(super) fn each_chunk(path: &Path, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            length => take(&buffer[..length])?,
        }
    }
}

/// A file in pieces that do not split a pseudonym.
fn each_segment(path: &Path, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut segments = Segments::default();
    let mut result = Ok(());
    each_chunk(path, &mut |chunk| {
        segments.push(chunk, &mut |piece| {
            if result.is_ok() {
                result = take(piece);
            }
        });
        std::mem::replace(&mut result, Ok(()))
    })?;
    segments.finish(&mut |piece| result = take(piece));
    result
}

/// Writes beside the file, waits for the disk, renames, and waits for the folder.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |source| SessionError::io("write", path, source);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let written = File::create(&new).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(source) = written {
        drop(std::fs::remove_file(&new));
        return Err(io(source));
    }
    std::fs::rename(&new, path).map_err(io)?;
    sync_folder(path).map_err(io)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Side files of an earlier recording, and parts of this one, that no exchange names.
pub(crate) fn remove_unreferenced(session: &Session, path: &Path) -> Result<()> {
    let folder = &folder_of(path);
    let Ok(files) = std::fs::read_dir(folder) else { return Ok(()) };
    let referenced = referenced(session, path);
    let ours = |name: &str| {
        Path::new(name).extension().is_some_and(|extension| extension == "part")
            || name.split_once('.').is_some_and(|(stem, _)| {
                stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
    };
    for file in files.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if ours(&name) && !referenced.contains(&file.path()) {
            let removed = std::fs::remove_file(file.path());
            removed.map_err(|source| SessionError::io("remove", &file.path(), source))?;
        }
    }
    // Stays where it is if something else is in it.
    drop(std::fs::remove_dir(folder));
    Ok(())
}

pub(super) fn referenced(session: &Session, path: &Path) -> BTreeSet<PathBuf> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let mut files = BTreeSet::new();
    for exchange in &session.exchanges {
        let answer =
            if let Answer::Response(response) = &exchange.answer { response.body.as_ref() } else { None };
        for body in exchange.request.body.iter().chain(answer) {
            if let Form::File(name) = &body.form {
                files.insert(parent.join(name));
            }
            if let Some(Wire::File(name)) = &body.wire {
                files.insert(parent.join(name));
            }
        }
    }
    files
}
