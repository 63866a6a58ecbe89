//! From a target to a connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls_pki_types::CertificateDer;
use tokio::time::Instant;

use super::channel::Channel;
use super::connection::{Connection, ServerFacts, StderrTail};
use super::handshake::{Handshake, HandshakeFailure, Negotiated};
use super::session::Session;
use super::stdio::StdioChannel;
use super::streamable::HttpChannel;
use crate::error::McpError;
use crate::net::Resolver;
use crate::process::{self, Environment, Ladder, Launch, ProcessSpec, Unwatched};
use crate::target::{HttpTarget, StdioTarget, Target};

/// Which era to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Find out.
    #[default]
    Auto,
    /// `initialize`, and nothing before it.
    Legacy,
    /// `server/discover`, and nothing after it.
    Modern,
}

/// What connecting waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectProgress {
    /// The process runs.
    Spawned,
    /// The process ended on `server/discover` and was started again for `initialize`.
    Restarted,
    /// A request was sent.
    WaitingFor {
        /// Its method.
        method: &'static str,
    },
}

/// Hears what connecting waits for.
pub type ProgressCallback = Arc<dyn Fn(ConnectProgress) + Send + Sync>;

/// How to connect.
#[derive(Clone)]
pub struct ConnectOptions {
    /// Which era to speak.
    pub era: EraChoice,
    /// For everything until the server is ready: start, download by `npx`, handshake.
    pub connect_timeout: Duration,
    /// Variables of a started server beyond the allow-list.
    pub environment: Environment,
    /// Who starts a server.
    pub launcher: Arc<dyn Launch>,
    /// Certificates to trust beside the system's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Deadlines of the end of a started server.
    pub ladder: Ladder,
    /// Names to addresses.
    pub resolver: Resolver,
    /// Whom to tell what is waited for.
    pub progress: Option<ProgressCallback>,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            era: EraChoice::Auto,
            connect_timeout: Duration::from_secs(30),
            environment: Environment::default(),
            launcher: Arc::new(Unwatched),
            extra_roots: Vec::new(),
            ladder: Ladder::default(),
            resolver: Resolver::new(),
            progress: None,
        }
    }
}

impl fmt::Debug for ConnectOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ConnectOptions")
            .field("era", &self.era)
            .field("connect_timeout", &self.connect_timeout)
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}

/// No connection, and what the server's side looked like.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct ConnectError {
    /// Why.
    pub error: McpError,
    /// For the diagnostics block.
    pub facts: ServerFacts,
}

/// The callback, or nobody.
pub(super) struct Progress(Option<ProgressCallback>);

impl Progress {
    pub(super) fn report(&self, progress: ConnectProgress) {
        if let Some(callback) = &self.0 {
            callback(progress);
        }
    }
}

/// Starts or reaches a server and agrees on a protocol version with it.
pub async fn connect(target: &Target, options: ConnectOptions) -> Result<Box<dyn Connection>, ConnectError> {
    let connecting = Connecting {
        progress: Progress(options.progress.clone()),
        deadline: Instant::now() + options.connect_timeout,
        options,
    };
    match target {
        Target::Stdio(stdio) => connecting.stdio(stdio).await,
        Target::Http(http) => connecting.http(http).await,
    }
}

struct Connecting {
    options: ConnectOptions,
    progress: Progress,
    deadline: Instant,
}

impl Connecting {
    /// Starts the server; once more, if it did not survive a request that it does not know.
    async fn stdio(&self, target: &StdioTarget) -> Result<Box<dyn Connection>, ConnectError> {
        let channel = self.start(target)?;
        let failure = match self.handshake(&channel, self.options.era).await {
            Ok(negotiated) => return Ok(Box::new(Session::new(channel, negotiated))),
            Err(failure) => failure,
        };
        if !failure.lost_in_probe || Instant::now() >= self.deadline {
            return Err(give_up(&channel, failure.error).await);
        }
        channel.close().await;
        let channel = self.start(target)?;
        self.progress.report(ConnectProgress::Restarted);
        match self.handshake(&channel, EraChoice::Legacy).await {
            Ok(negotiated) => Ok(Box::new(Session::new(channel, negotiated))),
            Err(failure) => Err(give_up(&channel, failure.error).await),
        }
    }

    fn start(&self, target: &StdioTarget) -> Result<StdioChannel, ConnectError> {
        let spec = ProcessSpec {
            executable: target.executable.clone(),
            args: target.args.clone(),
            cwd: target.cwd.clone(),
            environment: self.options.environment.clone(),
            launcher: Arc::clone(&self.options.launcher),
        };
        let nothing = ServerFacts::Process { exit: None, stderr: StderrTail::default() };
        let (server, pipes) =
            process::start(&spec).map_err(|error| ConnectError { error, facts: nothing })?;
        self.progress.report(ConnectProgress::Spawned);
        Ok(StdioChannel::new(server, pipes, self.options.ladder))
    }

    async fn http(&self, target: &HttpTarget) -> Result<Box<dyn Connection>, ConnectError> {
        let channel = HttpChannel::new(target, &self.options);
        match self.handshake(&channel, self.options.era).await {
            Ok(negotiated) => Ok(Box::new(Session::new(channel, negotiated))),
            Err(failure) => Err(give_up(&channel, failure.error).await),
        }
    }

    async fn handshake(&self, channel: &dyn Channel, era: EraChoice) -> Result<Negotiated, HandshakeFailure> {
        let handshake = Handshake {
            channel,
            era,
            deadline: self.deadline,
            patience: self.options.connect_timeout,
            progress: &self.progress,
        };
        handshake.run().await
    }
}

async fn give_up(channel: &dyn Channel, error: McpError) -> ConnectError {
    let facts = channel.close().await.facts;
    ConnectError { error, facts }
}
