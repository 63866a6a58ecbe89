//! One request on a connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::dial::{Dialed, Dialer};
use super::failure::ForwardError;
use super::pool::{Place, Pool};
use super::tls::Offer;
use crate::counts::Counters;
use crate::engine::Outgoing;
use crate::error::ProxyError;
use crate::exchange::{FailureKind, Origin, ResponseHead, Scheme, Version};
use crate::http1::{Connection, OutHead, SendError, Sent};
use crate::http2;
use crate::message::{Body, Response};
use crate::route::{Route, Target, is_h2};
use crate::settings::{Limits, UpstreamSettings};
use crate::transport::BoxStream;

/// How long the drivers of closed connections may take to end.
const CLOSE: Duration = Duration::from_millis(200);

/// The way to the network.
pub(crate) struct Upstream {
    dialer: Dialer,
    pool: Arc<Pool>,
    limits: Limits,
    /// The drivers of HTTP/2 connections.
    drivers: TaskTracker,
    cut: CancellationToken,
}

/// A connection that a request can go out on.
pub(crate) struct Lease {
    place: Place,
    kind: Kind,
}

enum Kind {
    Http1 { connection: Box<Connection>, kept: bool },
    Http2(http2::Sender),
}

/// An upstream that agreed to another protocol.
pub(crate) struct Switched {
    pub(crate) head: ResponseHead,
    pub(crate) stream: BoxStream,
    pub(crate) buffered: BytesMut,
}

impl Upstream {
    pub(crate) fn new(
        settings: UpstreamSettings,
        limits: Limits,
        counters: Arc<Counters>,
        own: SocketAddr,
    ) -> Result<Self, ProxyError> {
        let dialer = Dialer::new(settings, limits, counters, own)?;
        let (drivers, cut) = (TaskTracker::new(), CancellationToken::new());
        Ok(Self { dialer, pool: Arc::default(), limits, drivers, cut })
    }

    /// Keeps why an upstream gave no answer for the report.
    pub(crate) fn note_failure(&self, origin: &Origin, detail: String) {
        self.dialer.note_failure(origin, detail);
    }

    /// Finds or opens a connection for an origin. The upstream's leg is asked for what the client's leg speaks: an answer to
    /// HTTP/1 keeps its reason, case and order only if it comes over HTTP/1.
    pub(crate) async fn connect(
        &self,
        origin: &Origin,
        via: Option<&Target>,
        client: Version,
    ) -> Result<Lease, ForwardError> {
        let place = Place { origin: origin.clone(), via: via.cloned() };
        let offer_h2 = is_h2(client);
        if offer_h2 && let Some(sender) = self.pool.http2(&place) {
            return Ok(Lease { place, kind: Kind::Http2(sender) });
        }
        if let Some(connection) = self.pool.take_http1(&place) {
            return Ok(Lease { place, kind: Kind::Http1 { connection: Box::new(connection), kept: true } });
        }
        self.open(place, offer_h2).await
    }

    async fn open(&self, place: Place, offer_h2: bool) -> Result<Lease, ForwardError> {
        let Dialed { stream, h2 } = self.dialer.dial(&place.origin, place.via.as_ref(), offer_h2).await?;
        if !h2 {
            let connection = Box::new(Connection::new(stream));
            return Ok(Lease { place, kind: Kind::Http1 { connection, kept: false } });
        }
        let opened = http2::connect(stream, &self.limits, &self.drivers, &self.cut);
        let sender = timeout(self.limits.connect, opened)
            .await
            .map_err(|_| ForwardError::timeout("HTTP/2 handshake"))?
            .map_err(|error| ForwardError::new(FailureKind::Reset, error.to_string()))?;
        self.pool.share(&place, &sender);
        Ok(Lease { place, kind: Kind::Http2(sender) })
    }

    /// Sends a request and reads the head of its answer. The body streams, and hands the connection back at its end.
    pub(crate) async fn forward(
        &self,
        lease: Lease,
        request: Outgoing<'_>,
        via: Option<&Target>,
        body: Body,
    ) -> Result<Response, ForwardError> {
        let Lease { place, kind } = lease;
        match kind {
            Kind::Http2(sender) => self.forward_h2(sender, place, &request, body).await,
            Kind::Http1 { connection, kept } => {
                let again = if kept { body.try_clone() } else { None };
                match self.forward_http1(*connection, &place, &request, body).await {
                    // A kept connection that the upstream closed meanwhile says nothing about this request (RFC 9112
                    // section 9.3.1): it goes out once more, on a new connection.
                    Err(SendError::Stale | SendError::Cut) if again.is_some() => {
                        let offer_h2 = false;
                        let fresh = self.open(Place { via: via.cloned(), ..place }, offer_h2).await?;
                        let Lease { place, kind: Kind::Http1 { connection, .. } } = fresh else {
                            return Err(ForwardError::Closed);
                        };
                        let body = again.unwrap_or(Body::Empty);
                        self.forward_http1(*connection, &place, &request, body).await
                    }
                    sent => sent,
                }
                .map_err(send_error)
                .and_then(|sent| match sent {
                    Sent::Response(response) => Ok(response),
                    Sent::Switched { .. } => Err(ForwardError::Closed),
                })
            }
        }
    }

