//! Sentences about runs.

use super::{DeterminismFacts, Sentence, ServerLine, sentence};
use crate::body::BodyProblem;
use crate::determinism::Unavailable;
use crate::diagnostic::{Cause, ViolationFacts};
use crate::lint::{FindingFacts, RangeRule};
use crate::report::{LostCause, StopReason};
use crate::reset::ResetErrorKind;

pub(super) fn diagnostic(cause: &Cause<'_>) -> Sentence {
    match cause {
        Cause::ToolNotFound { tool, listed } => sentence(
            format!("tool '{tool}' 을(를) 찾을 수 없습니다. 서버의 tool: {}", names(listed)),
            "명세의 tool 이름을 고치거나 서버가 그 tool 을 제공하게 하세요.",
        ),
        Cause::ExpectedError => sentence(
            "오류 응답을 기대했지만 정상 응답을 받았습니다.",
            "서버가 이 입력을 검증하는지 확인하세요.",
        ),
        Cause::ExpectedSuccess => sentence(
            "정상 응답을 기대했지만 오류 응답을 받았습니다.",
            "툴 입력값과 서버의 오류 응답을 확인하세요.",
        ),
        Cause::ResultUnavailable => sentence(
            "operation 결과가 없어 단언을 평가하지 못했습니다.",
            "operation 이 실패한 원인을 먼저 해결하세요.",
        ),
        Cause::CaseTimeout { name, timeout_ms } => sentence(
            format!("테스트 '{name}'가 제한 시간 {timeout_ms}ms 안에 완료되지 않았습니다."),
            "서버가 느린 원인을 찾거나 timeoutMs 를 늘리세요.",
        ),
        Cause::RunAborted { name } => {
            sentence(format!("테스트 '{name}' 실행 중에 중단되었습니다."), "다시 실행해 끝까지 완료하세요.")
        }
        Cause::BodyMismatch { total } => sentence(
            format!("응답이 기대 스키마와 다릅니다. 위반 {total}건."),
            "서버 응답과 스키마를 비교해 잘못된 쪽을 고치세요.",
        ),
        Cause::StructuredMismatch { total } => sentence(
            format!("structuredContent 가 기대 스키마와 다릅니다. 위반 {total}건."),
            "서버의 structuredContent 와 스키마를 비교해 잘못된 쪽을 고치세요.",
        ),
        Cause::Body(problem) => body(*problem),
        Cause::StructuredMissing => sentence(
            "응답에 structuredContent 가 없습니다.",
            "서버가 structuredContent 를 반환하게 하거나 텍스트를 보는 bodyMatchesSchema 를 쓰세요.",
        ),
    }
}

fn body(problem: BodyProblem) -> Sentence {
    match problem {
        BodyProblem::ContentNotArray { found } => sentence(
            format!("응답의 content 는 배열이어야 합니다. 받은 값: {found}."),
            "서버 응답의 content 를 블록 배열로 고치세요.",
        ),
        BodyProblem::BlockCount(count) => sentence(
            format!("응답의 content 블록은 정확히 1개여야 합니다. 받은 개수: {count}."),
            "서버가 텍스트 블록 하나를 반환하게 하거나 isError, structuredContent 를 검사하세요.",
        ),
        BodyProblem::BlockNotText => sentence(
            "응답의 content 블록이 text 타입이 아닙니다.",
            "bodyMatchesSchema 는 텍스트만 봅니다. isError, structuredContent 를 검사하세요.",
        ),
        BodyProblem::TextMissing => sentence(
            "텍스트 블록에 문자열 'text' 가 없습니다.",
            "서버 응답의 텍스트 블록에 문자열 'text' 를 넣으세요.",
        ),
    }
}

pub(super) fn violation(facts: &ViolationFacts<'_>) -> String {
    match facts {
        ViolationFacts::Type { expected, actual } => {
            format!("타입이 다릅니다. 기대: {expected}, 실제: {actual}")
        }
        ViolationFacts::Const { expected, actual } => {
            format!("값이 다릅니다. 기대: {expected}, 실제: {actual}")
        }
        ViolationFacts::Enum { expected, actual } => {
            format!("허용된 값이 아닙니다. 허용: {expected}, 실제: {actual}")
        }
        ViolationFacts::Required { observed, total } => {
            let quoted: Vec<String> = observed.iter().map(|key| format!("'{key}'")).collect();
            let more = total - observed.len();
            let more = if more > 0 { format!(", …(외 {more}개)") } else { String::new() };
            format!("필수 필드가 없습니다. 발견된 필드: {}{more}", names(&quoted))
        }
        ViolationFacts::Additional => "허용되지 않은 필드입니다.".to_owned(),
        ViolationFacts::MinItems { limit, found } => {
            format!("원소가 부족합니다. 최소: {limit}개, 실제: {found}개")
        }
        ViolationFacts::MinLength { limit, found } => {
            format!("문자열이 너무 짧습니다. 최소: {limit}자, 실제: {found}자")
        }
        ViolationFacts::MaxLength { limit, found } => {
            format!("문자열이 너무 깁니다. 최대: {limit}자, 실제: {found}자")
        }
        ViolationFacts::Contains { part, actual } => {
            format!("문자열에 기대한 부분이 없습니다. 기대: {part}, 실제: {actual}")
        }
        ViolationFacts::Minimum { limit, actual } => {
            format!("값이 너무 작습니다. 최소: {limit}, 실제: {actual}")
        }
        ViolationFacts::Maximum { limit, actual } => {
            format!("값이 너무 큽니다. 최대: {limit}, 실제: {actual}")
        }
    }
}

