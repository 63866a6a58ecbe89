//! Why there is no answer.

use std::io;

use crate::exchange::FailureKind;

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum ForwardError {
    /// The network, the upstream or the trust in it: a fact that is recorded.
    Upstream {
        kind: FailureKind,
        /// For people.
        detail: String,
    },
    /// The upstream closed where an answer should begin: the client sees the same.
    Closed,
    /// The client's request broke off.
    Request,
}

impl ForwardError {
    pub(super) fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self::Upstream { kind, detail: detail.into() }
    }

    pub(super) fn timeout(what: &str) -> Self {
        Self::new(FailureKind::Timeout, format!("no {what} in time"))
    }

    pub(super) fn tls(error: &io::Error) -> Self {
        // rustls' own words name what is wrong with the certificate; the outer error only says that I/O failed.
        let words = error.get_ref().map_or_else(|| error.to_string(), ToString::to_string);
        Self::new(FailureKind::Tls, words)
    }
}
