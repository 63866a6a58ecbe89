//! Puts the supervisor together, tries it out, and takes it down.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use mcpeak_core::accepted::Destination;
use mcpeak_core::process::Launch;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::dns::Zone;
use super::handle::State;
use super::launcher::{self, Launcher, Ready};
use super::ledger::Ledger;
use super::names::Names;
use super::responder::Responder;
use super::search::Search;
use super::sys::descriptor::DescriptorLimit;
use super::sys::launch;
use super::tokens::Tokens;
use super::{acceptor, listener};
use crate::capture::{CaptureError, CaptureReport, CaptureSettings, Sink};

/// Where the trial connects to: an address for documentation (RFC 5737), port 9, discard.
const TRIAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(203, 0, 113, 1)), 9);

/// A running supervisor.
#[derive(Debug)]
pub(crate) struct Supervisor {
    launcher: Launcher,
    ledger: Arc<Ledger>,
    listener: JoinHandle<()>,
    tasks: JoinSet<()>,
    // Ends the tasks when the value is dropped without `stop`.
    stop: DropGuard,
}

impl Supervisor {
    /// Starts it and lets it lead one connection of its own: what does not work here is found now.
    pub(crate) async fn start(settings: CaptureSettings, sink: Sink) -> Result<Self, CaptureError> {
        let refused = |step| move |source| CaptureError::Refused { step, source };
        let limit = DescriptorLimit::current().map_err(|errno| refused("getrlimit")(errno.into()))?;
        // Fewer descriptors only mean fewer connections at once.
        let _ = limit.highest().apply();
        launch::adopt_orphans();
        let responder = Responder::bind().await.map_err(refused("the DNS responder"))?;
        let led = acceptor::bind().map_err(refused("the acceptor"))?;
        let port = led.local_addr().map_err(refused("the acceptor"))?.port();
        let search =
            fs::read_to_string("/etc/resolv.conf").map(|text| Search::parse(&text)).unwrap_or_default();
        let zone = Arc::new(Zone::new(Names::new(settings.pool), search));
        let tokens = Arc::new(Mutex::new(Tokens::default()));
        let ledger = Arc::new(Ledger::default());
        let address = responder.address().map_err(refused("the DNS responder"))?;
        let state = State::new(
            Arc::clone(&zone),
            Arc::clone(&tokens),
            Arc::clone(&ledger),
            settings.loopback,
            port,
            address,
        );
        let Ready { launcher, listener, thread } = launcher::start(limit).await?;
        let listener =
            listener::start(listener, Arc::new(state), thread).map_err(refused("starting a thread"))?;
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(responder.serve(zone, stop.clone()));
        let trial = Destination { name: None, address: Some(TRIAL.ip()), port: TRIAL.port() };
        tasks.spawn(acceptor::serve(led, tokens, sink, trial, stop.clone()));
        let supervisor = Self { launcher, ledger, listener, tasks, stop: stop.drop_guard() };
        supervisor.try_out().await?;
        Ok(supervisor)
    }

    async fn try_out(&self) -> Result<(), CaptureError> {
        let led = self
            .launcher
            .try_connection(TRIAL)
            .await
            .map_err(|source| CaptureError::Refused { step: "a trial connection", source })?;
        match led.peer_addr() {
            Ok(peer) if peer.ip().is_loopback() => Ok(()),
            // The kernel carried the call out: before 5.14 it cannot hand a descriptor out and answer in one step.
            _ => Err(CaptureError::Kernel),
        }
    }

    pub(crate) fn launcher(&self) -> Arc<dyn Launch> {
        Arc::new(self.launcher.clone())
    }

    pub(crate) async fn stop(self) -> CaptureReport {
        let Self { launcher, ledger, listener, mut tasks, stop } = self;
        drop(stop);
        launcher.stop();
        while tasks.join_next().await.is_some() {}
        // It ends within a system call of the launcher's thread.
        let _ = tokio::task::spawn_blocking(move || listener.join()).await;
        ledger.report()
    }
}
