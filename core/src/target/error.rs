//! What can be wrong with a target.

use std::fmt;
use std::path::PathBuf;

use crate::locale::Locale;
use crate::text;

/// A target that cannot be used. `Display` is the English message, without the hint. No variant holds a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetError {
    /// Not a URL. The text itself is not repeated: it may hold a password.
    Url {
        /// Why.
        reason: String,
    },
    /// Neither `http` nor `https`.
    UrlScheme {
        /// The scheme that it has.
        scheme: String,
    },
    /// A user name or password in the URL.
    UrlUserInfo,
    /// A fragment in the URL.
    UrlFragment,
    /// The configuration file could not be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        message: String,
        /// The kind, for the hint.
        kind: std::io::ErrorKind,
    },
    /// The configuration file is not JSON (comments and trailing commas are allowed).
    Json {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// The parser's words.
        message: String,
    },
    /// The file has neither `mcpServers` nor `servers`.
    NoServers {
        /// The file.
        path: PathBuf,
    },
    /// The file has no entry of this name.
    UnknownServer {
        /// What was asked for.
        name: String,
        /// What there is, in the file's order.
        known: Vec<String>,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// A member of the entry has the wrong type or is missing.
    Entry {
        /// The entry.
        server: String,
        /// The member, such as `args[1]`.
        member: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The entry's transport is one that mcpeak does not speak.
    Transport {
        /// The entry.
        server: String,
        /// Its `type`.
        transport: String,
    },
    /// A placeholder names a variable that is not set.
    Unset {
        /// The entry.
        server: String,
        /// The member.
        member: String,
        /// The variable.
        variable: String,
    },
    /// A placeholder that only an editor can fill, such as `${input:key}`.
    Placeholder {
        /// The entry.
        server: String,
        /// The member.
        member: String,
        /// The placeholder.
        placeholder: String,
    },
    /// A header name or value that HTTP does not allow.
    Header {
        /// Its name.
        name: String,
    },
}

impl TargetError {
    /// What is wrong, as a sentence. Text from outside in it is not escaped for a terminal.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).target_message(self)
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).target_hint(self)
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message(Locale::En))
    }
}

impl std::error::Error for TargetError {}
