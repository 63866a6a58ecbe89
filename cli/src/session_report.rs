//! The session block at the end of a run: what the proxy did, and how the server's calls came to it.

use mcpeak_core::locale::Locale;
use mcpeak_proxy::report::{Mode, SessionReport};
use serde_json::{Value, json};

use crate::args::session::CaptureArg;
use crate::error::escape_lines;
use crate::text;

/// How calls were led to the proxy, as it is named in JSON.
fn ingress(capture: CaptureArg) -> &'static str {
    match capture {
        CaptureArg::Auto | CaptureArg::Env | CaptureArg::Socket => "environment",
        CaptureArg::Off => "none",
    }
}

/// Whether nothing at all reached the proxy, which is more often a client that ignores the proxy than a server without calls.
fn nothing_seen(report: &SessionReport) -> bool {
    report.recorded == 0
        && report.replayed == 0
        && report.missed.is_empty()
        && report.passed_through == 0
        && report.tunnelled == 0
        && report.refused_certificates.is_empty()
}

/// For people, on stderr.
pub(crate) fn render(report: &SessionReport, capture: CaptureArg, locale: Locale) -> String {
    let text = text::of(locale);
    let mut block = escape_lines(&report.render(locale));
    if !block.ends_with('\n') {
        block.push('\n');
    }
    let way = match capture {
        CaptureArg::Off => return block,
        CaptureArg::Auto | CaptureArg::Env | CaptureArg::Socket => text.ingress_environment(),
    };
    block.push_str(&format!("  {}\n", text.ingress_line(&way)));
    if nothing_seen(report) {
        block.push_str(&format!("  {}\n", text.nothing_seen()));
    } else if report.mode == Mode::Replay {
        block.push_str(&format!("  {}\n", text.ingress_blind_clients()));
    }
    block
}

/// For machines: the report with the ingress in front.
pub(crate) fn value(report: &SessionReport, capture: CaptureArg) -> Value {
    let mut value = json!({ "ingress": ingress(capture) });
    // A report is plain data and always serialises.
    if let (Some(members), Ok(Value::Object(report))) = (value.as_object_mut(), serde_json::to_value(report)) {
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
