//! The recorder.
use super::{BodySink, SessionError};
use crate::exchange::{Captured, Outcome, RequestHead, ResponseHead};
use crate::report::{Counts, SessionReport};
use mcpeak_core::redact::Redactor;
use std::path::Path;

/// Records exchanges; a handle that is cheap to clone.
#[derive(Clone, Debug)]
pub struct Recorder {}

impl Recorder {
    /// Begins a recording.
    pub fn create(_path: &Path, _force: bool, _redactor: Redactor) -> Result<Self, SessionError> {
        todo!()
    }
    /// Takes the place of a request in the order of arrival.
    pub fn begin(&self, _head: &RequestHead) -> Pending {
        todo!()
    }
    /// Writes the session file.
    pub async fn complete(&self, _counts: &Counts) -> Result<SessionReport, SessionError> {
        todo!()
    }
    /// The report so far.
    pub fn progress(&self, _counts: &Counts) -> SessionReport {
        todo!()
    }
}

/// An exchange under way. Dropped unfinished, it counts as aborted.
#[derive(Debug)]
pub struct Pending {}

impl Pending {
    /// Captures the request's body.
    pub fn request_sink(&self) -> BodySink {
        todo!()
    }
    /// Captures the response's body.
    pub fn response_sink(&self, _head: &ResponseHead) -> BodySink {
        todo!()
    }
    /// Hands the exchange to the journal.
    pub fn finish(self, _request: Captured, _outcome: Outcome) {
        todo!()
    }
}
