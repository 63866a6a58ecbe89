//! Finding the era, `server/discover` and `initialize`.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use super::channel::{Call, Channel, Outcome, client_info};
use super::connect::{ConnectProgress, EraChoice, Progress};
use super::failure::{refused, unusable, violated};
use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::wire::judge::Judged;
use crate::wire::version::{CAPABILITY_MISSING, HEADER_MISMATCH, META_SERVER_INFO, VERSION_UNSUPPORTED};
use crate::wire::{Era, LATEST_LEGACY, LATEST_MODERN, RpcError, Version, find_version};

/// How long an answer to `server/discover` is waited for before `initialize` is sent as well.
const PROBE: Duration = Duration::from_secs(3);

/// What was agreed on with a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiated {
    /// The version that is spoken.
    pub version: &'static Version,
    /// `serverInfo`: required in the legacy era, optional in the modern one.
    pub server_info: Option<Map<String, Value>>,
    /// `capabilities`.
    pub capabilities: Map<String, Value>,
    /// `instructions`.
    pub instructions: Option<String>,
    /// The whole result of `initialize` or `server/discover`.
    pub raw: Map<String, Value>,
}

impl Negotiated {
    /// The era of the version.
    pub fn era(&self) -> Era {
        self.version.era
    }

    fn new(version: &'static Version, raw: Map<String, Value>) -> Self {
        let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
        let server_info = match version.era {
            Era::Legacy => object(raw.get("serverInfo")),
            Era::Modern => object(raw.get("_meta").and_then(|meta| meta.get(META_SERVER_INFO))),
        };
        let capabilities = object(raw.get("capabilities")).unwrap_or_default();
        let instructions = raw.get("instructions").and_then(Value::as_str).map(str::to_owned);
        Self { version, server_info, capabilities, instructions, raw }
    }
}

/// A handshake that failed.
pub(super) struct HandshakeFailure {
    /// Why.
    pub(super) error: McpError,
    /// Whether the server was lost while `server/discover` was unanswered: it may only fear that request.
    pub(super) lost_in_probe: bool,
}

impl From<McpError> for HandshakeFailure {
    fn from(error: McpError) -> Self {
        Self { error, lost_in_probe: false }
    }
}

impl HandshakeFailure {
    fn in_probe(error: McpError) -> Self {
        let lost_in_probe = error.connection_lost().is_some();
        Self { error, lost_in_probe }
    }
}

/// How a handshake is to be done.
pub(super) struct Handshake<'a> {
    /// Over which channel.
    pub(super) channel: &'a dyn Channel,
    /// In which era.
    pub(super) era: EraChoice,
    /// Until when.
    pub(super) deadline: Instant,
    /// The whole time, for the sentence.
    pub(super) patience: Duration,
    /// Whom to tell what is waited for.
    pub(super) progress: &'a Progress,
}

/// What `server/discover` brought.
enum Discovered {
    /// The server is modern.
    Modern(Box<Negotiated>),
    /// Not a modern server, as far as this says: `initialize` decides.
    Legacy,
}

