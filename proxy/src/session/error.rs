//! What can be wrong with a session on disk.

use std::io;
use std::path::{Path, PathBuf};

use mcpeak_core::locale::Locale;

use crate::text;

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// What can be wrong with a session on disk. Sentences and hints come from [`crate::text`].
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Recording would overwrite a file.
    #[error("{} exists", path.display())]
    Exists {
        /// The session file.
        path: PathBuf,
    },
    /// An earlier recording was interrupted and its journal is still there.
    #[error("{} is left from an interrupted recording", journal.display())]
    StaleJournal {
        /// The session file.
        path: PathBuf,
        /// The journal.
        journal: PathBuf,
    },
    /// Another recorder writes this session.
    #[error("{} is being recorded by another process", path.display())]
    Locked {
        /// The session file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{} does not exist", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// No space is left. What was there before is untouched.
    #[error("no space left to write {}", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file could not be read or written.
    #[error("{} failed on {}", action, path.display())]
    Io {
        /// `read`, `write`, `create`, `rename`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file is damaged, or is not a session.
    #[error("{}:{}:{}: {problem}", place.path.display(), place.line, place.column)]
    Invalid {
        /// Where.
        place: Place,
        /// What is wrong there.
        problem: String,
        /// How to mend it.
        hint: String,
    },
    /// The file was written by a newer mcpeak.
    #[error("{}: format version {version} is newer than this mcpeak reads", place.path.display())]
    NewerVersion {
        /// Where the version stands.
        place: Place,
        /// The version.
        version: String,
    },
    /// The recorder was completed before, or its writer is gone.
    #[error("the recording of {} is already finished", path.display())]
    Finished {
        /// The session file.
        path: PathBuf,
    },
}

impl SessionError {
    /// Wraps an I/O error, telling a full disk apart.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path, source },
            io::ErrorKind::NotFound if action == "read" => Self::NotFound { path },
            _ => Self::Io { action, path, source },
        }
    }

    /// Stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "SESSION_EXISTS",
            Self::StaleJournal { .. } => "SESSION_JOURNAL_LEFT",
            Self::Locked { .. } => "SESSION_LOCKED",
            Self::NotFound { .. } => "SESSION_NOT_FOUND",
            Self::DiskFull { .. } => "SESSION_DISK_FULL",
            Self::Io { .. } => "SESSION_IO",
            Self::Invalid { .. } => "SESSION_INVALID",
            Self::NewerVersion { .. } => "SESSION_VERSION_NEWER",
            Self::Finished { .. } => "SESSION_FINISHED",
        }
    }

    /// What happened, and where.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).session_error(self)
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).session_hint(self)
    }
}
