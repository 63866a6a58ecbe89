//! Why a proxy cannot start or cannot finish.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use mcpeak_core::locale::Locale;

use crate::authority::AuthorityError;
use crate::session::SessionError;

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

    /// What happened, as a sentence. Text from outside in it is not escaped for a terminal.
    pub fn message(&self, locale: Locale) -> String {
        match self {
            Self::Session(error) => error.message(locale),
            other => {
                let mut message = other.to_string();
                let mut source = std::error::Error::source(other);
                while let Some(cause) = source {
                    message.push_str(": ");
                    message.push_str(&cause.to_string());
                    source = cause.source();
                }
                message
            }
        }
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        match self {
            Self::Session(error) => error.hint(locale),
            Self::Authority(error) => error.hint().to_owned(),
            Self::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "stop the program that listens there, or give another port (0 lets the system choose)"
                    .to_owned()
            }
            Self::Bind { .. } => "give an address of this machine and a port above 1023".to_owned(),
            Self::Pem { .. } => {
                "give a readable file with PEM blocks (-----BEGIN CERTIFICATE-----)".to_owned()
            }
            Self::Tls(_) => "check that the client certificate and its key belong together".to_owned(),
            Self::Start(_) => "try again; report this if it stays".to_owned(),
        }
    }
}
