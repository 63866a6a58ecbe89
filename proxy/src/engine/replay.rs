//! Answers out of a session. There is no network in here.

use crate::counts::Counters;
use crate::message::{Body, Piece, Reply, Request};
use crate::respond;
use crate::session::{Replay, Stored, Take};

pub(crate) struct ReplayEngine {
    session: Replay,
}

impl ReplayEngine {
    pub(super) const fn new(session: Replay) -> Self {
        Self { session }
    }

    pub(super) const fn session(&self) -> &Replay {
        &self.session
    }

    /// Reads the request to its end, then answers at once: with the recording, or with why there is none.
    pub(super) async fn exchange(&self, request: Request, counters: &Counters) -> Reply {
        let Request { head, mut body, .. } = request;
        let mut sink = self.session.request_sink(&head);
        match &body {
            Body::Empty => {}
            Body::Full(bytes) => sink.push(bytes),
            Body::Stream(_) => {
                while let Some(piece) = body.piece().await {
                    match piece {
                        Ok(Piece::Data(data)) => sink.push(&data),
                        Ok(Piece::Trailers(_)) => {}
                        // Half a request has no recording, and nobody is left to be told.
                        Err(_) => return Reply::Abort,
                    }
                }
            }
        }
        match self.session.take(&head, &sink.finish()) {
            Take::Hit(stored) => {
                counters.replayed(&head.origin);
                match &*stored {
                    Stored::Response(_) => Reply::Stored(stored),
                    Stored::Failure(kind) => respond::upstream_failed(*kind, &head.origin),
                }
            }
            Take::Miss(miss) => {
                counters.missed(&head.origin);
                respond::miss(&miss)
            }
        }
    }
}
