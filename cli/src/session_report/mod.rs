//! The session block at the end of a run: what the proxy did, and how the server's calls came to it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`block`] | the block for people |

mod block;

use mcpeak_proxy::report::SessionReport;
use serde_json::{Value, json};

use crate::args::session::CaptureArg;

pub(crate) use block::render;

/// How calls were led to the proxy, as it is named in JSON.
fn ingress(capture: CaptureArg) -> &'static str {
    match capture {
        CaptureArg::Auto | CaptureArg::Env | CaptureArg::Socket => "environment",
        CaptureArg::Off => "none",
    }
}

/// For machines: the report with the ingress in front.
pub(crate) fn value(report: &SessionReport, capture: CaptureArg) -> Value {
    let mut value = json!({ "ingress": ingress(capture) });
    // A report is plain data and always serialises.
    if let (Some(members), Ok(Value::Object(report))) = (value.as_object_mut(), serde_json::to_value(report))
    {
        members.extend(report);
    }
    value
}

/// The report as a JSON document.
pub(crate) fn json(report: &SessionReport) -> String {
    let mut out = serde_json::to_string_pretty(report).unwrap_or_default();
    out.push('\n');
    out
}
