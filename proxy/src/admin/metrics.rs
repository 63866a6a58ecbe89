//! The counts of a session in the text format of Prometheus (version 0.0.4).
//!
//! The labels are modes and outcomes, which are few. Hosts and paths are none: their number has no bound, and they say what a
//! scraper need not know; `/session` has them.

use std::fmt::Write as _;

use crate::report::{DestinationCounts, Mode, SessionReport};

/// Type of the answer.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Writes the metrics of a report.
pub(super) fn render(report: &SessionReport, serving: bool) -> String {
    let mode = match report.mode {
        Mode::Record => "record",
        Mode::Replay => "replay",
        Mode::Pass => "pass",
    };
    let sum = |of: fn(&DestinationCounts) -> u64| report.destinations.values().map(of).sum::<u64>();
    let left = report.unused.iter().map(|unused| unused.left).sum();
    let refused = report.refused_certificates.iter().map(|refused| refused.count).sum();
    let mut page = Page { mode, text: String::new() };
    page.family("mcpeak_exchanges_total", "counter", "HTTP exchanges by what became of them.");
    for (outcome, count) in [
        ("recorded", report.recorded),
        ("replayed", report.replayed),
        ("missed", sum(|counts| counts.missed)),
        ("passed", report.passed_through),
    ] {
        page.sample("mcpeak_exchanges_total", Some(outcome), count);
    }
    page.family(
        "mcpeak_connections_total",
        "counter",
        "Connections that were not read, by what became of them.",
    );
    for (outcome, count) in [
        ("tunnelled", report.tunnelled),
        ("refused", sum(|counts| counts.refused)),
        ("certificate_refused", refused),
    ] {
        page.sample("mcpeak_connections_total", Some(outcome), count);
    }
    page.family(
        "mcpeak_upstream_connections_total",
        "counter",
        "Connections opened to the outside; 0 in replay.",
    );
    page.sample("mcpeak_upstream_connections_total", None, report.upstream_connections);
    page.family("mcpeak_recordings_left", "gauge", "Recordings that no request has asked for yet.");
    page.sample("mcpeak_recordings_left", None, left);
    page.family("mcpeak_ready", "gauge", "1 while connections are taken.");
    page.sample("mcpeak_ready", None, u64::from(serving));
    page.text
}

struct Page {
    mode: &'static str,
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, outcome: Option<&str>, count: u64) {
        let mode = self.mode;
        let outcome = outcome.map(|outcome| format!(",outcome=\"{outcome}\"")).unwrap_or_default();
        let _ = writeln!(self.text, "{name}{{mode=\"{mode}\"{outcome}}} {count}");
    }
}
