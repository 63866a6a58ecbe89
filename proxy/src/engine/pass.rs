//! Forwards and counts.

use std::sync::Arc;

use super::outgoing::Outgoing;
use crate::message::{Reply, Request};
use crate::respond;
use crate::upstream::{ForwardError, Upstream};

pub(crate) struct PassEngine {
    upstream: Arc<Upstream>,
}

impl PassEngine {
    pub(super) const fn new(upstream: Arc<Upstream>) -> Self {
        Self { upstream }
    }

    pub(super) const fn upstream(&self) -> &Arc<Upstream> {
        &self.upstream
    }

    pub(super) async fn exchange(&self, request: Request) -> Reply {
        let Request { head, via, body } = request;
        let forwarded = async {
            let lease = self.upstream.connect(&head.origin, via.as_ref(), head.version).await?;
            self.upstream.forward(lease, Outgoing::as_asked(&head), via.as_ref(), body).await
        };
        match forwarded.await {
            Ok(response) => Reply::Response(response),
            Err(ForwardError::Upstream { kind, detail }) => {
                self.upstream.note_failure(&head.origin, detail);
                respond::upstream_failed(kind, &head.origin)
            }
            Err(ForwardError::Closed | ForwardError::Request) => Reply::Abort,
        }
    }
}
