//! What follows the summary: findings, defects of the server, approval, determinism.

use mcpeak_core::locale::Locale;

use crate::approval::ApprovalState;
use crate::lint::{Finding, FindingCode, FindingFacts, FindingGroup};
use crate::report::{CaseReport, CaseStatus, RunnerReport};
use crate::suite::ApprovedStatus;
use crate::text::{self, ApprovalFacts};

/// Digits of a fingerprint that people see.
const SHORT: usize = 12;

/// The blocks, each a list of lines.
pub(super) fn all(report: &RunnerReport, locale: Locale) -> Vec<Vec<String>> {
    let mut blocks = findings(report, locale);
    blocks.extend(defects(report, locale));
    blocks.extend(approval(report, locale));
    blocks.extend(report.determinism.as_ref().map(|determinism| determinism.lines(locale)));
    blocks
}

fn findings(report: &RunnerReport, locale: Locale) -> Vec<Vec<String>> {
    const GROUPS: [FindingGroup; 4] =
        [FindingGroup::Input, FindingGroup::Vacuous, FindingGroup::Rejection, FindingGroup::NotAnalyzable];
    let text = text::of(locale);
    let mut blocks = Vec::new();
    for case in &report.cases {
        for group in GROUPS {
            let lines: Vec<String> = report
                .spec
                .findings
                .iter()
                .filter(|finding| finding.case_id == case.id && finding.code.group() == group)
                .filter(|finding| is_shown(finding, case))
                .map(|finding| format!("  → {}", text.finding(&finding.facts)))
                .collect();
            if !lines.is_empty() {
                let mut block = vec![text.finding_heading(group, &case.id)];
                block.extend(lines);
                blocks.push(block);
            }
        }
    }
    blocks
}

/// A passed case needs no advice, except that nothing was checked; and the server's own words are not repeated.
fn is_shown(finding: &Finding, case: &CaseReport) -> bool {
    if case.status == CaseStatus::Passed {
        return finding.code == FindingCode::SchemaNotAnalyzable;
    }
    let FindingFacts::TypeMismatch { field, expected, actual } = &finding.facts else { return true };
    let (kind, value) = actual.split_once(' ').unwrap_or((actual, ""));
    let value = value.trim_matches(['(', ')']);
    let said = |line: &str| {
        line.contains(field.as_str())
            && line.contains(expected.as_str())
            && (line.contains(kind) || (!value.is_empty() && line.contains(value)))
    };
    !case.diagnostics().flat_map(|diagnostic| diagnostic.notes.iter().flatten()).any(|line| said(line))
}

fn defects(report: &RunnerReport, locale: Locale) -> Option<Vec<String>> {
    if report.spec.approval != ApprovalState::Matched {
        return None;
    }
    let ids: Vec<&str> = report
        .cases
        .iter()
        .filter(|case| case.status == CaseStatus::Failed)
        .map(|case| case.id.as_str())
        .filter(|id| report.approved_as(id) == Some(ApprovedStatus::ServerDefect))
        .collect();
    (!ids.is_empty()).then(|| vec![text::of(locale).server_defects(&ids)])
}

fn approval(report: &RunnerReport, locale: Locale) -> Option<Vec<String>> {
    let passed = report.all_passed();
    let current = short(&report.spec.fingerprint);
    let facts = match report.spec.approval {
        ApprovalState::Mismatched => ApprovalFacts::Mismatched {
            approved: short(report.spec.approved_fingerprint.as_deref().unwrap_or_default()),
            current,
            passed,
        },
        _ if passed => return None,
        ApprovalState::Matched => ApprovalFacts::Matched { fingerprint: current },
        ApprovalState::Absent => ApprovalFacts::Absent,
    };
    Some(text::of(locale).approval(&facts))
}

fn short(fingerprint: &str) -> &str {
    fingerprint.get(..SHORT).unwrap_or(fingerprint)
}
