//! The proxy as a whole: bind, serve, stop.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accept::{self, Entrance};
use crate::authority::Authority;
use crate::counts::Counters;
use crate::engine::{Engine, Mode};
use crate::error::ProxyError;
use crate::ingress::Ingress;
use crate::report::SessionReport;
use crate::route::Route;
use crate::settings::ProxySettings;
use crate::shared::Shared;

/// What is left to a connection that was told to end at once.
const CUT: Duration = Duration::from_millis(200);

/// The proxy. It has no values: [`Proxy::bind`] makes a [`BoundProxy`].
#[derive(Debug)]
pub enum Proxy {}

/// A proxy whose address is known and that accepts as soon as it serves; clients that connect before wait.
#[must_use = "a bound proxy does nothing until it serves"]
pub struct BoundProxy {
    entrances: Vec<Entrance>,
    shared: Arc<Shared>,
}

/// Looks at a proxy while it runs. Cheap to clone.
#[derive(Clone)]
pub struct ProxyHandle {
    shared: Arc<Shared>,
}

impl Proxy {
    /// Checks the settings and binds the address.
    ///
    /// # Errors
    /// The address cannot be listened on, or a file of the upstream settings cannot be used.
    pub async fn bind(settings: ProxySettings) -> Result<BoundProxy, ProxyError> {
        let recorder = match &settings.mode {
            Mode::Record { recorder, .. } => Some(recorder.clone()),
            Mode::Replay(_) | Mode::Pass { .. } => None,
        };
        let bound = Self::try_bind(settings).await;
        if let (Err(_), Some(recorder)) = (&bound, recorder) {
            recorder.abandon().await;
        }
        bound
    }

    async fn try_bind(settings: ProxySettings) -> Result<BoundProxy, ProxyError> {
        let ProxySettings { listen, mode, authority, tunnel, strict, limits, reverse } = settings;
        let (listener, address) = listen_at(listen).await?;
        let mut entrances = vec![Entrance { listener, route: Route::listener() }];
        let mut reverse_addresses = Vec::new();
        for rule in reverse {
            let (listener, address) = listen_at(rule.listen.beside(listen)).await?;
            reverse_addresses.push(address);
            entrances.push(Entrance { listener, route: Route::reverse(rule.origin) });
        }
        let counters = Arc::new(Counters::default());
        // Reads certificate files.
        let engine = {
            let counters = Arc::clone(&counters);
            tokio::task::spawn_blocking(move || Engine::new(mode, limits, &counters, address))
                .await
                .map_err(|error| ProxyError::Start(std::io::Error::other(error)))??
        };
        // The first handshake would otherwise wait for the provider to seed itself and for the first signature.
        if let Err(error) = authority.mint().config("localhost", crate::authority::Alpn::Http) {
            tracing::debug!(%error, "no leaf for localhost");
        }
        let shared = Shared {
            engine,
            authority,
            counters,
            limits,
            tunnel,
            strict,
            address,
            reverse: reverse_addresses,
            stop: CancellationToken::new(),
            cut: CancellationToken::new(),
            tracker: TaskTracker::new(),
        };
        Ok(BoundProxy { entrances, shared: Arc::new(shared) })
    }
}

async fn listen_at(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ProxyError> {
    let failed = |source| ProxyError::Bind { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

impl BoundProxy {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// Where the reverse listeners are, in the order of their rules.
    pub fn reverse_addresses(&self) -> &[SocketAddr] {
        &self.shared.reverse
    }

    /// A way in for connections that were accepted elsewhere.
    pub fn ingress(&self) -> Ingress {
        Ingress::new(Arc::clone(&self.shared))
    }

    /// A look at the proxy while it runs.
    pub fn handle(&self) -> ProxyHandle {
        ProxyHandle { shared: Arc::clone(&self.shared) }
    }

    /// Serves until `shutdown` is cancelled; then lets exchanges under way finish for as long as the limits say, ends the rest,
    /// joins every task, and finishes the session.
    ///
    /// # Errors
    /// The session file could not be written.
    pub async fn serve(self, shutdown: CancellationToken) -> Result<SessionReport, ProxyError> {
        let Self { entrances, shared } = self;
        accept::accept(&entrances, &shared, &shutdown).await;
        drop(entrances);
        shared.stop.cancel();
        shared.tracker.close();
        if tokio::time::timeout(shared.limits.shutdown, shared.tracker.wait()).await.is_err() {
            shared.cut.cancel();
            if tokio::time::timeout(CUT, shared.tracker.wait()).await.is_err() {
                tracing::warn!(left = shared.tracker.len(), "close: connections that did not end in time");
            }
        }
        shared.engine.finish(&shared.counters).await
    }
}

impl ProxyHandle {
    /// The report so far.
    pub fn report(&self) -> SessionReport {
        self.shared.engine.progress(&self.shared.counters)
    }

    /// The authority whose leaves the clients see.
    pub fn authority(&self) -> &Authority {
        &self.shared.authority
    }

    /// Whether it still takes connections.
    pub fn is_serving(&self) -> bool {
        !self.shared.stop.is_cancelled()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }
}

impl std::fmt::Debug for BoundProxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("BoundProxy").field("address", &self.address()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ProxyHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ProxyHandle").field("address", &self.address()).finish_non_exhaustive()
    }
}
