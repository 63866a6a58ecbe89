//! The block for people, on stderr.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::locale::Locale;
use mcpeak_proxy::matching::{MissReason, MissReport};
use mcpeak_proxy::report::{Mode, SessionReport, Unused};

use super::IngressUsed;
use super::attribution::MissedIn;
use crate::text::{self, Text};

/// Entries of a list that are shown; the JSON report has them all.
const SHOWN: usize = 10;

/// What the report on stdout says about calls without a recording: they are why a run fails. Empty if there are none, else it
/// begins with an empty line and ends with a newline.
pub(crate) fn misses(report: &SessionReport, missed_in: &MissedIn, locale: Locale) -> String {
    let mut lines = Vec::new();
    missed(report, missed_in, locale, &mut lines);
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    escaped(&lines)
}

/// The rest, for stderr; begins with an empty line and ends with a newline.
pub(crate) fn summary(report: &SessionReport, ingress: IngressUsed, locale: Locale) -> String {
    let (text, sentences) = (text::of(locale), mcpeak_proxy::text::of(locale));
    let mut lines = vec![String::new(), heading(report, text)];
    lines.push(format!("  {}", text.session_upstream(report.upstream_connections)));
    if report.passed_through > 0 && report.mode != Mode::Pass {
        lines.push(format!("  {}", text.session_passed(report.passed_through)));
    }
    if report.tunnelled > 0 {
        lines.push(format!("  {}", text.session_tunnelled(report.tunnelled)));
    }
    for (destination, counts) in &report.destinations {
        lines.push(format!("  {destination}  {}", text.session_destination(counts)));
    }
    unused(&report.unused, text, &mut lines);
    for refused in &report.refused_certificates {
        lines.push(format!("  ! {}", sentences.refused_certificate(refused, report.mode)));
    }
    for warning in &report.warnings {
        lines.push(format!("  ! {}", sentences.warning(warning)));
    }
    led_here(report, ingress, text, &mut lines);
    escaped(&lines)
}

/// Both, for commands without a report of their own.
pub(crate) fn render(report: &SessionReport, ingress: IngressUsed, locale: Locale) -> String {
    misses(report, &MissedIn::default(), locale) + &summary(report, ingress, locale)
}

