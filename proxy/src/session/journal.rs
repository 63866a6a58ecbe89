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
use super::seal;
use crate::exchange::{FailureKind, Headers, Incomplete, Mark, ResponseHead};

/// First line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

const FORMAT: &str = "mcpeak-journal";
/// From version 2 on each line has a checksum.
const VERSION: u32 = 2;

/// What a journal holds.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// The entries that are whole.
    pub(crate) entries: Vec<Entry>,
    /// Lines that were cut off or damaged, or whose files were.
    pub(crate) broken_lines: usize,
}

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
    Response(Box<EntryResponse>),
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
    /// Offset and time of each piece, where the content is kept in pieces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) pieces: Vec<(u64, u64)>,
}

impl Blob {
    pub(crate) fn marks(&self) -> Vec<Mark> {
        self.pieces.iter().map(|&(offset, at)| Mark { offset, at }).collect()
    }

    /// Keeps the content in these pieces.
    pub(crate) fn set_marks(&mut self, marks: &[Mark]) {
        self.pieces = marks.iter().map(|mark| (mark.offset, mark.at)).collect();
    }
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

    /// A spooled file.
    pub(crate) fn file(path: &Path, length: u64, sha256: [u8; 32]) -> Self {
        let path = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::File { path, length, sha256: hex::encode(sha256) }
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
        let header = Header { format: FORMAT.to_owned(), version: VERSION };
        let mut line = serde_json::to_vec(&header).unwrap_or_default();
        line.push(b'\n');
        file.write_all(&line).and_then(|()| file.sync_all()).map_err(failed("write")).map_err(io)?;
        Ok(Self { file, path })
    }

    /// Opens a journal that was left, to finish it.
    pub(crate) fn reopen(session: &Path) -> Result<Self, SessionError> {
        let path = path_of(session);
        let io = |source| SessionError::io("read", &path, source);
        if !std::fs::metadata(&path).map_err(io)?.is_file() {
            return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
        }
        let file = OpenOptions::new().read(true).append(true).open(&path).map_err(io)?;
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
            lines.extend(seal::seal(&serde_json::to_vec(entry).unwrap_or_default()));
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

    /// Every entry that is whole, and how many are not: a crash cuts the last line off, a bad disk damages any.
    pub(crate) fn read(&self, folder: &Path) -> Result<Content, SessionError> {
        let io = |source| SessionError::io("read", &self.path, source);
        let mut reader = BufReader::new(File::open(&self.path).map_err(io)?);
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).map_err(io)?;
        let header: Option<Header> = serde_json::from_slice(&line).ok();
        if header.is_none_or(|header| header.format != FORMAT || header.version != VERSION) {
            let hint = "recover it with the mcpeak that wrote it, or record again with --force";
            return Err(invalid("", &self.path, 0, "the file is not a journal of this version", hint));
        }
        let mut content = Content::default();
        line.clear();
        while reader.read_until(b'\n', &mut line).map_err(io)? > 0 {
            let entry = seal::open(&line).and_then(|json| serde_json::from_slice(json).ok());
            match entry.filter(|entry| seal::files_are_whole(entry, folder)) {
                Some(entry) => content.entries.push(entry),
                None => content.broken_lines += 1,
            }
            line.clear();
        }
        Ok(content)
    }

    /// Deletes the journal: its session file is written.
    pub(crate) fn remove(self) -> Result<(), SessionError> {
        std::fs::remove_file(&self.path).map_err(|source| SessionError::io("remove", &self.path, source))
    }
}
