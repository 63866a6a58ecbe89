//! The target itself.

use std::path::PathBuf;

use super::endpoint::Endpoint;
use crate::secret::Secret;

/// Which server.
#[derive(Clone, Debug)]
pub enum Target {
    /// Start it and talk over its stdin and stdout.
    Stdio(StdioTarget),
    /// A running Streamable HTTP server.
    Http(HttpTarget),
}

/// A server to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StdioTarget {
    /// A path or a name on `PATH`.
    pub executable: String,
    /// Arguments, passed as they are.
    pub args: Vec<String>,
    /// Working directory; ours if there is none.
    pub cwd: Option<PathBuf>,
}

/// A server to reach.
#[derive(Clone, Debug)]
pub struct HttpTarget {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Headers of every request. Names are lower-case; values never appear in errors.
    pub headers: Vec<(String, Secret<String>)>,
}

impl Target {
    /// A server to start.
    pub fn command(executable: impl Into<String>, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Stdio(StdioTarget {
            executable: executable.into(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: None,
        })
    }

    /// A server to reach.
    pub fn http(endpoint: Endpoint) -> Self {
        Self::Http(HttpTarget { endpoint, headers: Vec::new() })
    }
}
