//! What a proxy is told before it starts, as plain values. Reading flags, files and the environment is the caller's.

mod hosts;
mod limits;
mod reverse;
mod upstream;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

pub use hosts::{HostPattern, ResolveRule, SettingError};
pub use limits::Limits;
pub use reverse::{ReverseListen, ReverseRule};
pub use upstream::{ClientCertificate, Login, ProxyAddress, ProxyKind, UpstreamProxy, UpstreamSettings};

use crate::authority::Authority;
use crate::engine::Mode;

/// Everything a proxy needs.
#[derive(Debug)]
pub struct ProxySettings {
    /// Where to listen; port 0 lets the system choose.
    pub listen: SocketAddr,
    /// What to do with a request. Only [`Mode::Record`] and [`Mode::Pass`] hold what a dialer is made from.
    pub mode: Mode,
    /// The authority whose leaves the clients see.
    pub authority: Authority,
    /// Hosts whose TLS is passed through unread (`--tunnel HOST`). Ignored in replay, where nothing is passed through.
    pub tunnel: Vec<HostPattern>,
    /// Refuse what is not HTTP where it would be passed through unread; hosts of `tunnel` still are. No meaning in replay, where
    /// it is always refused.
    pub strict: bool,
    /// Deadlines and sizes.
    pub limits: Limits,
    /// Further listeners, each in front of one origin.
    pub reverse: Vec<ReverseRule>,
}

impl ProxySettings {
    /// A proxy on a free loopback port with default limits.
    pub fn new(mode: Mode, authority: Authority) -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            mode,
            authority,
            tunnel: Vec::new(),
            strict: false,
            limits: Limits::default(),
            reverse: Vec::new(),
        }
    }
}
