//! What a session did, for people and machines: deterministic, sorted, redacted.

mod destination;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use destination::DestinationCounts;

use crate::matching::MissReport;

/// What the session was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every call went to the network and was stored.
    Record,
    /// Every call was answered from the file.
    Replay,
    /// Every call went to the network and was counted only.
    Pass,
}

/// Facts the network side counts.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Requests forwarded without being recorded.
    pub passed_through: u64,
    /// Connections that were relayed without being read.
    pub tunnelled: u64,
    /// Connections opened to the outside; 0 in replay, always.
    pub upstream_connections: u64,
    /// What became of what, by origin (`https://api.example.com`) or, for what is not HTTP, `tcp://host:port`.
    pub destinations: BTreeMap<String, DestinationCounts>,
    /// Hosts whose client refused our certificate, with the program if it is known.
    pub refused_certificates: Vec<RefusedCertificate>,
    /// Further remarks.
    pub warnings: Vec<Warning>,
}

/// A client that does not trust the CA, or pins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedCertificate {
    /// Host of the handshake.
    pub host: String,
    /// The client's program, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// How many handshakes failed like this.
    pub count: u64,
}

/// Something that a user should know and that is not an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Warning {
    /// A value named for redaction is too short or too plain to be searched for.
    ValueNotSearched {
        /// Its name.
        name: String,
    },
    /// Exchanges that began and never ended; they are not in the file.
    Aborted {
        /// How many.
        count: u64,
    },
    /// A body was shorter or longer than its `Content-Length`; stored as incomplete.
    LengthMismatch {
        /// The request.
        request: String,
    },
    /// A large encoded body was stored decoded, and will be replayed without `Content-Encoding`.
    StoredDecoded {
        /// The request.
        request: String,
    },
    /// A value named for redaction is part of an origin, which is stored as it is: no recording would be found without it.
    HostStored {
        /// The origin with the value's name in its place.
        origin: String,
    },
    /// A recorded body was edited by hand; it is replayed re-encoded, without validators and digests.
    Edited {
        /// The request.
        request: String,
    },
    /// The `id` does not fit the request: it was edited by hand, and is matched as it stands.
    RequestEdited {
        /// The request.
        request: String,
    },
    /// A secret of the recording is not known now; its pseudonym is replayed.
    SecretUnknown {
        /// Its name.
        name: String,
    },
    /// Connections to this place were ended with a reset.
    Refused {
        /// `tcp://host:port`.
        destination: String,
        /// Why.
        why: Refusal,
    },
    /// A request or a ClientHello named another host than the one that its client had resolved, which wins.
    HostDiffers {
        /// The origin of the host that was resolved.
        destination: String,
        /// The other host, redacted.
        host: String,
    },
    /// An upstream gave no answer, or could not be reached.
    UpstreamFailed {
        /// Its origin, or `tcp://host:port`.
        origin: String,
        /// The system's or the TLS library's words.
        detail: String,
    },
    /// The certificate of an upstream was not checked, as asked for.
    CertificateNotChecked {
        /// The host.
        host: String,
    },
    /// A rule of the session file took nothing out of any recording or request.
    RuleIdle {
        /// The rule as written.
        rule: String,
    },
    /// Anything else, as a sentence.
    Note {
        /// The sentence.
        text: String,
    },
}

/// Why a connection was not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Refusal {
    /// It did not speak HTTP, and replay has no network to pass it on to.
    NotHttp,
    /// It waited for the other side to speak first, and replay has no network where that side would be.
    Silent,
    /// It did not speak HTTP, and nothing else is to be let through.
    Strict,
}

/// A recorded exchange that nobody asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unused {
    /// Method.
    pub method: String,
    /// URL, redacted.
    pub url: String,
    /// How many recordings of this key were left over.
    pub left: u64,
    /// How many recordings this key has.
    pub of: u64,
    /// Their ids in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
}

/// What a session did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionReport {
    /// Mode.
    pub mode: Mode,
    /// The session file's name, without folders.
    pub file: String,
    /// Exchanges stored.
    pub recorded: u64,
    /// Requests answered from the file.
    pub replayed: u64,
    /// Requests without a recording.
    pub missed: Vec<MissReport>,
    /// Recordings without a request.
    pub unused: Vec<Unused>,
    /// Requests forwarded without being recorded.
    pub passed_through: u64,
    /// Connections relayed without being read.
    pub tunnelled: u64,
    /// Connections opened to the outside.
    pub upstream_connections: u64,
    /// What became of what, by origin or, for what is not HTTP, `tcp://host:port`.
    pub destinations: BTreeMap<String, DestinationCounts>,
    /// What a user should know.
    pub warnings: Vec<Warning>,
    /// Clients that do not trust the CA, or pin.
    pub refused_certificates: Vec<RefusedCertificate>,
}

impl SessionReport {
    /// A report that holds the network side's counts and nothing else yet.
    pub fn new(mode: Mode, file: impl Into<String>, counts: &Counts) -> Self {
        let mut refused_certificates = counts.refused_certificates.clone();
        refused_certificates.sort();
        let mut warnings = counts.warnings.clone();
        warnings.sort();
        Self {
            mode,
            file: file.into(),
            recorded: 0,
            replayed: 0,
            missed: Vec::new(),
            unused: Vec::new(),
            passed_through: counts.passed_through,
            tunnelled: counts.tunnelled,
            upstream_connections: counts.upstream_connections,
            destinations: counts.destinations.clone(),
            warnings,
            refused_certificates,
        }
    }

    /// Whether anything was asked for or connected to at all.
    pub fn saw_calls(&self) -> bool {
        !(self.destinations.is_empty() && self.missed.is_empty() && self.refused_certificates.is_empty())
    }

    /// Whether a request found no recording: the run exits 1.
    pub fn has_misses(&self) -> bool {
        !self.missed.is_empty()
    }
}
