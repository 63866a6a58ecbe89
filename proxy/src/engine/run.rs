//! The engine of a running proxy.

use std::net::SocketAddr;
use std::sync::Arc;

use mcpeak_core::redact::{Redactor, UnknownTokens};

use super::Mode;
use super::pass::PassEngine;
use super::record::RecordEngine;
use super::replay::ReplayEngine;
use crate::counts::Counters;
use crate::error::ProxyError;
use crate::message::{Reply, Request};
use crate::report::{Mode as ReportMode, SessionReport};
use crate::settings::Limits;
use crate::upstream::Upstream;

/// Answers requests, one way for the whole run.
pub(crate) enum Engine {
    Replay(ReplayEngine),
    Record(RecordEngine),
    Pass(PassEngine),
}

impl Engine {
    /// `own` is where the proxy listens, which it must not forward to.
    pub(crate) fn new(
        mode: Mode,
        limits: Limits,
        counters: &Arc<Counters>,
        own: SocketAddr,
    ) -> Result<Self, ProxyError> {
        let dial = |settings| Upstream::new(settings, limits, Arc::clone(counters), own).map(Arc::new);
        Ok(match mode {
            Mode::Replay(replay) => Self::Replay(ReplayEngine::new(replay)),
            Mode::Record { recorder, upstream } => Self::Record(RecordEngine::new(recorder, dial(upstream)?)),
            Mode::Pass { upstream } => Self::Pass(PassEngine::new(dial(upstream)?)),
        })
    }

    /// Answers a request.
    pub(crate) async fn exchange(&self, request: Request, counters: &Counters) -> Reply {
        match self {
            Self::Replay(engine) => engine.exchange(request, counters).await,
            Self::Record(engine) => engine.exchange(request).await,
            Self::Pass(engine) => {
                counters.passed_through(&request.head.origin);
                engine.exchange(request).await
            }
        }
    }

    /// The way to the network, where there is one.
    pub(crate) const fn upstream(&self) -> Option<&Arc<Upstream>> {
        match self {
            Self::Replay(_) => None,
            Self::Record(engine) => Some(engine.upstream()),
            Self::Pass(engine) => Some(engine.upstream()),
        }
    }

    /// A text of a client as reports may show it: without secrets.
    pub(crate) fn shown(&self, text: &str) -> String {
        match self {
            Self::Replay(engine) => engine.session().shown(text),
            Self::Record(engine) => engine.recorder().shown(text),
            Self::Pass(_) => Redactor::default().redact_text(text, &UnknownTokens),
        }
    }

    /// The report so far.
    pub(crate) fn progress(&self, counters: &Counters) -> SessionReport {
        let counts = counters.snapshot();
        match self {
            Self::Replay(engine) => engine.session().report(&counts),
            Self::Record(engine) => engine.recorder().progress(&counts),
            Self::Pass(_) => SessionReport::new(ReportMode::Pass, "", &counts),
        }
    }

    /// Finishes the session. No exchange is under way any more.
    pub(crate) async fn finish(&self, counters: &Counters) -> Result<SessionReport, ProxyError> {
        if let Some(upstream) = self.upstream() {
            upstream.close().await;
        }
        match self {
            Self::Record(engine) => Ok(engine.recorder().complete(&counters.snapshot()).await?),
            Self::Replay(_) | Self::Pass(_) => Ok(self.progress(counters)),
        }
    }
}
