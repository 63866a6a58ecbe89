//! The admin endpoint of a sidecar, on an address of its own.

mod metrics;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::ProxyError;
use crate::http1::{self, RequestLine};
use crate::message::{Body, Reply};
use crate::proxy::ProxyHandle;
use crate::respond;
use crate::settings::Limits;
use crate::transport::TcpTransport;

/// `/healthz`, `/readyz`, `/metrics`, `/session`, `/ca.pem`, `/ca.p12`.
#[must_use = "a bound server does nothing until it serves"]
pub struct AdminServer {
    listener: TcpListener,
    address: SocketAddr,
    proxy: ProxyHandle,
}

impl AdminServer {
    /// Binds the address.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn bind(address: SocketAddr, proxy: ProxyHandle) -> Result<Self, ProxyError> {
        let failed = |source| ProxyError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, proxy })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is cancelled.
    pub async fn serve(self, shutdown: CancellationToken) {
        let limits = Limits::default();
        let page = Arc::new(Pages { proxy: self.proxy, limits, stop: shutdown.clone() });
        let tracker = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = shutdown.cancelled() => break,
            };
            match accepted {
                Ok((tcp, _)) => {
                    let (page, cut) = (Arc::clone(&page), shutdown.clone());
                    tracker.spawn(async move {
                        let stream = Box::new(TcpTransport::new(tcp).0);
                        let serving = http1::serve(stream, BytesMut::new(), &*page);
                        tokio::select! {
                            _ = serving => {}
                            () = async { cut.cancelled().await; tokio::time::sleep(limits.shutdown).await } => {}
                        }
                    });
                }
                Err(error) => {
                    tracing::debug!(%error, "accept");
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                }
            }
        }
        tracker.close();
        tracker.wait().await;
    }
}

impl std::fmt::Debug for AdminServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("AdminServer").field("address", &self.address).finish_non_exhaustive()
    }
}

struct Pages {
    proxy: ProxyHandle,
    limits: Limits,
    stop: CancellationToken,
}

impl Pages {
    fn page(&self, method: &str, target: &str) -> Reply {
        let text = |status, reason, body: &'static str| {
            respond::answer(status, reason, "text/plain; charset=utf-8", Bytes::from_static(body.as_bytes()))
        };
        if !matches!(method, "GET" | "HEAD") {
            return text(405, "Method Not Allowed", "only GET is served here\n");
        }
        match target.split('?').next().unwrap_or_default() {
            "/healthz" => text(200, "OK", "ok\n"),
            "/readyz" if self.proxy.is_serving() => text(200, "OK", "ready\n"),
            "/readyz" => text(503, "Service Unavailable", "stopping\n"),
            "/session" => match serde_json::to_vec_pretty(&self.proxy.report()) {
                Ok(report) => respond::answer(200, "OK", "application/json", report.into()),
                Err(_) => text(500, "Internal Server Error", "the report cannot be written\n"),
            },
            "/metrics" => {
                let page = metrics::render(&self.proxy.report(), self.proxy.is_serving());
                respond::answer(200, "OK", metrics::CONTENT_TYPE, page.into())
            }
            "/ca.p12" => {
                let store = self.proxy.authority().certificate_pkcs12();
                respond::answer(200, "OK", "application/x-pkcs12", store.into())
            }
            "/ca.pem" => respond::own_page("/ca.pem", self.proxy.authority().certificate_pem()),
            _ => text(404, "Not Found", "served here: /healthz /readyz /metrics /session /ca.pem /ca.p12\n"),
        }
    }
}

impl http1::Served for Pages {
    async fn answer(&self, line: RequestLine, _body: Body) -> Reply {
        self.page(&line.method, &line.target)
    }

    fn is_live(&self) -> bool {
        false
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    fn follows_upgrade(&self, _line: &RequestLine) -> bool {
        false
    }
}
