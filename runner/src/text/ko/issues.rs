//! Sentences about suites that cannot be used.

use std::io::ErrorKind;

use super::{Sentence, sentence};
use crate::suite::validate::{Expected, Kind};
use crate::suite::{Problem, SuiteErrorKind};

pub(super) fn suite_error(kind: &SuiteErrorKind, path: Option<&str>) -> Sentence {
    let path = path.unwrap_or("(입력)");
    match kind {
        SuiteErrorKind::FormatUnsupported => sentence(
            format!("명세는 .json 파일이어야 합니다: {path}"),
            ".json 으로 끝나는 파일을 지정하세요.",
        ),
        SuiteErrorKind::ReadFailed { kind, message } => match kind {
            ErrorKind::NotFound => {
                sentence(format!("명세 파일이 없습니다: {path}"), "경로와 현재 폴더를 확인하세요.")
            }
            ErrorKind::PermissionDenied => sentence(
                format!("명세 파일을 읽을 권한이 없습니다: {path}"),
                "mcpeak 를 실행하는 사용자에게 읽기 권한을 주세요.",
            ),
            ErrorKind::IsADirectory => {
                sentence(format!("명세 파일이 아니라 폴더입니다: {path}"), "폴더 안의 파일을 지정하세요.")
            }
            _ => sentence(
                format!("명세 파일을 읽지 못했습니다: {path}: {message}"),
                "파일과 디스크를 읽을 수 있는지 확인하세요.",
            ),
        },
        SuiteErrorKind::EncodingInvalid { offset } => sentence(
            format!("명세가 UTF-8 이 아닙니다: {offset}번째 바이트를 해석할 수 없습니다."),
            "파일을 UTF-8 로 저장하세요.",
        ),
        SuiteErrorKind::JsonInvalid { line, column, too_deep: true, .. } => sentence(
            format!("명세의 중첩이 128단계를 넘습니다: {line}행 {column}열."),
            "문서의 중첩을 줄이세요. 128단계까지 허용합니다.",
        ),
        SuiteErrorKind::JsonInvalid { line, column, message, .. } => sentence(
            format!("명세가 올바른 JSON 이 아닙니다: {line}행 {column}열: {message}."),
            "해당 위치의 JSON 을 고치세요.",
        ),
        SuiteErrorKind::ValidationFailed { issues } => sentence(
            format!("명세가 형식에 맞지 않습니다. 문제 {}건.", issues.len()),
            "아래 항목을 고치세요.",
        ),
    }
}

pub(super) fn issue(problem: &Problem) -> Sentence {
    match problem {
        Problem::RootNotObject { found } => sentence(
            format!("명세는 JSON 객체여야 합니다. 받은 값: {found}."),
            "schemaVersion, id, name, cases 를 담은 객체 하나로 작성하세요.",
        ),
        Problem::Missing { field, expected } => sentence(
            format!("'{field}' 필드가 없습니다. 받는 값: {}.", accepts(*expected)),
            format!("'{field}' 필드를 명세에 추가하세요."),
        ),
        Problem::Unknown { field, allowed } => sentence(
            format!("'{field}' 은(는) 없는 필드입니다. 허용: {}.", allowed.join(", ")),
            format!("'{field}' 필드를 지우거나 철자를 고치세요."),
        ),
        Problem::Version { found } => sentence(
            format!("지원하지 않는 schemaVersion 입니다: {found}. 받는 값: 1."),
            "'schemaVersion' 을 1 로 고치세요.",
        ),
        Problem::Type { field, kind: expected, found } => sentence(
            format!("'{field}' 은(는) {} 이어야 합니다. 받은 값: {found}.", kind(*expected)),
            format!("'{field}' 값을 {} (으)로 고치세요.", kind(*expected)),
        ),
        Problem::Blank { field } => sentence(
            format!("'{field}' 이(가) 비어 있습니다."),
            format!("'{field}' 에 공백이 아닌 문자를 하나 이상 넣으세요."),
        ),
        Problem::Value { field, expected, found } => sentence(
            format!("'{field}' 이(가) 받는 값이 아닙니다. 받는 값: {}. 받은 값: {found}.", accepts(*expected)),
            format!("'{field}' 을(를) 받는 값으로 고치세요."),
        ),
        Problem::DuplicateCase { id, first } => sentence(
            format!("케이스 id '{id}' 은(는) cases[{first}] 에서 이미 사용했습니다."),
            "케이스마다 다른 id 를 지정하세요.",
        ),
        Problem::DuplicateApproval { id } => sentence(
            format!("승인 기록에 '{id}' 이(가) 두 번 있습니다."),
            "케이스마다 기록을 하나만 남기세요.",
        ),
        Problem::NoCases => sentence("'cases' 가 비어 있습니다.", "케이스를 하나 이상 추가하세요."),
        Problem::NoAssertions => {
            sentence("'assertions' 가 비어 있어 실패할 수 없는 케이스입니다.", "단언을 하나 이상 추가하세요.")
        }
        Problem::Incompatible { operation, assertion, allowed } => sentence(
            format!(
                "'{operation}' operation 은 '{assertion}' 단언을 받지 않습니다. 허용: {}",
                if allowed.is_empty() { "(없음)".to_owned() } else { allowed.join(", ") }
            ),
            "operation 이 받는 단언을 쓰거나 operation 을 바꾸세요.",
        ),
        Problem::Input { found } => sentence(
            format!("'input' 은 JSON 객체여야 합니다. 받은 값: {found}."),
            "인자를 객체로 작성하세요. 인자가 없으면 {} 입니다.",
        ),
        Problem::Timeout { field, found } => sentence(
            format!("'{field}' 은(는) 1 이상 2147483647 이하의 정수여야 합니다. 받은 값: {found}."),
            format!("'{field}' 을(를) 밀리초 단위의 정수로 지정하세요."),
        ),
        Problem::Keyword { keyword } => sentence(
            format!("지원하지 않는 스키마 키워드 '{keyword}' 입니다."),
            format!("지원하는 키워드: {}.", crate::schema::KEYWORDS.join(", ")),
        ),
        Problem::KeywordType { keyword, types } => sentence(
            format!("'{keyword}' 은(는) 같은 스키마에 type: {} 이(가) 있어야 합니다.", types.join(" 또는 ")),
            format!("같은 스키마에 \"type\": \"{}\" 을(를) 추가하세요.", types[0]),
        ),
        Problem::Vacuous { field } => sentence(
            format!("'{field}' 이(가) 비어 있어 실패할 수 없는 검사입니다."),
            format!("'{field}' 에 항목을 하나 이상 넣거나 지우세요."),
        ),
    }
}

fn accepts(expected: Expected) -> String {
    match expected {
        Expected::Values(values) => values.join(", "),
        Expected::Kind(expected) => kind(expected).to_owned(),
    }
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "객체",
        Kind::Array => "배열",
        Kind::NonEmptyArray => "원소가 하나 이상인 배열",
        Kind::NonEmptyStringArray => "이름이 하나 이상인 배열",
        Kind::String => "문자열",
        Kind::NonBlankString => "비어 있지 않은 문자열",
        Kind::Boolean => "true 또는 false",
        Kind::BooleanOrSchema => "true, false 또는 스키마",
        Kind::NonEmptyObject => "필드가 하나 이상인 객체",
        Kind::Count => "0 이상의 정수",
        Kind::Number => "숫자",
        Kind::Any => "JSON 값",
        Kind::Fingerprint => "64자리 소문자 16진수",
        Kind::Schema => "스키마 객체",
    }
}
