//! Takes led connections and hands them on with what their address says.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcpeak_core::accepted::{Accepted, Destination};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::sys::socket;
use super::tokens::{Led, Tokens};
use crate::capture::Sink;

/// Connections that may wait to be accepted; the kernel's own bound may be lower.
const BACKLOG: i32 = 4096;
/// Out of descriptors or memory: it will pass, and a busy loop would not help.
const PAUSE: Duration = Duration::from_millis(20);

/// Listens at every loopback address at once. Nothing outside of this machine can reach it.
pub(super) fn bind() -> io::Result<TcpListener> {
    let socket: OwnedFd = socket::create(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0)?;
    // Before Linux 5.7 it takes a privilege; what comes from elsewhere is dropped below in any case.
    let _ = socket::bind_to_loopback_device(socket.as_fd());
    socket::bind(socket.as_fd(), SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)))?;
    socket::listen(socket.as_fd(), BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// Accepts until it is stopped. The trial's connection is taken and dropped.
pub(super) async fn serve(
    listener: TcpListener,
    tokens: Arc<Mutex<Tokens>>,
    sink: Sink,
    trial: Destination,
    stop: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                if let Some(led) = led(&stream, &tokens)
                    && led.destination != trial
                {
                    sink(hand_on(stream, led));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "accept: a led connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn led(stream: &TcpStream, tokens: &Mutex<Tokens>) -> Option<Led> {
    let IpAddr::V4(address) = stream.local_addr().ok()?.ip().to_canonical() else { return None };
    tokens.lock().unwrap_or_else(PoisonError::into_inner).accept(address)
}

fn hand_on(stream: TcpStream, led: Led) -> Accepted {
    Accepted { stream: stream.into(), destination: Some(led.destination), origin: led.origin }
}
