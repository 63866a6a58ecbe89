//! The one vocabulary that whoever accepts connections (listener, supervisor, gateway) and the proxy share.

use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A byte stream that the proxy can serve.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The bytes of a connection that arrived.
pub enum Socket {
    /// A TCP connection: it can be ended with a reset, as the destination might do.
    Tcp(TcpStream),
    /// Any other stream: it can only be closed.
    Other(Box<dyn Stream>),
}

impl From<TcpStream> for Socket {
    fn from(tcp: TcpStream) -> Self {
        Self::Tcp(tcp)
    }
}

impl From<Box<dyn Stream>> for Socket {
    fn from(stream: Box<dyn Stream>) -> Self {
        Self::Other(stream)
    }
}

/// A connection that arrived, with what is known about it before its first byte was read.
pub struct Accepted {
    /// The bytes.
    pub stream: Socket,
    /// Where the client meant to go; `None` where only the protocol tells (a forward proxy's listener).
    pub destination: Option<Destination>,
    /// Who connected.
    pub origin: Origin,
}

/// Where a client meant to go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The name that the client resolved, lower-case; `None` for a bare address.
    pub name: Option<String>,
    /// The address, where one was given.
    pub address: Option<IpAddr>,
    /// TCP port.
    pub port: u16,
}

/// Where a connection came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A TCP listener.
    Peer(SocketAddr),
    /// A captured socket of a process of the tree under test.
    Process {
        /// Process id as the supervisor sees it.
        pid: u32,
        /// Name of the program.
        program: String,
    },
}
