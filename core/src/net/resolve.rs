//! DNS that works in a static binary, and TCP connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
const QUERY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an address may stay silent while there is another one to try.
const PER_ADDRESS: Duration = Duration::from_secs(3);

/// Resolves names by the system's name servers and hosts file, without libc. `localhost` and names under it are always
/// loopback (RFC 6761, 6.3). Cheap to clone; clones share one cache. Configuration is read at the first lookup.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    system: Arc<OnceCell<TokioResolver>>,
}

/// A name without an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no address for {host}: {reason}")]
pub struct ResolveError {
    /// The name.
    pub host: String,
    /// The resolver's words.
    pub reason: String,
}

/// Why no TCP connection came about.
#[derive(Debug, thiserror::Error)]
pub enum ConnectTcpError {
    /// The name has no address.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// No address accepted; the error of the first.
    #[error("no connection to {host}:{port}")]
    Connect {
        /// The name.
        host: String,
        /// The port.
        port: u16,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The deadline passed.
    #[error("no connection to {host}:{port} in time")]
    Timeout {
        /// The name.
        host: String,
        /// The port.
        port: u16,
    },
}

impl Resolver {
    /// A resolver by the system's configuration.
    pub fn new() -> Self {
        Self::default()
    }

    /// The addresses of a name or of an address literal (brackets allowed), IPv4 first; never empty.
    pub async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let bare = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
        if let Ok(address) = bare.parse() {
            return Ok(vec![address]);
        }
        let name = bare.trim_end_matches('.').to_ascii_lowercase();
        if name == "localhost" || name.ends_with(".localhost") {
            return Ok(LOOPBACK.to_vec());
        }
        let failed = |reason: String| ResolveError { host: bare.to_owned(), reason };
        let system = self.system.get_or_try_init(system_resolver).await.map_err(&failed)?;
        let lookup = system.lookup_ip(bare).await.map_err(|error| {
            // The library prints its whole query; that there is no such name is all that matters.
            let unknown = error.is_no_records_found() || error.is_nx_domain();
            failed(if unknown { "no such name".to_owned() } else { error.to_string() })
        })?;
        let mut addresses: Vec<IpAddr> = lookup.iter().collect();
        addresses.sort_by_key(IpAddr::is_ipv6);
        addresses.dedup();
        if addresses.is_empty() { Err(failed("the answer holds none".to_owned())) } else { Ok(addresses) }
    }

    /// A TCP connection with `TCP_NODELAY`. Addresses are tried one after the other, each with its share of the time left.
    pub async fn connect_tcp(
        &self,
        host: &str,
        port: u16,
        deadline: Instant,
    ) -> Result<TcpStream, ConnectTcpError> {
        let late = || ConnectTcpError::Timeout { host: host.to_owned(), port };
        let addresses = timeout_at(deadline, self.resolve(host)).await.map_err(|_| late())??;
        let mut first_error = None;
        for (index, &address) in addresses.iter().enumerate() {
            let now = Instant::now();
            let left = u32::try_from(addresses.len() - index).unwrap_or(u32::MAX);
            let mut share = deadline.saturating_duration_since(now) / left;
            if left > 1 {
                share = share.min(PER_ADDRESS);
            }
            match timeout_at(now + share, TcpStream::connect(SocketAddr::new(address, port))).await {
                Ok(Ok(stream)) => {
                    // A socket without it is slower, not broken.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => {
                    first_error.get_or_insert(error);
                }
                Err(_) => {}
            }
        }
        match first_error {
            Some(source) => Err(ConnectTcpError::Connect { host: host.to_owned(), port, source }),
            None => Err(late()),
        }
    }
}

async fn system_resolver() -> Result<TokioResolver, String> {
    let build = || {
        // Without resolv.conf there is still the hosts file.
        let mut builder = TokioResolver::builder_tokio().unwrap_or_else(|_| {
            let nobody = ResolverConfig::from_parts(None, Vec::new(), Vec::new());
            TokioResolver::builder_with_config(nobody, TokioRuntimeProvider::default())
        });
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.timeout = QUERY_TIMEOUT.min(options.timeout);
        builder.build().map_err(|error| error.to_string())
    };
    // Reads /etc/resolv.conf and /etc/hosts.
    tokio::task::spawn_blocking(build).await.map_err(|error| error.to_string())?
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::{ConnectTcpError, Resolver};

    #[tokio::test]
    async fn literals_and_localhost_ask_nobody() {
        let resolver = Resolver::new();
        assert_eq!(resolver.resolve("127.0.0.9").await.unwrap()[0].to_string(), "127.0.0.9");
        assert_eq!(resolver.resolve("[::1]").await.unwrap()[0].to_string(), "::1");
        assert!(resolver.resolve("LocalHost.").await.unwrap().iter().all(std::net::IpAddr::is_loopback));
        assert!(resolver.resolve("a.localhost").await.unwrap()[0].is_loopback());
        assert!(resolver.system.get().is_none());
    }

    #[tokio::test]
    async fn connects_and_says_who_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let deadline = Instant::now() + Duration::from_secs(10);
        let resolver = Resolver::new();
        let stream = resolver.connect_tcp("localhost", port, deadline).await.unwrap();
        assert!(stream.nodelay().unwrap());
        drop((stream, listener));
        let error = resolver.connect_tcp("127.0.0.1", port, deadline).await.unwrap_err();
        let ConnectTcpError::Connect { source, .. } = error else { panic!("{error:?}") };
        assert_eq!(source.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}
