//! A proxy that runs for one test.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use mcpeak_core::redact::Redactor;
use mcpeak_proxy::report::SessionReport;
use mcpeak_proxy::session::{Recorder, Replay, ReplayOptions};
use mcpeak_proxy::settings::{ResolveRule, UpstreamSettings};
use mcpeak_proxy::{Authority, Ingress, Mode, Proxy, ProxyHandle, ProxySettings};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::TestCa;

/// Nothing in these tests takes longer, not even unoptimised on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// One session file, and the proxies that record and replay it.
pub(crate) struct Harness {
    pub(crate) authority: Authority,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) upstream: UpstreamSettings,
    pub(crate) redactor: Redactor,
    pub(crate) adjust: fn(&mut ProxySettings),
}

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) reverse: Vec<SocketAddr>,
    pub(crate) handle: ProxyHandle,
    pub(crate) ingress: Ingress,
    pub(crate) shutdown: CancellationToken,
    task: JoinHandle<Result<SessionReport, mcpeak_proxy::ProxyError>>,
}

/// Fails a test that hangs.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it must not take this long")
}

impl Harness {
    pub(crate) fn new() -> Self {
        Self {
            authority: Authority::ephemeral().unwrap(),
            folder: tempfile::tempdir().unwrap(),
            upstream: UpstreamSettings::default(),
            redactor: Redactor::default(),
            adjust: |_| {},
        }
    }

    /// Trusts a CA for upstreams.
    pub(crate) fn trusting(mut self, ca: &TestCa) -> Self {
        self.upstream.ca_files.push(ca.pem_file());
        self
    }

    /// Sends a name's HTTPS port to a port of this machine.
    pub(crate) fn resolving(self, host: &str, target_port: u16) -> Self {
        self.resolving_port(host, 443, target_port)
    }

    pub(crate) fn resolving_port(mut self, host: &str, port: u16, target_port: u16) -> Self {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        self.upstream.resolve.push(ResolveRule { host: host.to_owned(), port, address, target_port });
        self
    }

    pub(crate) fn session(&self) -> PathBuf {
        self.folder.path().join("test.session.json")
    }

    pub(crate) async fn pass(&self) -> Running {
        self.start(Mode::Pass { upstream: self.upstream.clone() }).await
    }

    pub(crate) async fn record(&self) -> Running {
        let recorder = Recorder::create(&self.session(), false, self.redactor.clone()).unwrap();
        self.start(Mode::Record { recorder, upstream: self.upstream.clone() }).await
    }

    pub(crate) async fn replay(&self) -> Running {
        self.replay_with(ReplayOptions::default()).await
    }

    pub(crate) async fn replay_with(&self, options: ReplayOptions) -> Running {
        let replay = Replay::load(&self.session(), self.redactor.clone(), options).unwrap();
        self.start(Mode::Replay(replay)).await
    }

    pub(crate) async fn start(&self, mode: Mode) -> Running {
        let mut settings = ProxySettings::new(mode, self.authority.clone());
        (self.adjust)(&mut settings);
        let bound = Proxy::bind(settings).await.unwrap();
        let reverse = bound.reverse_addresses().to_vec();
        let (address, handle, ingress) = (bound.address(), bound.handle(), bound.ingress());
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(bound.serve(shutdown.clone()));
        Running { address, reverse, handle, ingress, shutdown, task }
    }
}

impl Running {
    /// Stops the proxy and gives its report.
    pub(crate) async fn stop(self) -> SessionReport {
        self.shutdown.cancel();
        within(self.task).await.expect("the proxy must not panic").expect("the session must be finished")
    }
}
