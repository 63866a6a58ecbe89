//! Which recorded exchange answers a request, and why none does.

use serde::Serialize;

/// What happens when all recordings of a key are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// A miss.
    #[default]
    Error,
    /// The last recording again.
    Last,
    /// From the first again.
    Cycle,
}

/// A request without a recording, as reports give it: redacted and cut.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissReport {
    /// Method.
    pub method: String,
    /// URL.
    pub url: String,
    /// Why.
    pub reason: MissReason,
    /// How often this very request was missed.
    pub count: u64,
}

/// Why a request has no recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum MissReason {
    /// Nothing is recorded for the origin.
    NothingForHost,
    /// Nothing is recorded for the path on this origin.
    NothingForPath,
    /// Recordings of the path exist; this is the nearest.
    NearMiss {
        /// Its request line.
        recording: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// All recordings of this key were used.
    AllUsed {
        /// How many there are.
        count: u64,
    },
}

/// One field in which a request differs from a recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// `method`, `path`, `query city`, `header range`, `json $.a[0]`, `form name`, `part name`, `body sha256`, …
    pub field: String,
    /// In the recording; `None` where it is not there.
    pub recorded: Option<String>,
    /// In the request; `None` where it is not there.
    pub actual: Option<String>,
}

/// A request without a recording.
#[derive(Clone, Debug)]
pub struct Miss {
    pub(crate) report: MissReport,
    pub(crate) body: bytes::Bytes,
}

impl Miss {
    /// The status it is answered with.
    pub const STATUS: u16 = 599;
    /// The media type of [`Miss::body`].
    pub const CONTENT_TYPE: &'static str = "application/json";

    /// The answer's body: at most 16 KiB of JSON.
    pub fn body(&self) -> bytes::Bytes {
        self.body.clone()
    }

    /// What the report says about it.
    pub const fn report(&self) -> &MissReport {
        &self.report
    }
}