impl Handshake<'_> {
    /// Finds the era and agrees on a version.
    pub(super) async fn run(&self) -> Result<Negotiated, HandshakeFailure> {
        match self.era {
            EraChoice::Legacy => Ok(self.initialize().await?),
            EraChoice::Modern => match self.discover(true).await? {
                Discovered::Modern(negotiated) => Ok(*negotiated),
                Discovered::Legacy => Err(self.no_common_version(Vec::new()).into()),
            },
            EraChoice::Auto => self.detect().await,
        }
    }

    /// `server/discover` first. It keeps waiting beside `initialize`: a server that is still starting reads both, and its
    /// first answer counts.
    async fn detect(&self) -> Result<Negotiated, HandshakeFailure> {
        let probe = Instant::now() + PROBE.min(self.patience / 2);
        let mut discover = std::pin::pin!(self.discover(false));
        match timeout_at(probe.min(self.deadline), &mut discover).await {
            Ok(Ok(Discovered::Modern(negotiated))) => return Ok(*negotiated),
            Ok(Ok(Discovered::Legacy)) => return Ok(self.initialize().await?),
            Ok(Err(error)) => return Err(HandshakeFailure::in_probe(error)),
            Err(_) => {}
        }
        let mut initialize = std::pin::pin!(self.initialize());
        tokio::select! {
            biased;
            discovered = &mut discover => match discovered {
                Ok(Discovered::Modern(negotiated)) => Ok(*negotiated),
                Ok(Discovered::Legacy) => Ok(initialize.await?),
                // Both have the same deadline, and the later request is the one to name.
                Err(error) if error.code.is_handshake_timeout() => Ok(initialize.await?),
                Err(error) => Err(HandshakeFailure::in_probe(error)),
            },
            initialized = &mut initialize => Ok(initialized?),
        }
    }

    fn call(
        &self,
        method: &'static str,
        params: Map<String, Value>,
        version: Option<&'static Version>,
    ) -> Call<'_> {
        self.progress.report(ConnectProgress::WaitingFor { method });
        Call {
            method,
            params,
            phase: Phase::Handshake,
            version,
            param_headers: Vec::new(),
            deadline: self.deadline,
            patience: self.patience,
            cancel: false,
        }
    }

    async fn discover(&self, forced: bool) -> Result<Discovered, McpError> {
        let call = self.call("server/discover", Map::new(), find_version(LATEST_MODERN));
        let outcome = match self.channel.call(call).await {
            Ok(outcome) => outcome,
            Err(error) if forced || ends_probe(&error) => return Err(error),
            Err(_) => return Ok(Discovered::Legacy),
        };
        match outcome {
            Outcome::Result(result, raw) => {
                match (Judged { result: &result, raw: &raw }).discover() {
                    Ok(names) => self.choose(names, result, forced),
                    Err(violation) if forced => Err(violated(Phase::Handshake, violation)),
                    // Some servers answer whatever they are asked; that is not being modern.
                    Err(_) => Ok(Discovered::Legacy),
                }
            }
            Outcome::Error(error) => self.discover_refused(error, forced),
        }
    }

    fn choose(
        &self,
        names: Vec<String>,
        result: Map<String, Value>,
        forced: bool,
    ) -> Result<Discovered, McpError> {
        let known = |era| {
            let of_era =
                names.iter().filter_map(|name| find_version(name)).filter(|version| version.era == era);
            of_era.max_by_key(|version| version.name)
        };
        if let Some(version) = known(Era::Modern) {
            return Ok(Discovered::Modern(Box::new(Negotiated::new(version, result))));
        }
        if known(Era::Legacy).is_some() && !forced {
            return Ok(Discovered::Legacy);
        }
        Err(self.no_common_version(names))
    }

    fn discover_refused(&self, error: RpcError, forced: bool) -> Result<Discovered, McpError> {
        match error.code {
            VERSION_UNSUPPORTED => {
                let supported = supported_versions(&error);
                let legacy = supported
                    .iter()
                    .filter_map(|name| find_version(name))
                    .any(|version| version.era == Era::Legacy);
                // A server that does not say what it supports may still have a handshake.
                if !forced && (legacy || supported.is_empty()) {
                    return Ok(Discovered::Legacy);
                }
                Err(self.no_common_version(supported))
            }
            // Only a modern server has these, and it does not like what every modern client sends.
            HEADER_MISMATCH | CAPABILITY_MISSING => Err(refused(Phase::Handshake, error)),
            _ if forced => Err(refused(Phase::Handshake, error)),
            _ => Ok(Discovered::Legacy),
        }
    }

    fn no_common_version(&self, supported: Vec<String>) -> McpError {
        let requested = if self.era == EraChoice::Legacy { LATEST_LEGACY } else { LATEST_MODERN };
        unusable(Phase::Handshake, Detail::VersionUnsupported { requested: requested.to_owned(), supported })
    }

    async fn initialize(&self) -> Result<Negotiated, McpError> {
        let params = json!({
            "protocolVersion": LATEST_LEGACY,
            "capabilities": {},
            "clientInfo": client_info(),
        });
        let params = params.as_object().cloned().unwrap_or_default();
        let outcome = self.channel.call(self.call("initialize", params, None)).await?;
        let (result, raw) = match outcome {
            Outcome::Result(result, raw) => (result, raw),
            Outcome::Error(error) if error.code == VERSION_UNSUPPORTED => {
                let supported = supported_versions(&error);
                let requested = LATEST_LEGACY.to_owned();
                return Err(unusable(Phase::Handshake, Detail::VersionUnsupported { requested, supported }));
            }
            Outcome::Error(error) => return Err(refused(Phase::Handshake, error)),
        };
        let version = Judged { result: &result, raw: &raw }
            .initialize()
            .map_err(|violation| violated(Phase::Handshake, violation))?;
        self.channel.notify("notifications/initialized", version, self.deadline).await?;
        Ok(Negotiated::new(version, result))
    }
}

/// Errors after which `initialize` would not fare better.
fn ends_probe(error: &McpError) -> bool {
    matches!(
        error.code,
        ErrorCode::ProcessExited
            | ErrorCode::TransportFailed
            | ErrorCode::HttpConnectFailed
            | ErrorCode::HttpUnauthorized
            | ErrorCode::HandshakeTimeout
            | ErrorCode::HttpHandshakeTimeout
    ) || matches!(error.detail, Detail::Redirect { .. })
}

fn supported_versions(error: &RpcError) -> Vec<String> {
    let supported = error.data.as_ref().and_then(|data| data.get("supported")).and_then(Value::as_array);
    supported.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
