//! The session block at the end of a run: what the proxy did, and how the server's calls came to it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`attribution`] | which case a miss belongs to |
//! | [`block`] | the block for people |

mod attribution;
mod block;

use mcpeak_proxy::report::SessionReport;
use serde_json::{Value, json};

use crate::args::session::CaptureArg;

pub(crate) use attribution::MissedIn;
pub(crate) use block::{misses, render, summary};

/// How calls were led to the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IngressUsed {
    /// Every socket of the server's process tree.
    Sockets,
    /// Proxy variables.
    Environment,
    /// The server was told by other means, or not at all.
    None,
}

impl IngressUsed {
    /// As it is named in JSON.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Sockets => "sockets",
            Self::Environment => "environment",
            Self::None => "none",
        }
    }
}

impl From<CaptureArg> for IngressUsed {
    fn from(capture: CaptureArg) -> Self {
        match capture {
            CaptureArg::Socket => Self::Sockets,
            CaptureArg::Auto | CaptureArg::Env => Self::Environment,
            CaptureArg::Off => Self::None,
        }
    }
}

/// For machines: the report with the ingress in front.
pub(crate) fn value(report: &SessionReport, ingress: IngressUsed, missed_in: &MissedIn) -> Value {
    let mut value = json!({ "ingress": ingress.as_str() });
    // A report is plain data and always serialises.
    if let (Some(members), Ok(Value::Object(whole))) = (value.as_object_mut(), serde_json::to_value(report)) {
        members.extend(whole);
    }
    if let Some(missed) = value.get_mut("missed").and_then(Value::as_array_mut) {
        for (entry, miss) in missed.iter_mut().zip(&report.missed) {
            entry["cases"] = json!(missed_in.cases_of(miss));
        }
    }
    value
}

/// The report as a JSON document.
pub(crate) fn json(report: &SessionReport) -> String {
    let mut out = serde_json::to_string_pretty(report).unwrap_or_default();
    out.push('\n');
    out
}
