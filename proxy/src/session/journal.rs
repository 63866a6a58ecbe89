//! The journal: one JSON line per finished exchange, already redacted, on disk before the run ends.
//!
//! Secrets without a name have provisional pseudonyms here (`{{token:~3}}`); the file's own numbers are given when it is written.
//! Content from 64 KiB on is in files of its own next to the side files.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::error::SessionError;
use super::model::names;
use super::read::invalid;
use crate::exchange::{FailureKind, Headers, Incomplete, ResponseHead};

/// First line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

const FORMAT: &str = "mcpeak-journal";

/// One finished exchange.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Place in the order of arrival.
    pub(crate) seq: u64,
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) headers: Vec<Field>,
    pub(crate) body: Option<Blob>,
    pub(crate) answer: EntryAnswer,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum EntryAnswer {
    Response(EntryResponse),
    Failure(String),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EntryResponse {
    pub(crate) status: u16,
    pub(crate) reason: Option<String>,
    pub(crate) headers: Vec<Field>,
    pub(crate) framing: String,
    pub(crate) body: Option<Blob>,
    pub(crate) trailers: Vec<Field>,
    pub(crate) incomplete: Option<(u64, String)>,
}

/// Name and value of a field; the value in base64 when it is not UTF-8.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Field(pub(crate) String, pub(crate) String, #[serde(default)] pub(crate) bool);

/// A body.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Blob {
    /// Decoded and redacted.
    pub(crate) content: Data,
    /// The coding that was undone.
    pub(crate) encoding: Option<String>,
    /// The encoded bytes, where nothing was redacted.
    pub(crate) wire: Option<Data>,
    /// Whether a secret was replaced.
    pub(crate) redacted: bool,
    /// Too large to be held.
    pub(crate) streamed: bool,
    /// The coding was undone for good: the answer's `Content-Encoding` is void.
    pub(crate) decoded: bool,
}

/// Bytes in the journal or in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Data {
    Base64(String),
    Text(String),
    File { path: String, length: u64, sha256: String },
}

impl Data {
    pub(crate) fn inline(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(STANDARD.encode(bytes)),
        }
    }

    /// The bytes, read from the folder of side files if they are not here.
    pub(crate) fn load(&self, folder: &Path) -> io::Result<Vec<u8>> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::Base64(text) => {
                STANDARD.decode(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            }
            Self::File { path, .. } => std::fs::read(folder.join(path)),
        }
    }
}

impl Field {
    pub(crate) fn list(headers: &Headers) -> Vec<Self> {
        let field = |(name, value): (&str, &bytes::Bytes)| match std::str::from_utf8(value) {
            Ok(text) => Self(name.to_owned(), text.to_owned(), false),
            Err(_) => Self(name.to_owned(), STANDARD.encode(value), true),
        };
        headers.iter().map(field).collect()
    }

    pub(crate) fn headers(list: &[Self]) -> Headers {
        let value = |field: &Self| {
            if field.2 { STANDARD.decode(&field.1).unwrap_or_default() } else { field.1.clone().into_bytes() }
        };
        list.iter().map(|field| (field.0.clone(), value(field).into())).collect()
    }
}

impl EntryResponse {
    pub(crate) fn new(
        head: &ResponseHead,
        headers: &Headers,
        body: Option<Blob>,
        trailers: &Headers,
        incomplete: Option<Incomplete>,
    ) -> Self {
        Self {
            status: head.status,
            reason: head.reason.clone(),
            headers: Field::list(headers),
            framing: names::of(&names::FRAMINGS, &head.framing).to_owned(),
            body,
            trailers: Field::list(trailers),
            incomplete: incomplete
                .map(|at| (at.after_bytes, names::of(&names::CAUSES, &at.cause).to_owned())),
        }
    }
}

impl EntryAnswer {
    pub(crate) fn failure(kind: FailureKind) -> Self {
        Self::Failure(names::of(&names::FAILURES, &kind).to_owned())
    }
}

/// The journal of a session file.
pub(crate) fn path_of(session: &Path) -> PathBuf {
    let mut name = session.file_name().unwrap_or_default().to_owned();
    name.push(".journal");
    session.with_file_name(name)
}