pub(super) fn stop(reason: &StopReason) -> String {
    match reason {
        StopReason::Timeout { case_id } => {
            format!("케이스 '{case_id}' 타임아웃으로 실행을 멈췄습니다.")
        }
        StopReason::AbortSignal { .. } => "외부 요청으로 실행을 멈췄습니다.".to_owned(),
        StopReason::ConnectionLost { cause, exit_code, signal, .. } => match cause {
            LostCause::ProcessExited => {
                let how = match (exit_code, signal) {
                    (Some(code), _) => format!(" (종료 코드 {code})"),
                    (None, Some(signal)) => format!(" (시그널 {signal})"),
                    (None, None) => String::new(),
                };
                format!("서버 프로세스가 종료되어 실행을 멈췄습니다.{how}")
            }
            LostCause::TransportFailed => "서버와의 연결이 끊겨 실행을 멈췄습니다.".to_owned(),
            LostCause::HttpSessionLost => "서버가 HTTP 세션을 잃어 실행을 멈췄습니다.".to_owned(),
        },
    }
}

pub(super) fn finding(facts: &FindingFacts) -> String {
    match facts {
        FindingFacts::ToolNotDeclared { tool, suggestion } => match suggestion {
            Some(name) => format!("서버가 선언하지 않은 tool 입니다: '{tool}'. 혹시 '{name}' 인가요?"),
            None => format!("서버가 선언하지 않은 tool 입니다: '{tool}'."),
        },
        FindingFacts::RequiredMissing { field } => format!("필수 필드 '{field}' 이(가) 없습니다."),
        FindingFacts::UndeclaredField { field } => {
            format!("'{field}' 은(는) 선언되지 않은 필드이고, 다른 필드는 허용되지 않습니다.")
        }
        FindingFacts::TypeMismatch { field, expected, actual } => {
            format!("'{field}' 의 타입이 다릅니다. 선언: {expected}, 명세: {actual}")
        }
        FindingFacts::EnumMismatch { field, allowed, actual } => {
            format!("'{field}' 이(가) 선언된 값이 아닙니다. 선언: {allowed}, 명세: {actual}")
        }
        FindingFacts::RangeMismatch { field, rule, limit, actual } => {
            let rule = match rule {
                RangeRule::Minimum => "최소",
                RangeRule::Maximum => "최대",
                RangeRule::ExclusiveMinimum => "초과",
                RangeRule::ExclusiveMaximum => "미만",
                RangeRule::MinLength => "최소 길이",
                RangeRule::MaxLength => "최대 길이",
                RangeRule::MinItems => "최소 개수",
                RangeRule::MaxItems => "최대 개수",
            };
            format!("'{field}' 이(가) 선언된 범위를 벗어납니다. {rule}: {limit}, 명세: {actual}")
        }
        FindingFacts::SchemaNotAnalyzable { reason } => {
            format!("tool 의 입력 스키마를 해석하지 못했습니다: {reason}")
        }
        FindingFacts::RejectionWithoutViolation => {
            "서버가 스키마에 없는 이유로 거절하거나 호출을 받아들일 수 있습니다.".to_owned()
        }
        FindingFacts::VacuousMinLength { path } => format!("minLength 0 은 항상 참입니다: {path}"),
        FindingFacts::VacuousMinItems { path } => format!("minItems 0 은 항상 참입니다: {path}"),
    }
}

pub(super) fn determinism(facts: DeterminismFacts) -> Vec<String> {
    let mut lines = Vec::new();
    if facts.differences == 0 {
        lines.push(format!("결정성: 두 번의 실행 결과가 같습니다 (케이스 {}건 비교)", facts.compared));
        if !facts.reset {
            lines.push(
                "  → 실행 사이에 상태를 초기화하지 않았습니다. --reset-cmd 를 쓰면 결론이 더 확실합니다."
                    .to_owned(),
            );
        }
    } else {
        lines.push(format!(
            "결정성: 케이스 {}건 중 {}건이 두 번의 실행에서 다릅니다",
            facts.compared, facts.differences
        ));
        lines.push("  → 종료 코드는 바뀌지 않습니다.".to_owned());
        if !facts.reset {
            lines.push(
                "  → 실행 사이에 상태를 초기화하지 않아 첫 실행이 남긴 상태 때문일 수 있습니다.".to_owned(),
            );
        }
    }
    if facts.skipped > 0 {
        lines.push(format!("  → 두 번 모두 실행되지 않은 케이스 {}건은 비교하지 않았습니다.", facts.skipped));
    }
    lines
}

