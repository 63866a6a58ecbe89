//! Recordings of other tools made into sessions, and sessions written for other tools.
//!
//! An importer reads a file into [`Imported`]: exchanges as they would have gone by on the wire, and a note for everything that
//! it could not carry over. [`Imported::write`] hands them to a recorder, so that whatever comes in is redacted, ordered and
//! stored like a recording of our own.
//!
//! | module | what it holds |
//! |---|---|
//! | `foreign` | an exchange of another tool |
//! | `note` | what could not be carried over |
//! | [`har`] | HTTP Archive 1.2, in and out |
//! | `cassettes` | vcrpy and go-vcr |
//! | `yaml` | YAML as far as recorders write it |

mod cassettes;
mod foreign;
pub mod har;
mod note;
mod yaml;

use std::path::Path;

use mcpeak_core::redact::Redactor;

use crate::report::{Counts, SessionReport};
use crate::session::{Recorder, SessionError};

use foreign::Foreign;
use note::Notes;
pub use note::{Lost, Note};

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTTP Archive 1.2.
    Har,
    /// A cassette of vcrpy.
    Vcrpy,
    /// A cassette of go-vcr.
    GoVcr,
}

impl Format {
    /// Every format with the name that it is asked for by.
    pub const ALL: [(&'static str, Self); 3] =
        [("har", Self::Har), ("vcrpy", Self::Vcrpy), ("go-vcr", Self::GoVcr)];

    /// The format of a file, by what is in it.
    pub fn detect(content: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(content).ok()?;
        let text = text.trim_start_matches('\u{feff}');
        let json = serde_json::from_str::<serde_json::Value>(text).ok();
        match json.as_ref().and_then(|json| json["log"].get("entries")) {
            Some(_) => Some(Self::Har),
            None => cassettes::detect(text),
        }
    }

    /// The name that it is asked for by.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }
}

/// A file that is not what it was taken for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ImportError {
    /// Where: `log.entries[3].request.url`, or line and column.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl ImportError {
    pub(crate) fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}

/// What was read from another tool's file.
#[derive(Debug, Default)]
pub struct Imported {
    exchanges: Vec<Foreign>,
    notes: Notes,
    /// Whether it was redacted by us before.
    own: bool,
}

impl Imported {
    /// Reads a file. The redactor is for what notes show.
    pub fn read(format: Format, content: &[u8], redactor: &Redactor) -> Result<Self, ImportError> {
        let mut imported = Self { notes: Notes::new(redactor.clone()), ..Self::default() };
        match format {
            Format::Har => har::read(content, &mut imported)?,
            Format::Vcrpy => cassettes::read_vcrpy(content, &mut imported)?,
            Format::GoVcr => cassettes::read_go_vcr(content, &mut imported)?,
        }
        Ok(imported)
    }

    /// What could not be carried over.
    pub fn notes(&self) -> &[Note] {
        self.notes.list()
    }

    /// How many exchanges there are.
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// Records the exchanges into a session file.
    pub async fn write(
        self,
        path: &Path,
        force: bool,
        redactor: Redactor,
    ) -> Result<SessionReport, SessionError> {
        let recorder = if self.own {
            Recorder::create_again(path, force, redactor)?
        } else {
            Recorder::create(path, force, redactor)?
        };
        for exchange in self.exchanges {
            exchange.record(&recorder).await;
        }
        recorder.complete(&Counts::default()).await
    }
}
