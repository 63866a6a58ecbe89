//! What can go wrong with the authority.

use std::io;
use std::path::{Path, PathBuf};

use mcpeak_core::locale::Locale;

use crate::text;

/// An authority that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the CA in {}: {kind}", .folder.display())]
pub struct AuthorityError {
    /// Folder of the CA.
    pub folder: PathBuf,
    /// What is wrong.
    #[source]
    pub kind: AuthorityErrorKind,
}

/// What is wrong with an authority.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorityErrorKind {
    /// The operating system refused.
    #[error("cannot be read or written")]
    Io(#[source] io::Error),
    /// One of the two files is missing.
    #[error("{missing} is missing while the other file is there")]
    Half {
        /// Name of the missing file.
        missing: &'static str,
    },
    /// A file does not hold what it should.
    #[error("is damaged")]
    Damaged(#[source] rcgen::Error),
    /// The key belongs to another certificate.
    #[error("has a key that does not belong to the certificate")]
    KeyMismatch,
    /// The certificate is not valid at this time.
    #[error("is not valid now (valid from {not_before} to {not_after})")]
    Expired {
        /// Begin of its validity.
        not_before: String,
        /// End of its validity.
        not_after: String,
    },
    /// The seed could be guessed.
    #[error("has a seed that is too short")]
    SeedTooShort,
    /// The folder holds a CA that is not the seed's.
    #[error("is another one than the seed's")]
    OtherThanSeed,
    /// The crypto library refused.
    #[error("could not be made")]
    Generation(#[source] rcgen::Error),
    /// rustls refused the key or the configuration.
    #[error("is not usable for TLS")]
    Tls(#[source] rustls::Error),
}

impl AuthorityError {
    /// What is wrong, and where.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).authority_error(&self.folder.display().to_string(), &self.kind)
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).authority_hint(&self.kind)
    }

    pub(crate) fn io(folder: &Path, source: io::Error) -> Self {
        Self { folder: folder.to_owned(), kind: AuthorityErrorKind::Io(source) }
    }

    pub(crate) fn damaged(folder: &Path, source: rcgen::Error) -> Self {
        Self { folder: folder.to_owned(), kind: AuthorityErrorKind::Damaged(source) }
    }

    pub(crate) fn generation(source: rcgen::Error) -> Self {
        Self { folder: PathBuf::new(), kind: AuthorityErrorKind::Generation(source) }
    }

    pub(crate) fn tls(folder: &Path, source: rustls::Error) -> Self {
        Self { folder: folder.to_owned(), kind: AuthorityErrorKind::Tls(source) }
    }
}
