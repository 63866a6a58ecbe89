use mcpeak_core::locale::Locale;

use super::end_of_run;
use crate::matching::{Difference, MissReason, MissReport};
use crate::report::{Counts, Mode, SessionReport, Unused, Warning};

fn report() -> SessionReport {
    let mut report = SessionReport::new(Mode::Replay, "weather.session.json", &Counts::default());
    report.replayed = 3;
    let differences =
        vec![Difference { field: "query city".to_owned(), recorded: Some("seoul".to_owned()), actual: None }];
    report.missed = vec![MissReport {
        method: "GET".to_owned(),
        url: "https://a/x\u{1b}[31m".to_owned(),
        reason: MissReason::NearMiss { recording: "GET https://a/x?city=seoul".to_owned(), differences },
        count: 2,
    }];
    report.unused =
        vec![Unused { method: "GET".to_owned(), url: "https://a/x?city=seoul".to_owned(), left: 1, of: 2 }];
    report.warnings = vec![Warning::ValueNotSearched { name: "DEBUG".to_owned() }];
    report
}

#[test]
fn the_block_in_english() {
    insta::assert_snapshot!(end_of_run(&report(), Locale::En), @r"
    replayed 3 outbound calls: weather.session.json (0 upstream connections)
    2 outbound calls have no recording:
      GET https://a/x\u001b[31m (×2)
        nearest recording: GET https://a/x?city=seoul; it differs in
          query city: recorded seoul, now (absent)
    if the calls are right, record weather.session.json again with --force
    1 recordings were not used:
      GET https://a/x?city=seoul (1 of 2)
    the value of DEBUG is too short or too plain to be searched for; only its places are redacted
    ");
}

#[test]
fn the_block_in_korean_has_the_same_facts() {
    let block = end_of_run(&report(), Locale::Ko);
    let english = end_of_run(&report(), Locale::En);
    assert_eq!(block.lines().count(), english.lines().count());
    for fact in ["weather.session.json", "GET https://a/x?city=seoul", "query city", "seoul", "DEBUG", "×2"]
    {
        assert!(block.contains(fact), "{fact}");
    }
    assert!(!block.contains('\u{1b}'), "control characters are escaped");
}
