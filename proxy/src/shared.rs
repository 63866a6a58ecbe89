//! What all connections of a running proxy share.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::authority::Authority;
use crate::counts::Counters;
use crate::engine::Engine;
use crate::exchange::Origin;
use crate::report::Warning;
use crate::route::Route;
use crate::settings::{HostPattern, Limits};
use crate::upstream::Upstream;

/// What all connections of a running proxy share. Nothing in here changes but counters.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) authority: Authority,
    pub(crate) counters: Arc<Counters>,
    pub(crate) limits: Limits,
    pub(crate) tunnel: Vec<HostPattern>,
    /// Whether nothing but HTTP is let through.
    pub(crate) strict: bool,
    /// Where the proxy itself listens.
    pub(crate) address: SocketAddr,
    /// Where the reverse listeners are.
    pub(crate) reverse: Vec<SocketAddr>,
    /// No further connections and requests.
    pub(crate) stop: CancellationToken,
    /// The end of what is still under way.
    pub(crate) cut: CancellationToken,
    /// Owns the tasks of connections and streams.
    pub(crate) tracker: TaskTracker,
}

impl Shared {
    /// Whether an origin is the proxy itself, so that forwarding would go round in a circle.
    pub(crate) fn is_own(&self, host: &str, port: u16) -> bool {
        let means = |address: &SocketAddr| {
            let own = address.ip();
            port == address.port()
                && match host.parse::<IpAddr>() {
                    Ok(ip) => ip == own || ip.is_unspecified() || (own.is_unspecified() && ip.is_loopback()),
                    Err(_) => host == "localhost" && (own.is_loopback() || own.is_unspecified()),
                }
        };
        means(&self.address) || self.reverse.iter().any(means)
    }

    pub(crate) fn is_own_origin(&self, origin: &Origin) -> bool {
        self.is_own(&origin.host, origin.port)
    }

    /// The way to the network for connections that are not HTTP, where they may take it.
    pub(crate) fn upstream_of_unread(&self) -> Option<&Arc<Upstream>> {
        self.engine.upstream().filter(|_| !self.strict)
    }

    /// Remarks that a request or a ClientHello names another host than the one that was resolved. The resolved one wins.
    pub(crate) fn note_host(&self, route: &Route, authority: &str) {
        if let Some(origin) = route.contradicted_by(authority) {
            let host = self.engine.shown(authority.trim());
            self.counters.warn(Warning::HostDiffers { destination: origin.to_string(), host });
        }
    }

    /// Whether the TLS of a host stays unread.
    pub(crate) fn is_tunnelled(&self, host: &str) -> bool {
        self.tunnel.iter().any(|pattern| pattern.matches(host))
    }
}
