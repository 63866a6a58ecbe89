//! Connections that come in as captured sockets do: a real TCP connection and where it was meant to go.

use mcpeak_core::accepted::{Accepted, Destination, Origin};
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};

use super::harness::Running;

/// A destination whose name was resolved.
pub(crate) fn named(name: &str, port: u16) -> Destination {
    Destination { name: Some(name.to_owned()), address: Some([198, 18, 0, 7].into()), port }
}

/// A bare address.
pub(crate) fn at(address: &str, port: u16) -> Destination {
    Destination { name: None, address: Some(address.parse().unwrap()), port }
}

/// The client's end of a captured connection.
pub(crate) async fn captured(proxy: &Running, destination: Destination) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    near.set_nodelay(true).unwrap();
    let (far, _) = listener.accept().await.unwrap();
    let origin = Origin::Process { pid: 7, program: "app".into() };
    assert!(proxy.ingress.accept(Accepted { stream: far.into(), destination: Some(destination), origin }));
    near
}

/// What a client reads until the end, and whether that end was a reset.
pub(crate) async fn outcome(mut near: TcpStream) -> (Vec<u8>, bool) {
    let mut read = Vec::new();
    match near.read_to_end(&mut read).await {
        Ok(_) => (read, false),
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
            (read, true)
        }
    }
}
