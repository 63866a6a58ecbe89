//! The block for people, on stderr.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;
use mcpeak_proxy::matching::{MissReason, MissReport};
use mcpeak_proxy::report::{Mode, SessionReport, Unused};

use crate::args::session::CaptureArg;
use crate::text::{self, Text};

/// Entries of a list that are shown; the JSON report has them all.
const SHOWN: usize = 10;

/// The block; begins with an empty line and ends with a newline.
pub(crate) fn render(report: &SessionReport, capture: CaptureArg, locale: Locale) -> String {
    let text = text::of(locale);
    let mut lines = vec![String::new(), heading(report, text)];
    lines.push(format!("  {}", text.session_upstream(report.upstream_connections)));
    if report.passed_through > 0 && report.mode != Mode::Pass {
        lines.push(format!("  {}", text.session_passed(report.passed_through)));
    }
    if report.tunnelled > 0 {
        lines.push(format!("  {}", text.session_tunnelled(report.tunnelled)));
    }
    for (origin, calls) in &report.destinations {
        lines.push(format!("  {origin}  {calls}"));
    }
    misses(report, text, &mut lines);
    unused(&report.unused, text, &mut lines);
    for refused in &report.refused_certificates {
        lines.push(format!(
            "  ! {}",
            text.session_refused(&refused.host, refused.program.as_deref(), refused.count)
        ));
    }
    for warning in &report.warnings {
        lines.push(format!("  ! {}", text.session_warning(warning)));
    }
    ingress(report, capture, text, &mut lines);
    let mut block = String::new();
    for line in &lines {
        block.push_str(&terminal(line, Keep::Nothing));
        block.push('\n');
    }
    block
}

fn heading(report: &SessionReport, text: &dyn Text) -> String {
    match report.mode {
        Mode::Record => text.session_recorded(report.recorded, &report.file),
        Mode::Replay => text.session_replayed(report.replayed, &report.file),
        Mode::Pass => text.session_passed(report.passed_through),
    }
}

fn misses(report: &SessionReport, text: &dyn Text, lines: &mut Vec<String>) {
    if report.missed.is_empty() {
        return;
    }
    let calls = report.missed.iter().map(|miss| usize::try_from(miss.count).unwrap_or(usize::MAX)).sum();
    lines.push(format!("  {}", text.session_missed(calls)));
    for miss in report.missed.iter().take(SHOWN) {
        one_miss(miss, text, lines);
    }
    more(report.missed.len(), lines);
    lines.push(format!("  {}", text.miss_fix(&report.file)));
}

fn one_miss(miss: &MissReport, text: &dyn Text, lines: &mut Vec<String>) {
    let times =
        if miss.count > 1 { format!("  ({})", text.session_times(miss.count)) } else { String::new() };
    lines.push(format!("    ✗ {} {}{times}", miss.method, miss.url));
    lines.push(format!("      {}", text.miss_reason(&miss.reason)));
    if let MissReason::NearMiss { differences, .. } = &miss.reason {
        lines.extend(
            differences.iter().map(|difference| format!("      {}", text.miss_difference(difference))),
        );
    }
}

fn unused(unused: &[Unused], text: &dyn Text, lines: &mut Vec<String>) {
    if unused.is_empty() {
        return;
    }
    let left = unused.iter().map(|entry| usize::try_from(entry.left).unwrap_or(usize::MAX)).sum();
    lines.push(format!("  {}", text.session_unused(left)));
    for entry in unused.iter().take(SHOWN) {
        let left = if entry.of > 1 {
            format!("  ({})", text.session_left(entry.left, entry.of))
        } else {
            String::new()
        };
        lines.push(format!("    {} {}{left}", entry.method, entry.url));
    }
    more(unused.len(), lines);
}

fn more(all: usize, lines: &mut Vec<String>) {
    if all > SHOWN {
        lines.push(format!("    … +{}", all - SHOWN));
    }
}

/// Nothing at all seen is more often a client that ignores the proxy than a server without calls.
fn ingress(report: &SessionReport, capture: CaptureArg, text: &dyn Text, lines: &mut Vec<String>) {
    if capture == CaptureArg::Off {
        return;
    }
    let nothing_seen = report.recorded == 0
        && report.replayed == 0
        && report.missed.is_empty()
        && report.passed_through == 0
        && report.tunnelled == 0
        && report.refused_certificates.is_empty();
    lines.push(format!("  {}", if nothing_seen { text.nothing_seen() } else { text.ingress_environment() }));
}
