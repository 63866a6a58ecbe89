//! CONNECT, and requests to change the protocol.

use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt as _;

use super::relay::{self, Unread};
use super::serve::Arrived;
use crate::engine::Outgoing;
use crate::http1::{self, RequestLine};
use crate::message::Reply;
use crate::respond;
use crate::route::{Route, Target};
use crate::shared::Shared;
use crate::transport::{BoxStream, ResetSwitch};
use crate::upstream::{ForwardError, Switched};

/// Without `Content-Length` or `Transfer-Encoding`: a 2xx answer to CONNECT has no body, and clients fail on either field
/// (RFC 9110 section 9.3.6).
const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// Answers CONNECT at once, whether the destination exists or not: what is within is not known to need it. In replay nothing
/// does.
pub(super) async fn connect(
    line: &RequestLine,
    mut arrived: Arrived,
    shared: &Arc<Shared>,
) -> Option<Arrived> {
    shared.engine.learn(&line.headers);
    let Some(target) = Target::from_authority(&line.target, None) else {
        let reply = respond::unroutable(crate::route::RouteError::BadTarget);
        http1::answer_once(arrived.stream, reply, http1::Asked::of(line), &shared.limits).await;
        return None;
    };
    arrived.stream.write_all(ESTABLISHED).await.ok()?;
    arrived.stream.flush().await.ok()?;
    if shared.is_tunnelled(&target.host) && shared.engine.upstream().is_some() {
        arrived.route.target = Some(target);
        relay::relay(arrived, Unread::Wished, shared).await;
        return None;
    }
    let Route { program, fixed, .. } = arrived.route;
    arrived.route = Route { target: Some(target), program, fixed, ..Route::listener() };
    Some(arrived)
}

/// Passes a request to change the protocol on, and then the bytes of that protocol.
pub(super) async fn upgrade(line: RequestLine, arrived: Arrived, shared: &Arc<Shared>) {
    let Arrived { stream, buffered, route, reset, .. } = arrived;
    let Some(upstream) = shared.engine.upstream() else { return };
    let asked = http1::Asked::of(&line);
    let (head, via) = match route.place(line) {
        Ok(placed) => placed,
        Err(error) => {
            return http1::answer_once(stream, respond::unroutable(error), asked, &shared.limits).await;
        }
    };
    let reply = match upstream.switch(Outgoing::upgrading(&head), via.as_ref()).await {
        Ok(Ok(switched)) => {
            shared.counters.switched(&head.origin);
            return relay_switched(stream, &buffered, switched, reset, shared).await;
        }
        Ok(Err(response)) => {
            shared.counters.passed_through(&head.origin);
            Reply::Response(response)
        }
        Err(ForwardError::Upstream { kind, detail }) => {
            upstream.note_failure(&head.origin, detail);
            match respond::upstream_failed(kind, &head.origin) {
                Reply::Abort => return abort(stream, reset).await,
                reply => reply,
            }
        }
        Err(ForwardError::Closed | ForwardError::Request) => return abort(stream, reset).await,
    };
    http1::answer_once(stream, reply, asked, &shared.limits).await;
}

async fn abort(stream: BoxStream, reset: Option<ResetSwitch>) {
    if let Some(reset) = reset {
        reset.reset(stream).await;
    }
}

async fn relay_switched(
    mut stream: BoxStream,
    from_client: &[u8],
    switched: Switched,
    reset: Option<ResetSwitch>,
    shared: &Shared,
) {
    let Switched { head, stream: far, buffered } = switched;
    let mut out = BytesMut::new();
    http1::switching_head(&mut out, &head);
    if stream.write_all(&out).await.is_err() || stream.flush().await.is_err() {
        return;
    }
    relay::splice(stream, from_client, far, &buffered, reset, shared).await;
}