pub(super) fn determinism_unavailable(reason: &Unavailable) -> Vec<String> {
    let reason = match reason {
        Unavailable::StartFailed(message) => format!("서버를 다시 시작하지 못했습니다: {message}"),
        Unavailable::ResetFailed(message) => format!("초기화 명령이 실패했습니다: {message}"),
        Unavailable::FirstPassStopped => "첫 번째 실행이 끝나지 않았습니다.".to_owned(),
        Unavailable::TimedOut { case_id } => {
            format!("두 번째 실행에서 케이스 '{case_id}' 이(가) 타임아웃되었습니다.")
        }
        Unavailable::ConnectionLost { case_id } => {
            format!("두 번째 실행의 케이스 '{case_id}' 에서 연결이 끊겼습니다.")
        }
        Unavailable::Aborted => "두 번째 실행이 중단되었습니다.".to_owned(),
    };
    vec!["결정성: 두 번의 실행을 비교하지 못했습니다".to_owned(), format!("  → {reason}")]
}

pub(super) fn server(line: &ServerLine<'_>) -> String {
    match line {
        ServerLine::ProcessHeading => "서버 프로세스 진단".to_owned(),
        ServerLine::Exit { code, signal } => {
            let code = code.map_or_else(|| "없음".to_owned(), |code| code.to_string());
            format!("  종료 코드: {code}  시그널: {}", signal.unwrap_or("없음"))
        }
        ServerLine::StderrEmpty => "  stderr: (비어 있음)".to_owned(),
        ServerLine::Stderr { shown, above, truncated } => {
            let cut = "앞부분이 수집 상한으로 잘렸습니다";
            match (above, truncated) {
                (0, false) => "  stderr (전체):".to_owned(),
                (0, true) => format!("  stderr (수집된 전체, {cut}):"),
                (_, false) => format!("  stderr (마지막 {shown}줄, 위로 {above}줄 더 있음):"),
                (_, true) => format!("  stderr (마지막 {shown}줄, 위로 {above}줄 더 있음, {cut}):"),
            }
        }
        ServerLine::HttpHeading => "원격 서버 진단".to_owned(),
        ServerLine::Endpoint(url) => format!("  엔드포인트: {url}"),
        ServerLine::Status(status) => {
            let status =
                status.map_or_else(|| "응답에 닿지 못했습니다".to_owned(), |status| status.to_string());
            format!("  HTTP 상태: {status}")
        }
        ServerLine::Session(session) => {
            format!("  세션 ID: {}", session.unwrap_or("발급하지 않음 (stateless)"))
        }
    }
}

pub(super) fn reset_error(command: &str, kind: &ResetErrorKind) -> Sentence {
    let hint = "초기화 명령을 직접 실행해 고치세요. 셸 없이 실행됩니다.";
    match kind {
        ResetErrorKind::Empty => sentence("초기화 명령이 비어 있습니다.", "실행 파일을 지정하세요."),
        ResetErrorKind::UnclosedQuote => sentence(
            format!("초기화 명령의 큰따옴표가 닫히지 않았습니다: {command}"),
            "큰따옴표는 실행 파일에만 쓸 수 있습니다: \"C:\\my tools\\reset\" --all",
        ),
        ResetErrorKind::StartFailed { message } => {
            sentence(format!("초기화 명령을 시작하지 못했습니다: {command}: {message}"), hint)
        }
        ResetErrorKind::TimedOut { seconds } => sentence(
            format!("초기화 명령이 {seconds}초 안에 끝나지 않아 종료했습니다: {command}"),
            "명령이 스스로 끝나게 하세요. 입력을 기다리면 안 됩니다.",
        ),
        ResetErrorKind::Interrupted => {
            sentence(format!("초기화 명령이 중단되었습니다: {command}"), "다시 실행해 끝까지 완료하세요.")
        }
        ResetErrorKind::Failed { code, signal, stderr } => {
            let how = match (code, signal) {
                (Some(code), _) => format!("종료 코드 {code}"),
                (None, Some(signal)) => format!("시그널 {signal}"),
                (None, None) => "알 수 없음".to_owned(),
            };
            let words = if stderr.is_empty() { String::new() } else { format!(": {}", stderr.join(" | ")) };
            sentence(format!("초기화 명령이 실패했습니다 ({how}): {command}{words}"), hint)
        }
    }
}

fn names(names: &[String]) -> String {
    if names.is_empty() { "(없음)".to_owned() } else { names.join(", ") }
}
