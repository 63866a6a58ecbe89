//! On what grounds a refused call was refused: by argument validation, or by something else. Advisory.

use std::sync::LazyLock;

use mcpeak_core::client::ToolResult;
use regex::Regex;
use serde::Serialize;

use crate::body::{Body, extract};
use crate::suite::Case;

/// What is known about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RejectionBasis {
    /// The words are those of a known argument validation.
    Verified,
    /// It could as well be a crash.
    Unverified,
    /// The case expects no refusal, or got none.
    NotApplicable,
}

const MOCK_DECLARES: &str = "→ 이 툴이 tools/list 로 선언한 inputSchema 가 그렇게 요구합니다.";
const MOCK_INTENDED: &str = "→ 거절이 의도한 것이면 responses 에 이 인자를 넣어 응답을 지정하세요.";

/// What follows `→ 툴 '<tool>' ` in a line of the mock about one violation.
static MOCK_VIOLATION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = [
        r"^(?:호출에 필수 필드 '.+' 이\(가\) 없습니다\. 받은 인자: .+",
        r"의 '.+' 은\(는\) [a-z]+ 이어야 합니다\. 받은 값: .+ \([a-z]+\)",
        r"의 '.+' 은\(는\) 선언된 값 중 하나여야 합니다: .+\. 받은 값: .+",
        r"의 '.+' 은\(는\) \S+ (?:이하여야|이상이어야|보다 커야|보다 작아야) 합니다\. 받은 값: .+",
        r"의 '.+' 은\(는\) \d+자 (?:이하여야|이상이어야) 합니다\. 받은 값의 길이: \d+",
        r"의 '.+' 은\(는\) 원소가 \d+개 (?:이하여야|이상이어야) 합니다\. 받은 개수: \d+)$",
    ]
    .join("|");
    Regex::new(&pattern).expect("the pattern is a constant that compiles")
});

/// The grounds of a case's result.
pub fn basis(case: &Case, result: Option<&ToolResult>) -> RejectionBasis {
    let (Some(result), Some(tool)) = (result, case.tool()) else { return RejectionBasis::NotApplicable };
    if !case.expects_rejection() || !result.is_error() {
        return RejectionBasis::NotApplicable;
    }
    match extract(result) {
        Ok(Body::Text(text)) if is_argument_validation(text.trim(), tool) => RejectionBasis::Verified,
        _ => RejectionBasis::Unverified,
    }
}

fn is_argument_validation(text: &str, tool: &str) -> bool {
    text.starts_with("MCP error -32602:")
        || text.starts_with("Input validation error:")
        || is_fastmcp(text, tool)
        || is_mock(text, tool)
}

/// FastMCP puts the same prefix before a handler's crash; the second appearance of the name tells them apart.
fn is_fastmcp(text: &str, tool: &str) -> bool {
    let rest = || {
        let rest = text.strip_prefix("Error executing tool ")?.strip_prefix(tool)?.strip_prefix(": ")?;
        let rest = rest.trim_start_matches(|character: char| character.is_ascii_digit()).strip_prefix(' ')?;
        let rest = rest
            .strip_prefix("validation errors for ")
            .or_else(|| rest.strip_prefix("validation error for "))?;
        rest.strip_prefix(tool)?.strip_prefix("Arguments")
    };
    let starts_with_count = text
        .strip_prefix("Error executing tool ")
        .and_then(|rest| rest.strip_prefix(tool))
        .and_then(|rest| rest.strip_prefix(": "))
        .is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()));
    let ends_word = |rest: &str| {
        !rest.starts_with(|character: char| character.is_ascii_alphanumeric() || character == '_')
    };
    starts_with_count && rest().is_some_and(ends_word)
}

fn is_mock(text: &str, tool: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let Some((violations, guidance)) = lines.len().checked_sub(2).map(|at| lines.split_at(at)) else {
        return false;
    };
    if guidance != [MOCK_DECLARES, MOCK_INTENDED] || violations.is_empty() {
        return false;
    }
    let korean = format!("→ 툴 '{tool}' ");
    violations.iter().all(|line| line.strip_prefix(&korean).is_some_and(|rest| MOCK_VIOLATION.is_match(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validations_of_known_servers() {
        for text in [
            "MCP error -32602: Input validation error",
            "Input validation error: 'city' is a required property",
            "Error executing tool get.x: 2 validation errors for get.xArguments\ncity",
            "Error executing tool get.x: 1 validation error for get.xArguments",
        ] {
            assert!(is_argument_validation(text, "get.x"), "{text}");
        }
        for text in [
            "Error executing tool get.x: division by zero",
            "Error executing tool get.x: 1 validation error for other",
            "Error executing tool getyx: 1 validation error for getyxArguments",
            "Error executing tool get.x:  validation error for get.xArguments",
            "→ 'city' 는 문자열이어야 합니다.",
        ] {
            assert!(!is_argument_validation(text, "get.x"), "{text}");
        }
    }

    #[test]
    fn the_mock_is_recognised_line_by_line() {
        let guidance = format!("{MOCK_DECLARES}\n{MOCK_INTENDED}");
        for line in [
            "→ 툴 'w' 호출에 필수 필드 'city' 이(가) 없습니다. 받은 인자: {}",
            "→ 툴 'w' 의 'city' 은(는) string 이어야 합니다. 받은 값: 0 (number)",
            "→ 툴 'w' 의 'u' 은(는) 선언된 값 중 하나여야 합니다: \"c\", \"f\". 받은 값: \"k\"",
            "→ 툴 'w' 의 'n' 은(는) 10 이하여야 합니다. 받은 값: 99",
            "→ 툴 'w' 의 's' 은(는) 3자 이상이어야 합니다. 받은 값의 길이: 1",
            "→ 툴 'w' 의 'a' 은(는) 원소가 2개 이하여야 합니다. 받은 개수: 3",
        ] {
            assert!(is_argument_validation(&format!("{line}\n{guidance}"), "w"), "{line}");
            assert!(!is_argument_validation(&format!("{line}\n{guidance}"), "v"), "{line}");
            assert!(!is_argument_validation(line, "w"), "{line}");
        }
        assert!(!is_argument_validation(&guidance, "w"));
    }
}
