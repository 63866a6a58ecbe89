//! A way in for connections that were accepted elsewhere: captured sockets, a sandbox's gateway.

use std::sync::Arc;

use mcpeak_core::accepted::{Accepted, Destination, Origin, Socket};

use crate::connection::{self, Arrived};
use crate::route::{Route, Target};
use crate::shared::Shared;
use crate::transport::{BoxStream, TcpTransport};

/// Hands connections to a proxy. Cheap to clone.
#[derive(Clone)]
pub struct Ingress {
    shared: Arc<Shared>,
}

impl Ingress {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Hands a connection in. Returns `false`, and drops the connection, when the proxy has stopped.
    pub fn accept(&self, accepted: Accepted) -> bool {
        if self.shared.stop.is_cancelled() {
            return false;
        }
        let Accepted { stream, destination, origin } = accepted;
        let program = match origin {
            Origin::Peer(_) => None,
            Origin::Process { program, .. } => Some(program),
        };
        let target = destination.and_then(target);
        let captured = target.is_some();
        let route = Route { target, program, captured, ..Route::listener() };
        let (stream, reset): (BoxStream, _) = match stream {
            Socket::Tcp(tcp) => {
                let (stream, reset) = TcpTransport::new(tcp);
                (Box::new(stream), Some(reset))
            }
            Socket::Other(stream) => (stream, None),
        };
        let arrived = Arrived::new(stream, route, reset);
        self.shared.tracker.spawn(connection::serve(arrived, Arc::clone(&self.shared)));
        true
    }
}

impl std::fmt::Debug for Ingress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Ingress").finish_non_exhaustive()
    }
}

fn target(destination: Destination) -> Option<Target> {
    let Destination { name, address, port } = destination;
    let host = name.or_else(|| address.map(|address| address.to_string()))?;
    Some(Target { host: host.to_ascii_lowercase(), port })
}
