//! The client's leg.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::{Leaving, arriving};
use super::{CONNECTION_WINDOW, STREAM_WINDOW, TrackedExecutor, convert};
use crate::exchange::IncompleteCause;
use crate::message::{Body, Reply, Response};
use crate::session::{Stored, StoredResponse};
use crate::settings::Limits;
use crate::stored::StoredStream;
use crate::transport::{BoxStream, Rewind};

/// Streams that a client may have open at once.
const STREAMS: u32 = 250;

/// Who answers the requests of a connection.
pub(crate) trait Served: Send + Sync + 'static {
    /// Answers a request.
    fn answer(&self, parts: http::request::Parts, body: Body) -> impl Future<Output = Reply> + Send;
    /// Whether an answer can take its time because somebody else gives it.
    fn is_live(&self) -> bool;
    /// Deadlines and sizes.
    fn limits(&self) -> &Limits;
    /// Cancelled when no further request is to be read.
    fn stop(&self) -> &CancellationToken;
    /// Cancelled when what is under way is to end too.
    fn cut(&self) -> &CancellationToken;
    /// Who waits for the tasks of streams.
    fn tracker(&self) -> &TaskTracker;
}

/// Why a stream is reset instead of answered.
#[derive(Debug, thiserror::Error)]
#[error("there is no answer to this request")]
struct NoAnswer;

/// Serves a connection until it ends.
pub(crate) async fn serve(stream: BoxStream, buffered: BytesMut, served: Arc<impl Served>) {
    let cut = served.is_live().then(|| served.cut().clone());
    let executor = TrackedExecutor { tracker: served.tracker().clone(), cut };
    let header_bytes = u32::try_from(served.limits().header_bytes).unwrap_or(u32::MAX);
    let mut builder = http2::Builder::new(executor);
    builder
        .timer(TokioTimer::new())
        .auto_date_header(false)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(STREAMS)
        // A client that has gone without a word is found out by a ping.
        .keep_alive_interval(served.limits().keep_alive)
        .max_send_buf_size(1024 * 1024)
        .max_header_list_size(header_bytes);
    let service = {
        let served = Arc::clone(&served);
        service_fn(move |request| {
            let served = Arc::clone(&served);
            async move { respond(&*served, request).await }
        })
    };
    let stream = Rewind::boxed(buffered, stream);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = served.stop().cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a client's HTTP/2 connection ended");
    }
}

async fn respond(
    served: &impl Served,
    request: http::Request<Incoming>,
) -> Result<http::Response<Leaving>, NoAnswer> {
    let (parts, incoming) = request.into_parts();
    let head_only = parts.method == http::Method::HEAD;
    let idle = served.limits().body_idle;
    let body = arriving(incoming, IncompleteCause::Client, idle);
    match served.answer(parts, body).await {
        Reply::Abort => Err(NoAnswer),
        Reply::Response(response) => Ok(live(response, head_only, idle)),
        Reply::Stored(stored) => match &*stored {
            Stored::Response(response) => Ok(replayed(response, head_only, idle)),
            Stored::Failure(_) => Err(NoAnswer),
        },
    }
}

fn live(response: Response, head_only: bool, idle: Duration) -> http::Response<Leaving> {
    let Response { head, body } = response;
    let described = head_only || head.status == 304;
    build(head.status, convert::end_to_end(&head.headers, head.framing, described), Leaving::new(body, idle))
}

fn replayed(response: &StoredResponse, head_only: bool, idle: Duration) -> http::Response<Leaving> {
    let described = head_only || response.status == 304;
    let fields = || Box::new(convert::end_to_end(&response.headers, response.framing, described));
    let headers = if described { *fields() } else { (**response.h2_fields.get_or_init(fields)).clone() };
    let body = StoredStream::new(response);
    let body = if described || body.is_empty() { Body::Empty } else { body.into_body() };
    build(response.status, headers, Leaving::new(body, idle))
}

fn build(status: u16, headers: http::HeaderMap, body: Leaving) -> http::Response<Leaving> {
    let mut response = http::Response::new(body);
    // A status that HTTP/2 cannot carry comes out of an edited session only.
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers;
    response
}
