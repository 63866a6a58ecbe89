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
    let executor = TrackedExecutor { tracker: drivers.clone(), cut: cut.clone() };
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

/// A request that HTTP/2 cannot carry, or that had no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("the request cannot be written as HTTP/2")]
    Request(#[source] http::Error),
    #[error("the upstream did not answer")]
    Connection(#[source] hyper::Error),
}

impl Sender {
    pub(crate) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }

    pub(crate) async fn send(
        mut self,
        outgoing: &Outgoing<'_>,
        body: Body,
        idle: Duration,
    ) -> Result<Response, SendError> {
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
            .body(Leaving(body))
            .map_err(SendError::Request)?;
        *request.headers_mut() = headers;
        let response = self.0.send_request(request).await.map_err(SendError::Connection)?;
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
