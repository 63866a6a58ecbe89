//! Korean: the sentences of the TypeScript MCPeak where they are known, others composed in their manner.

mod issues;
mod runs;

use super::{ApprovalFacts, DeterminismFacts, Label, Sentence, ServerLine, Text};
use crate::determinism::{DifferenceHint, Unavailable};
use crate::diagnostic::{Cause, ViolationFacts};
use crate::lint::{FindingFacts, FindingGroup};
use crate::report::StopReason;
use crate::reset::ResetErrorKind;
use crate::suite::{Problem, SuiteErrorKind};

pub(super) struct Korean;

impl Text for Korean {
    fn label(&self, label: Label) -> &'static str {
        match label {
            Label::Error => "오류",
            Label::Fix => "해결",
            Label::Skipped => "(건너뜀) ",
            Label::Stopped => "중단",
            Label::Nothing => "(없음)",
            Label::NoResponse => "(응답 없음)",
            Label::Root => "(루트)",
            Label::Total => "전체",
        }
    }

    fn issue(&self, problem: &Problem) -> Sentence {
        issues::issue(problem)
    }

    fn suite_error(&self, kind: &SuiteErrorKind, path: Option<&str>) -> Sentence {
        issues::suite_error(kind, path)
    }

    fn diagnostic(&self, cause: &Cause<'_>) -> Sentence {
        runs::diagnostic(cause)
    }

    fn operation_hint(&self) -> &'static str {
        "요청한 tool과 서버 기능 및 진단을 확인하세요."
    }

    fn cause_note(&self, cause: &str) -> String {
        format!("원인: {cause}")
    }

    fn violation(&self, facts: &ViolationFacts<'_>) -> String {
        runs::violation(facts)
    }

    fn object_size(&self, keys: usize) -> String {
        format!("object (키 {keys}개)")
    }

    fn array_size(&self, items: usize) -> String {
        format!("array (원소 {items}개)")
    }

    fn cut_mark(&self, total: usize) -> String {
        format!("…(총 {total}자)")
    }

    fn skipped_before(&self, skipped: usize) -> String {
        format!("…(앞 {skipped}자 생략)")
    }

    fn cut_line(&self, omitted: usize) -> String {
        format!(" …({omitted}자 생략)")
    }

    fn more_lines(&self, more: usize) -> String {
        format!("…({more}줄 더 있음)")
    }

    fn received(&self, value: &str) -> String {
        format!("받은 응답: {value}")
    }

    fn more_diagnostics(&self, more: usize) -> String {
        format!(" (외 {more}건)")
    }

    fn unverified_rejections(&self, count: usize) -> Vec<String> {
        vec![
            format!("  → 거절을 기대한 케이스 {count}건은 거절 근거를 확인하지 못했습니다."),
            "    서버가 거절한 것인지 다른 이유로 실패한 것인지 이 도구는 판단하지 못합니다.".to_owned(),
            "    확인: mcpeak generate 의 승인 화면에서 해당 케이스의 응답을 확인하세요.".to_owned(),
        ]
    }

    fn stop(&self, reason: &StopReason) -> String {
        runs::stop(reason)
    }

    fn finding_heading(&self, group: FindingGroup, case_id: &str) -> String {
        match group {
            FindingGroup::Input => format!("참고: {case_id} 의 입력이 서버 선언과 다릅니다"),
            FindingGroup::Vacuous => format!("참고: {case_id} 의 단언은 무엇이 와도 통과합니다"),
            FindingGroup::Rejection => {
                format!("참고: {case_id} 은(는) 거절을 기대하지만 선언을 어기지 않습니다")
            }
            FindingGroup::NotAnalyzable => format!("참고: {case_id} 의 입력 검사를 건너뛰었습니다"),
        }
    }

    fn finding(&self, facts: &FindingFacts) -> String {
        runs::finding(facts)
    }

    fn server_defects(&self, case_ids: &[&str]) -> String {
        let sentence =
            "참고: 승인 시점에 서버 결함으로 표시된 케이스입니다. 서버가 아직 고쳐지지 않았습니다.";
        // One such case has the sentence of version 0.10; several are named.
        if case_ids.len() == 1 {
            format!("    {sentence}")
        } else {
            format!("    {sentence} ({})", case_ids.join(", "))
        }
    }

    fn approval(&self, facts: &ApprovalFacts<'_>) -> Vec<String> {
        match facts {
            ApprovalFacts::Matched { fingerprint } => {
                vec![format!("명세: 승인 시점과 동일 ({fingerprint}…)")]
            }
            ApprovalFacts::Mismatched { approved, current, passed } => vec![
                "명세: 현재 명세와 저장된 approval.fingerprint가 불일치함".to_owned(),
                format!("  → 승인 {approved}…   현재 {current}…"),
                if *passed {
                    "  → 통과한 것은 승인된 명세가 아닙니다. 의도한 변경이면 generate --force 로 다시 승인하세요.".to_owned()
                } else {
                    "  → 실패 원인에서 명세 변경을 배제할 수 없습니다. 명세 diff 를 먼저 확인하고, 의도한 변경이면 generate --force 로 다시 승인하세요."
                        .to_owned()
                },
            ],
            ApprovalFacts::Absent => vec![
                "명세: 승인 지문이 없습니다 (미고정)".to_owned(),
                "  → mcpeak generate 로 승인한 명세가 아니거나 승인 이전 버전으로 만든 파일입니다."
                    .to_owned(),
            ],
        }
    }

    fn determinism(&self, facts: &DeterminismFacts) -> Vec<String> {
        runs::determinism(*facts)
    }

    fn difference(&self, path: Option<&str>, first: &str, second: &str) -> String {
        let path = path.map(|path| format!("{path}: ")).unwrap_or_default();
        format!("{path}1회차 {first}, 2회차 {second}")
    }

    fn difference_hint(&self, hint: DifferenceHint) -> &'static str {
        match hint {
            DifferenceHint::Timestamp => "시각만 다릅니다. 응답에 현재 시각이 들어 있습니다.",
            DifferenceHint::RandomId => "식별자만 다릅니다. 응답에 무작위 ID가 들어 있습니다.",
            DifferenceHint::NumericDrift => {
                "숫자만 다릅니다. 카운터, 소요 시간 또는 실시간 데이터일 수 있습니다."
            }
        }
    }

    fn determinism_unavailable(&self, reason: &Unavailable) -> Vec<String> {
        runs::determinism_unavailable(reason)
    }

    fn server(&self, line: &ServerLine<'_>) -> String {
        runs::server(line)
    }

    fn reset_error(&self, command: &str, kind: &ResetErrorKind) -> Sentence {
        runs::reset_error(command, kind)
    }

    fn suites_total(&self, suites: usize, passed: usize) -> String {
        format!("명세 {suites}개 중 {passed}개 통과")
    }
}

fn sentence(message: impl Into<String>, hint: impl Into<String>) -> Sentence {
    Sentence { message: message.into(), hint: hint.into() }
}
