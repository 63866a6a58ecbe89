//! Why a proxy cannot start or cannot finish.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use mcpeak_core::locale::Locale;

use crate::authority::AuthorityError;
use crate::session::SessionError;
use crate::text;

/// Why a proxy cannot start or cannot finish. What goes wrong with a single connection is never one of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A PEM file of the upstream settings cannot be used.
    #[error("cannot use {} as {role}", .path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What it was given as.
        role: PemRole,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// No TLS configuration for upstreams can be made.
    #[error("the TLS settings for upstreams are not usable")]
    Tls(#[source] rustls::Error),
    /// The runtime refused to read the settings' files.
    #[error("the proxy cannot be set up")]
    Start(#[source] io::Error),
    /// The authority cannot be used.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The session cannot be written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// What a PEM file was given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PemRole {
    /// Further roots.
    Roots,
    /// A client certificate.
    ClientCertificate,
    /// The key of a client certificate.
    ClientKey,
}

impl std::fmt::Display for PemRole {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Roots => "upstream roots",
            Self::ClientCertificate => "client certificate",
            Self::ClientKey => "client key",
        })
    }
}

impl ProxyError {
    /// Stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Bind { .. } => "PROXY_BIND_FAILED",
            Self::Pem { .. } => "PROXY_PEM_INVALID",
            Self::Tls(_) => "PROXY_TLS_SETTINGS_INVALID",
            Self::Start(_) => "PROXY_START_FAILED",
            Self::Authority(_) => "PROXY_AUTHORITY_INVALID",
            Self::Session(error) => error.code(),
        }
    }

    /// What happened, and where.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).proxy_error(self)
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).proxy_hint(self)
    }
}
