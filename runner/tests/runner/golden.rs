//! The bytes of the TypeScript MCPeak 0.10.

use mcpeak_core::client::Connection as _;
use mcpeak_core::locale::Locale;
use mcpeak_runner::report::{human, junit};
use mcpeak_runner::{RunnerReport, Style, Suite, bundle};
use serde_json::Value;

use crate::support::{Weather, run};

const BASELINE: &str = include_str!("../golden/weather.baseline.suite.json");
const DEFECT: &str = include_str!("../golden/weather.server-defect.suite.json");
const APPROVED: &str = include_str!("../golden/weather123.approved.suite.json");
const REPAIRED: &str = include_str!("../golden/weather.interactive-repair.suite.json");

async fn report(suite: &str) -> RunnerReport {
    let suite = Suite::parse(suite.as_bytes()).unwrap();
    run(&suite, &Weather, Locale::Ko).await.report()
}

fn human(report: &RunnerReport) -> String {
    human::render(report, Locale::Ko, Style::default())
}

#[tokio::test]
async fn baseline() {
    let report = report(BASELINE).await;
    assert_eq!(human(&report), include_str!("../golden/test-baseline-human.stdout"));
    assert_eq!(report.to_json(), include_str!("../golden/test-baseline-json.stdout"));
    assert_eq!(
        junit::render(&[&report], &[], Locale::Ko),
        include_str!("../golden/weather.baseline.junit.xml")
    );
    assert!(!report.all_passed());
}

#[tokio::test]
async fn server_defect() {
    let report = report(DEFECT).await;
    assert_eq!(human(&report), include_str!("../golden/test-server-defect-human.stdout"));
    assert_eq!(report.to_json(), include_str!("../golden/test-server-defect-json.stdout"));
}

#[tokio::test]
async fn approved() {
    let report = report(APPROVED).await;
    assert_eq!(human(&report), include_str!("../golden/test-approved-human.stdout"));
    assert_eq!(report.to_json(), include_str!("../golden/test-approved-json.stdout"));
    assert_eq!(
        junit::render(&[&report], &[], Locale::Ko),
        include_str!("../golden/weather123.approved.junit.xml")
    );
    assert!(report.all_passed());
}

#[tokio::test]
async fn repaired_suite_passes_and_matches_its_fingerprint() {
    let report = report(REPAIRED).await;
    assert!(report.all_passed());
    assert!(!human(&report).contains("명세:"));
}

#[tokio::test]
async fn repair_bundle_holds_what_version_1_held() {
    let suite = Suite::parse(BASELINE.as_bytes()).unwrap();
    let run = run(&suite, &Weather, Locale::Ko).await;
    let bundle = bundle(&run, &Weather.facts(), "mcpeak 0.10.0").unwrap();
    let old: Value = serde_json::from_str(include_str!("../golden/weather.repair-bundle.json")).unwrap();
    let new = bundle.as_value();
    assert_eq!(new["bundleVersion"], 3);
    assert_eq!(new["generatedBy"], old["generatedBy"]);
    for (key, value) in old["spec"].as_object().unwrap() {
        assert_eq!(&new["spec"][key], value, "{key}");
    }
    for (key, value) in old["failures"][0].as_object().unwrap() {
        assert_eq!(&new["failures"][0][key], value, "{key}");
    }
    assert_eq!(new["spec"]["runHistory"], "absent");
    assert_eq!(new["tools"][0]["name"], "get_weather");
    assert_eq!(new["process"]["stderr"], "weather ready\n");
    assert!(bundle.to_json().ends_with("}\n"));
}

#[tokio::test]
async fn no_bundle_when_all_passed() {
    let suite = Suite::parse(APPROVED.as_bytes()).unwrap();
    let run = run(&suite, &Weather, Locale::Ko).await;
    assert_eq!(bundle(&run, &Weather.facts(), "mcpeak 0"), None);
}

#[tokio::test]
async fn colour_is_only_around_glyphs_and_hints() {
    let report = report(BASELINE).await;
    let coloured = human::render(&report, Locale::Ko, Style { color: true });
    assert!(coloured.contains("\u{1b}[31m✗\u{1b}[0m get-weather-success"), "{coloured}");
    assert!(coloured.contains("    \u{1b}[2m해결: 툴 입력값과"), "{coloured}");
    let plain = coloured
        .replace("\u{1b}[31m", "")
        .replace("\u{1b}[32m", "")
        .replace("\u{1b}[2m", "")
        .replace("\u{1b}[0m", "");
    assert_eq!(plain, human(&report));
}