/// The folder of a session's side files: `weather.session.json` has `weather.session.files`.
pub(crate) fn folder_of(session: &Path) -> PathBuf {
    let name = session.file_name().unwrap_or_default().to_string_lossy();
    session.with_file_name(format!("{}.files", name.strip_suffix(".json").unwrap_or(&name)))
}

/// An open journal, locked against a second recorder.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins a journal. One that an interrupted recording left is refused, or with `force` dropped.
    pub(crate) fn create(session: &Path, force: bool) -> Result<Self, SessionError> {
        let path = path_of(session);
        let failed = |action| move |source| (action, source);
        let io = |(action, source)| SessionError::io(action, &path, source);
        let options = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let mut file = options.map_err(failed("create")).map_err(io)?;
        if file.try_lock().is_err() {
            return Err(SessionError::Locked { path: session.to_owned() });
        }
        if file.metadata().map_err(failed("read")).map_err(io)?.len() > 0 {
            if !force {
                return Err(SessionError::StaleJournal { path: session.to_owned(), journal: path });
            }
            file.set_len(0).map_err(failed("write")).map_err(io)?;
        }
        let header = Header { format: FORMAT.to_owned(), version: 1 };
        let mut line = serde_json::to_vec(&header).unwrap_or_default();
        line.push(b'\n');
        file.write_all(&line).and_then(|()| file.sync_all()).map_err(failed("write")).map_err(io)?;
        Ok(Self { file, path })
    }

    /// Opens a journal that was left, to finish it.
    pub(crate) fn reopen(session: &Path) -> Result<Self, SessionError> {
        let path = path_of(session);
        let file = OpenOptions::new().read(true).append(true).open(&path);
        let file = file.map_err(|source| SessionError::io("read", &path, source))?;
        if file.try_lock().is_err() {
            return Err(SessionError::Locked { path: session.to_owned() });
        }
        Ok(Self { file, path })
    }

    /// Appends entries and waits until they are on the disk.
    pub(crate) fn append(&mut self, entries: &[Entry]) -> Result<(), SessionError> {
        let mut lines = Vec::new();
        for entry in entries {
            // Entries hold strings and numbers only, which always serialise.
            lines.extend(serde_json::to_vec(entry).unwrap_or_default());
            lines.push(b'\n');
        }
        let before = self.file.metadata().map(|metadata| metadata.len());
        let written = self.file.write_all(&lines).and_then(|()| self.file.sync_data());
        written.map_err(|source| {
            // Half a line would hide the entries after it.
            if let Ok(length) = before {
                drop(self.file.set_len(length));
            }
            SessionError::io("write", &self.path, source)
        })
    }

    /// Every entry; a last line that was cut off is left out.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, SessionError> {
        let io = |source| SessionError::io("read", &self.path, source);
        let mut reader = BufReader::new(File::open(&self.path).map_err(io)?);
        let mut entries = Vec::new();
        let mut line = Vec::new();
        let mut number = 0;
        while reader.read_until(b'\n', &mut line).map_err(io)? > 0 {
            number += 1;
            let whole = line.ends_with(b"\n");
            if number == 1 {
                let header: Option<Header> = serde_json::from_slice(&line).ok();
                if header.is_none_or(|header| header.format != FORMAT || header.version != 1) {
                    return Err(self.damaged(number, "the file is not a journal of this version"));
                }
            } else {
                match serde_json::from_slice(&line) {
                    Ok(entry) => entries.push(entry),
                    Err(_) if !whole => break,
                    Err(error) => return Err(self.damaged(number, &error.to_string())),
                }
            }
            line.clear();
        }
        Ok(entries)
    }

    /// Deletes the journal: its session file is written.
    pub(crate) fn remove(self) -> Result<(), SessionError> {
        std::fs::remove_file(&self.path).map_err(|source| SessionError::io("remove", &self.path, source))
    }

    fn damaged(&self, line: usize, problem: &str) -> SessionError {
        let lines = "\n".repeat(line - 1);
        let hint = "delete this line and recover again; the other lines are independent of it";
        invalid(&lines, &self.path, lines.len(), problem, hint)
    }
}