    /// Sends a request to change the protocol on a connection of its own.
    pub(crate) async fn switch(
        &self,
        request: Outgoing<'_>,
        via: Option<&Target>,
    ) -> Result<Result<Switched, Response>, ForwardError> {
        let place = Place { origin: request.origin.clone(), via: via.cloned() };
        let Lease { place, kind: Kind::Http1 { connection, .. } } = self.open(place, false).await? else {
            return Err(ForwardError::Closed);
        };
        match self.forward_http1(*connection, &place, &request, Body::Empty).await.map_err(send_error)? {
            Sent::Switched { head, stream, buffered } => Ok(Ok(Switched { head, stream, buffered })),
            Sent::Response(response) => Ok(Err(response)),
        }
    }

    /// A connection whose bytes reach the destination as they are; within TLS where the client's own was taken off.
    pub(crate) async fn tunnel(&self, route: &Route) -> Result<BoxStream, ForwardError> {
        let Some(target) = &route.target else { return Err(ForwardError::Closed) };
        let stream = self.dialer.tunnel(Scheme::Https, target).await?;
        match route.scheme {
            Scheme::Http => Ok(stream),
            Scheme::Https => {
                let name = route.certificate_name().unwrap_or(&target.host);
                self.dialer.encrypt(stream, name, Offer::Nothing).await.map(|dialed| dialed.stream)
            }
        }
    }

    /// Ends what is kept.
    pub(crate) async fn close(&self) {
        self.pool.clear();
        self.cut.cancel();
        self.drivers.close();
        let _ = timeout(CLOSE, self.drivers.wait()).await;
    }

    async fn forward_http1(
        &self,
        connection: Connection,
        place: &Place,
        request: &Outgoing<'_>,
        body: Body,
    ) -> Result<Sent, SendError> {
        let proxy = self.dialer.forward_proxy(&place.origin);
        let absolute = proxy.map(|_| format!("{}{}", place.origin, request.target));
        let mut also: Vec<(&str, &str)> = Vec::new();
        if let Some(authorization) = proxy.and_then(|proxy| proxy.authorization.as_ref()) {
            also.push(("Proxy-Authorization", authorization.expose_secret()));
        }
        if let Some(protocol) = &request.upgrade {
            also.extend([("Connection", "Upgrade"), ("Upgrade", protocol.as_str())]);
        }
        let head = OutHead {
            method: request.method,
            target: absolute.as_deref().unwrap_or(&request.target),
            headers: &request.headers,
            also: &also,
            length: request.length,
        };
        let (pool, back) = (Arc::clone(&self.pool), place.clone());
        let park = Box::new(move |connection| pool.park(&back, connection));
        connection.send(head, body, &self.limits, park).await
    }

    async fn forward_h2(
        &self,
        sender: http2::Sender,
        place: Place,
        request: &Outgoing<'_>,
        body: Body,
    ) -> Result<Response, ForwardError> {
        let idle = self.limits.body_idle;
        let prepared = http2::prepare(request, body, idle)
            .map_err(|error| ForwardError::new(FailureKind::Reset, error.to_string()))?;
        let late = |_| ForwardError::timeout("answer");
        let sent = timeout(self.limits.first_byte, sender.send(prepared, idle)).await.map_err(late)?;
        let sent = match sent {
            // The upstream closed a kept connection meanwhile: that says nothing about this request.
            Err(http2::SendError::Unsent(prepared)) => {
                let Lease { kind: Kind::Http2(sender), .. } = self.open(place, true).await? else {
                    return Err(ForwardError::Closed);
                };
                timeout(self.limits.first_byte, sender.send(*prepared, idle)).await.map_err(late)?
            }
            sent => sent,
        };
        sent.map_err(|error| {
            tracing::debug!(%error, "forward");
            ForwardError::Closed
        })
    }
}

fn send_error(error: SendError) -> ForwardError {
    match error {
        SendError::Stale | SendError::Cut => ForwardError::Closed,
        SendError::Head(error) => ForwardError::new(FailureKind::Reset, error.to_string()),
        SendError::Timeout => ForwardError::timeout("answer"),
        SendError::Request(_) => ForwardError::Request,
    }
}
