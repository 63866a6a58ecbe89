//! Forwards, and stores what went by.

use std::sync::Arc;

use super::outgoing::Outgoing;
use super::tee::{RequestCapture, ResponseTee, capture_request, drain};
use crate::exchange::{FailureKind, Outcome};
use crate::message::{Body, Reply, Request, Response};
use crate::respond;
use crate::session::{Pending, Recorder};
use crate::upstream::{ForwardError, Upstream};

pub(crate) struct RecordEngine {
    recorder: Recorder,
    upstream: Arc<Upstream>,
}

impl RecordEngine {
    pub(super) const fn new(recorder: Recorder, upstream: Arc<Upstream>) -> Self {
        Self { recorder, upstream }
    }

    pub(super) const fn upstream(&self) -> &Arc<Upstream> {
        &self.upstream
    }

    pub(super) const fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    pub(super) async fn exchange(&self, request: Request) -> Reply {
        let Request { head, via, body } = request;
        let pending = self.recorder.begin(&head);
        let outgoing = Outgoing::unconditional(&head);
        let (body, captured) = capture_request(body, pending.request_sink(), outgoing.length);
        let lease = match self.upstream.connect(&head.origin, via.as_ref(), head.version).await {
            Ok(lease) => lease,
            Err(error) => {
                // The request is part of what failed: it is read to its end so that it can be found again.
                drain(body).await;
                return self.failed(pending, captured, &head.origin, error).await;
            }
        };
        match self.upstream.forward(lease, outgoing, via.as_ref(), body).await {
            Ok(response) => Reply::Response(record(pending, captured, response).await),
            Err(error) => self.failed(pending, captured, &head.origin, error).await,
        }
    }

    async fn failed(
        &self,
        pending: Pending,
        captured: RequestCapture,
        origin: &crate::exchange::Origin,
        error: ForwardError,
    ) -> Reply {
        let (kind, reply) = match error {
            ForwardError::Upstream { kind, detail } => {
                self.upstream.note_failure(origin, detail);
                (kind, respond::upstream_failed(kind, origin))
            }
            ForwardError::Closed => (FailureKind::Reset, Reply::Abort),
            // The client's own doing: `pending` is dropped and counts as aborted.
            ForwardError::Request => return Reply::Abort,
        };
        if let Some(request) = captured.take() {
            pending.finish(request, Outcome::Failure(kind)).await;
        }
        reply
    }
}

/// Lets the answer through and stores it as it goes by.
async fn record(pending: Pending, captured: RequestCapture, response: Response) -> Response {
    let Response { head, body } = response;
    let tee = ResponseTee::new(pending, captured, head.clone());
    let body = match body {
        Body::Empty => {
            tee.complete().await;
            Body::Empty
        }
        body => Body::stream(tee.over(body)),
    };
    Response { head, body }
}
