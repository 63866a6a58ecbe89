//! The upstream's leg.

use std::time::Duration;

use hyper::client::conn::http2;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::{Leaving, arriving};
use super::{CONNECTION_WINDOW, STREAM_WINDOW, TrackedExecutor, convert};
use crate::engine::Outgoing;
use crate::exchange::{Framing, IncompleteCause, ResponseHead, Version};
use crate::message::{Body, Response};
use crate::settings::Limits;
use crate::transport::BoxStream;

/// An HTTP/2 connection to an upstream, shared by many exchanges.
#[derive(Clone)]
pub(crate) struct Sender(http2::SendRequest<Leaving>);

/// Opens HTTP/2 on a connection. Its driver is spawned on `drivers` and ends with the last sender or with `cut`.
pub(crate) async fn connect(
    stream: BoxStream,
    limits: &Limits,
    drivers: &TaskTracker,
    cut: &CancellationToken,
) -> Result<Sender, hyper::Error> {
    let executor = TrackedExecutor { tracker: drivers.clone(), cut: Some(cut.clone()) };
    let header_bytes = u32::try_from(limits.header_bytes).unwrap_or(u32::MAX);
    let (sender, driver) = http2::Builder::new(executor.clone())
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(header_bytes)
        .handshake(TokioIo::new(stream))
        .await?;
    hyper::rt::Executor::execute(&executor, async move {
        if let Err(error) = driver.await {
            tracing::debug!(%error, "an upstream's HTTP/2 connection ended");
        }
    });
    Ok(Sender(sender))
}

/// A request in the form of HTTP/2.
pub(crate) struct Prepared(http::Request<Leaving>);

/// Why a request had no answer.
#[derive(thiserror::Error)]
pub(crate) enum SendError {
    #[error("the connection was closed before the request left")]
    Unsent(Box<Prepared>),
    #[error("the upstream did not answer: {0}")]
    Connection(#[source] hyper::Error),
}

impl std::fmt::Debug for SendError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, formatter)
    }
}

/// Writes a request as HTTP/2.
///
/// # Errors
/// Its method or its target cannot stand in a request.
pub(crate) fn prepare(outgoing: &Outgoing<'_>, body: Body, idle: Duration) -> Result<Prepared, http::Error> {
    let framing = if outgoing.length.is_some() { Framing::ContentLength } else { Framing::H2 };
    let mut headers = convert::end_to_end(&outgoing.headers, framing, false);
    let host = headers.remove(http::header::HOST);
    let authority = host
        .as_ref()
        .and_then(|host| host.to_str().ok())
        .map_or_else(|| outgoing.origin.authority(), str::to_owned);
    if outgoing.trailers {
        headers.insert(http::header::TE, http::HeaderValue::from_static("trailers"));
    }
    let uri = format!("{}://{authority}{}", outgoing.origin.scheme.as_str(), outgoing.target);
    let mut request = http::Request::builder()
        .method(outgoing.method)
        .uri(uri)
        .version(http::Version::HTTP_2)
        .body(Leaving::new(body, idle))?;
    *request.headers_mut() = headers;
    Ok(Prepared(request))
}

impl Sender {
    pub(crate) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }

    /// Sends a request. One that never left comes back whole, to be sent on another connection.
    pub(crate) async fn send(mut self, request: Prepared, idle: Duration) -> Result<Response, SendError> {
        let response =
            self.0.try_send_request(request.0).await.map_err(|mut error| match error.take_message() {
                Some(request) => SendError::Unsent(Box::new(Prepared(request))),
                None => SendError::Connection(error.into_error()),
            })?;
        let (parts, incoming) = response.into_parts();
        let body = arriving(incoming, IncompleteCause::Upstream, idle);
        let framing = match &body {
            _ if parts.headers.contains_key(http::header::CONTENT_LENGTH) => Framing::ContentLength,
            Body::Empty => Framing::None,
            _ => Framing::H2,
        };
        let head = ResponseHead {
            status: parts.status.as_u16(),
            reason: None,
            version: Version::H2,
            headers: convert::headers(&parts.headers),
            framing,
        };
        Ok(Response { head, body })
    }
}
