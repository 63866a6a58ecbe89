//! How a process tree's sockets are led to the proxy, and what was seen.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::str::FromStr;
use std::sync::Arc;

use mcpeak_core::accepted::Accepted;
use mcpeak_core::process::Launch;

/// Takes the connections that were led here.
pub type Sink = Arc<dyn Fn(Accepted) + Send + Sync>;

/// What to do with connections to loopback ports on which the tree itself does not listen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PassLoopback {
    /// They go to the proxy as `127.0.0.1:PORT`.
    #[default]
    None,
    /// They go where they want.
    All,
    /// Those of these ports go where they want.
    Ports(BTreeSet<u16>),
}

/// The range that names get their addresses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPool {
    /// First address of the range.
    pub(crate) first: u32,
    /// Number of addresses.
    pub(crate) size: u32,
}

impl Default for AddressPool {
    /// 28.254.0.0/15: assigned, never in use on the public network, and public in the eyes of a program that guards itself against
    /// requests to private networks. The ranges meant for tests (198.18.0.0/15 and the like) are refused by such guards.
    fn default() -> Self {
        Self { first: u32::from(Ipv4Addr::new(28, 254, 0, 0)), size: 1 << 17 }
    }
}

impl FromStr for AddressPool {
    type Err = PoolError;

    fn from_str(text: &str) -> Result<Self, PoolError> {
        let (address, bits) = text.split_once('/').ok_or(PoolError)?;
        let address: Ipv4Addr = address.parse().map_err(|_| PoolError)?;
        let bits: u32 = bits.parse().map_err(|_| PoolError)?;
        if !(8..=28).contains(&bits) || address.is_loopback() || address.is_multicast() {
            return Err(PoolError);
        }
        let size = 1_u32 << (32 - bits);
        let first = u32::from(address);
        if first % size != 0 {
            return Err(PoolError);
        }
        Ok(Self { first, size })
    }
}

impl fmt::Display for AddressPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", Ipv4Addr::from(self.first), self.size.leading_zeros() + 1)
    }
}

/// A text that is no usable range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an IPv4 network of /8 to /28, for example 28.254.0.0/15")]
pub struct PoolError;

/// How to capture.
#[derive(Clone, Debug, Default)]
pub struct CaptureSettings {
    /// Where names get their addresses from.
    pub pool: AddressPool,
    /// Foreign loopback ports.
    pub loopback: PassLoopback,
}

/// Why sockets cannot be captured here.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Not Linux, or a processor that the filter does not know.
    #[error("sockets are captured on Linux only, on x86-64 and arm64")]
    Platform,
    /// Linux before 5.14.
    #[error("the kernel is older than 5.14")]
    Kernel,
    /// Another supervisor has a listener on this process already.
    #[error("this process runs under another supervisor, and the kernel allows one listener only")]
    Nested,
    /// The kernel, or a policy around this process, forbids it.
    #[error("{step}: {source}")]
    Refused {
        /// What was tried.
        step: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

/// What the supervisor saw beyond the connections that it led to the proxy. Sorted, without counts: how often a program
/// tries again is not the same from run to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureReport {
    /// Datagram destinations that were refused: `udp://192.0.2.1:443`.
    pub refused: BTreeSet<String>,
    /// Paths of UNIX sockets that were connected to; a daemon behind one is outside of the tree.
    pub local_sockets: BTreeSet<String>,
    /// Loopback ports of others that were connected to directly, as allowed.
    pub passed: BTreeSet<String>,
    /// Programs whose memory could not be read; their calls were refused.
    pub unreadable: BTreeSet<String>,
}

impl CaptureReport {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A running capture. Processes started by its launcher, and all that they start, have their sockets led to the sink.
#[derive(Debug)]
pub struct Capture {
    #[cfg(target_os = "linux")]
    supervisor: crate::supervisor::Supervisor,
}

impl Capture {
    /// Starts a supervisor and tries it out on itself. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// It does not work here.
    #[cfg(target_os = "linux")]
    pub async fn start(settings: CaptureSettings, sink: Sink) -> Result<Self, CaptureError> {
        crate::supervisor::Supervisor::start(settings, sink).await.map(|supervisor| Self { supervisor })
    }

    /// Starts a supervisor.
    ///
    /// # Errors
    /// Always: this is not Linux.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_async, reason = "the same signature as on Linux")]
    pub async fn start(_: CaptureSettings, _: Sink) -> Result<Self, CaptureError> {
        Err(CaptureError::Platform)
    }

    /// Starts processes whose sockets are captured.
    pub fn launcher(&self) -> Arc<dyn Launch> {
        #[cfg(target_os = "linux")]
        return self.supervisor.launcher();
        #[cfg(not(target_os = "linux"))]
        unreachable_platform()
    }

    /// Ends it. What still runs of the tree has no network from then on.
    pub async fn stop(self) -> CaptureReport {
        #[cfg(target_os = "linux")]
        return self.supervisor.stop().await;
        #[cfg(not(target_os = "linux"))]
        CaptureReport::default()
    }
}

#[cfg(not(target_os = "linux"))]
fn unreachable_platform() -> ! {
    unreachable!("a capture cannot be started on this platform")
}

#[cfg(test)]
mod tests {
    use super::AddressPool;

    #[test]
    fn pools() {
        let pool: AddressPool = "28.254.0.0/15".parse().unwrap();
        assert_eq!(pool, AddressPool::default());
        assert_eq!(pool.to_string(), "28.254.0.0/15");
        assert_eq!("10.0.0.0/8".parse::<AddressPool>().unwrap().to_string(), "10.0.0.0/8");
        for wrong in
            ["", "10.0.0.0", "10.0.0.1/8", "127.0.0.0/8", "224.0.0.0/8", "10.0.0.0/29", "10.0.0.0/7", "::/15"]
        {
            assert!(wrong.parse::<AddressPool>().is_err(), "{wrong}");
        }
    }
}