fn escaped(lines: &[String]) -> String {
    let mut block = String::new();
    for line in lines {
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

fn missed(report: &SessionReport, missed_in: &MissedIn, locale: Locale, lines: &mut Vec<String>) {
    let text = text::of(locale);
    if report.missed.is_empty() {
        return;
    }
    let calls = report.missed.iter().map(|miss| usize::try_from(miss.count).unwrap_or(usize::MAX)).sum();
    lines.push(text.session_missed(calls));
    let all_used = report.missed.iter().all(|miss| matches!(miss.reason, MissReason::AllUsed { .. }));
    for miss in report.missed.iter().take(SHOWN) {
        one_miss(miss, &missed_in.cases_of(miss), locale, lines);
    }
    more(report.missed.len(), lines);
    lines.push(format!("  {}", text.miss_fix(&report.file, all_used)));
}

fn one_miss(miss: &MissReport, cases: &[String], locale: Locale, lines: &mut Vec<String>) {
    let (text, sentences) = (text::of(locale), mcpeak_proxy::text::of(locale));
    let times =
        if miss.count > 1 { format!("  ({})", text.session_times(miss.count)) } else { String::new() };
    lines.push(format!("  ✗ {} {}{times}", miss.method, miss.url));
    if !cases.is_empty() {
        lines.push(format!("    {}", text.miss_in_cases(&cases.join(", "))));
    }
    lines.push(format!("    {}", sentences.reason(&miss.reason)));
    if let MissReason::NearMiss { differences, rules, .. } = &miss.reason {
        lines
            .extend(differences.iter().map(|difference| format!("    {}", sentences.difference(difference))));
        if !rules.is_empty() {
            lines.push(format!("    {}", sentences.rules_to_add(rules)));
        }
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

/// How the calls were led here, and what that leaves unseen. What whoever led them here has seen belongs here too.
fn led_here(report: &SessionReport, ingress: IngressUsed, text: &dyn Text, lines: &mut Vec<String>) {
    let nothing_seen = report.destinations.is_empty() && report.refused_certificates.is_empty();
    match ingress {
        IngressUsed::Sockets => lines.push(format!("  {}", text.ingress_sockets(nothing_seen))),
        // Nothing at all seen is more often a client that ignores the proxy than a server without calls.
        IngressUsed::Environment if nothing_seen => lines.push(format!("  ! {}", text.nothing_seen())),
        IngressUsed::Environment => lines.push(format!("  {}", text.ingress_environment())),
        IngressUsed::None => {}
    }
}

#[cfg(test)]
mod tests {
    use mcpeak_core::locale::Locale;
    use mcpeak_proxy::matching::{Difference, MissReason, MissReport};
    use mcpeak_proxy::report::{
        Counts, DestinationCounts, Mode, RefusedCertificate, SessionReport, Unused, Warning,
    };

    use super::render;
    use crate::session_report::IngressUsed;

    fn report() -> SessionReport {
        let mut report = SessionReport::new(Mode::Replay, "weather.session.json", &Counts::default());
        report.replayed = 3;
        let differences = vec![Difference {
            field: "query city".to_owned(),
            recorded: Some("seoul".to_owned()),
            actual: None,
        }];
        report.missed = vec![MissReport {
            method: "GET".to_owned(),
            url: "https://a/x\u{1b}[31m".to_owned(),
            reason: MissReason::NearMiss {
                recording: "GET https://a/x?city=seoul".to_owned(),
                differences,
                rules: vec!["query:ts".to_owned()],
            },
            count: 2,
        }];
        report.unused = vec![Unused {
            method: "GET".to_owned(),
            url: "https://a/x?city=seoul".to_owned(),
            left: 1,
            ids: Vec::new(),
            of: 2,
        }];
        let counts =
            |replayed, missed| DestinationCounts { replayed, missed, ..DestinationCounts::default() };
        report.destinations =
            [("https://a".to_owned(), counts(2, 2)), ("https://b".to_owned(), counts(1, 0))].into();
        report.warnings = vec![Warning::ValueNotSearched { name: "DEBUG".to_owned() }];
        report
    }

    #[test]
    fn the_block_in_english() {
        insta::assert_snapshot!(render(&report(), IngressUsed::Sockets, Locale::En), @r#"

        2 calls without a recording:
          ✗ GET https://a/x\u001b[31m  (2 times)
            nearest recording: GET https://a/x?city=seoul
            query city: recorded "seoul", requested nothing
            if that is new in each run, add to the session file: "rules": ["query:ts"]
          Fix: make the call as it was recorded, or record again: the same command with --record-session weather.session.json --force

        3 outbound calls replayed from weather.session.json
          connections opened by the proxy: 0
          https://a  2 replayed, 2 missed
          https://b  1 replayed
          1 recorded call not used:
            GET https://a/x?city=seoul  (1 of 2 left)
          ! the value of DEBUG is too short or too plain to be searched for; only its places are redacted
          every socket of the server's processes was led here
        "#);
    }

    #[test]
    fn the_block_in_korean_has_the_same_facts() {
        let block = render(&report(), IngressUsed::Environment, Locale::Ko);
        assert_eq!(
            block.lines().count(),
            render(&report(), IngressUsed::Environment, Locale::En).lines().count()
        );
        for fact in
            ["weather.session.json", "GET https://a/x?city=seoul", "query city", "\"seoul\"", "DEBUG", "2회"]
        {
            assert!(block.contains(fact), "{fact} in {block}");
        }
        assert!(!block.contains('\u{1b}'), "control characters are escaped");
    }

    #[test]
    fn the_block_says_how_calls_were_led_here_and_what_that_leaves_unseen() {
        for locale in [Locale::En, Locale::Ko] {
            let block = render(&report(), IngressUsed::Environment, locale);
            assert!(["Node", "Go", "Java", "Rust"].iter().all(|who| block.contains(who)), "{block}");
            let block = render(&report(), IngressUsed::Sockets, locale);
            assert!(!block.contains("Node"), "{block}");
            assert!(!render(&report(), IngressUsed::None, locale).contains("Node"));
        }
        let empty = SessionReport::new(Mode::Replay, "s.json", &Counts::default());
        let sockets = render(&empty, IngressUsed::Sockets, Locale::En);
        assert!(sockets.contains("it made no outbound call"), "{sockets}");
        let environment = render(&empty, IngressUsed::Environment, Locale::En);
        assert!(environment.contains("or its calls went past it"), "{environment}");
    }

    #[test]
    fn t4_a_refused_certificate_comes_with_what_to_set_in_this_mode() {
        for (mode, tunnel) in [(Mode::Record, true), (Mode::Replay, false)] {
            let mut report = SessionReport::new(mode, "s.json", &Counts::default());
            let (host, program) = ("pinned.test".to_owned(), Some("app\u{1b}".to_owned()));
            report.refused_certificates = vec![RefusedCertificate { host, program, count: 2 }];
            for locale in [Locale::En, Locale::Ko] {
                let block = render(&report, IngressUsed::Sockets, locale);
                assert!(block.contains("pinned.test") && block.contains(r"app\u001b"), "{block}");
                assert!(block.contains("SSL_CERT_FILE"), "{block}");
                assert_eq!(block.contains("--tunnel pinned.test"), tunnel, "{block}");
            }
        }
    }
}
