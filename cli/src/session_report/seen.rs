//! What the supervisor saw beside the calls: what was refused, and what may lead out of the tree.

use std::collections::BTreeSet;

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;
use mcpeak_sandbox::capture::CaptureReport;
use serde_json::{Value, json};

use crate::text::{self, Text};

/// Entries of a list that are shown; the JSON report has them all.
const SHOWN: usize = 5;

/// One kind of what was seen.
struct Kind<'a> {
    /// As it is named in JSON.
    name: &'static str,
    entries: &'a BTreeSet<String>,
    sentence: fn(&'static dyn Text, &str) -> String,
}

/// The kinds of which something was seen, in the order of both reports.
fn kinds(report: &CaptureReport) -> impl Iterator<Item = Kind<'_>> {
    let CaptureReport { refused, local_sockets, passed, unreadable } = report;
    [
        Kind { name: "localSockets", entries: local_sockets, sentence: <dyn Text>::seen_local_sockets },
        Kind { name: "passed", entries: passed, sentence: <dyn Text>::seen_passed },
        Kind { name: "refused", entries: refused, sentence: <dyn Text>::seen_refused },
        Kind { name: "unreadable", entries: unreadable, sentence: <dyn Text>::seen_unreadable },
    ]
    .into_iter()
    .filter(|kind| !kind.entries.is_empty())
}

/// Lines for people that belong below the session block; empty if there is nothing to say.
pub(crate) fn seen(report: &CaptureReport, locale: Locale) -> String {
    let mut block = String::new();
    for Kind { entries, sentence, .. } in kinds(report) {
        let mut list: Vec<&str> = entries.iter().take(SHOWN).map(String::as_str).collect();
        let more = format!("… +{}", entries.len().saturating_sub(SHOWN));
        if entries.len() > SHOWN {
            list.push(&more);
        }
        let line = sentence(text::of(locale), &list.join(", "));
        block.push_str(&terminal(&format!("  ! {line}"), Keep::Nothing));
        block.push('\n');
    }
    block
}

/// Adds the same to the report for machines, as a member of its own.
pub(crate) fn add_seen(value: &mut Value, report: &CaptureReport) {
    for Kind { name, entries, .. } in kinds(report) {
        value["seen"][name] = json!(entries);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mcpeak_core::locale::Locale;
    use mcpeak_sandbox::capture::CaptureReport;
    use serde_json::json;

    use super::{add_seen, seen};

    fn report() -> CaptureReport {
        CaptureReport {
            refused: (1..=7).map(|last| format!("udp://192.0.2.{last}:443")).collect(),
            local_sockets: BTreeSet::from(["/run/docker.sock\u{1b}[2J".to_owned()]),
            passed: BTreeSet::from(["tcp://127.0.0.1:5432".to_owned()]),
            unreadable: BTreeSet::from(["su".to_owned()]),
        }
    }

    #[test]
    fn lines_in_english() {
        insta::assert_snapshot!(seen(&report(), Locale::En), @r"
          ! connected to local sockets, and the programs behind them are not captured: /run/docker.sock\u001b[2J
          ! let through to other programs of this machine: tcp://127.0.0.1:5432
          ! refused, for only TCP is captured (clients of QUIC go on over TCP): udp://192.0.2.1:443, udp://192.0.2.2:443, udp://192.0.2.3:443, udp://192.0.2.4:443, udp://192.0.2.5:443, … +2
          ! their memory may not be read, so their connections were refused: su
        ");
    }

    #[test]
    fn korean_has_the_same_facts() {
        let block = seen(&report(), Locale::Ko);
        assert_eq!(block.lines().count(), 4);
        for fact in ["/run/docker.sock", "tcp://127.0.0.1:5432", "udp://192.0.2.5:443", "+2", "su"] {
            assert!(block.contains(fact), "{fact} in {block}");
        }
        assert!(seen(&CaptureReport::default(), Locale::Ko).is_empty());
    }

    #[test]
    fn members_for_machines() {
        let mut value = json!({ "ingress": "sockets" });
        add_seen(&mut value, &CaptureReport::default());
        assert_eq!(value, json!({ "ingress": "sockets" }));
        add_seen(&mut value, &report());
        assert_eq!(value["seen"]["passed"], json!(["tcp://127.0.0.1:5432"]));
        assert_eq!(value["seen"]["refused"].as_array().map(Vec::len), Some(7));
    }
}
