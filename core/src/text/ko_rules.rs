//! Korean: the rules of the protocol.

use crate::wire::Rule;

/// What the protocol wants.
pub(super) fn rule_expected(rule: Rule) -> &'static str {
    match rule {
        Rule::JsonRpcVersion => "값이 \"2.0\"인 `jsonrpc`",
        Rule::ResultXorError => "`result`와 `error` 중 정확히 하나",
        Rule::IdType => "요청과 같은 형식(숫자)의 id",
        Rule::IdUnknown => "보낸 요청의 id",
        Rule::ErrorShape => "정수 `code`와 문자열 `message`를 가진 오류 객체",
        Rule::ResultObject => "JSON 객체인 `result`",
        Rule::ProtocolVersion => {
            "공개된 프로토콜 버전(2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 중 하나)"
        }
        Rule::ServerInfo => "문자열 `name`과 `version`을 가진 `serverInfo` 객체",
        Rule::ServerInfoName => "문자열 `serverInfo.name`",
        Rule::ServerInfoVersion => "문자열 `serverInfo.version`",
        Rule::Capabilities => "`capabilities` 객체",
        Rule::SupportedVersions => "문자열 배열 `supportedVersions`",
        Rule::ResultType => "\"complete\" 또는 \"input_required\"인 `resultType`",
        Rule::ToolsArray => "배열 `tools`",
        Rule::ToolObject => "도구마다 JSON 객체",
        Rule::ToolName => "도구마다 비어 있지 않은 문자열 `name`",
        Rule::InputSchemaMissing => "도구마다 `inputSchema`(최소한 `{\"type\": \"object\"}`)",
        Rule::InputSchemaObject => "JSON 객체인 `inputSchema`",
        Rule::NextCursor => "문자열 `nextCursor`, 또는 생략",
        Rule::ToolContent => "도구 결과의 배열 `content`(또는 `structuredContent`)",
        Rule::IsError => "불리언 `isError`, 또는 생략",
        Rule::ParamHeader => "정수, 문자열, 불리언 속성에 붙은 중복 없는 HTTP 토큰 `x-mcp-header`",
        Rule::SessionId => "보이는 ASCII 문자로 된 세션 ID",
        Rule::EventData => "이벤트 데이터로서의 JSON-RPC 메시지",
        Rule::BodyMessage => "본문으로서의 JSON-RPC 메시지",
    }
}

/// How to keep to it.
pub(super) fn rule_hint(rule: Rule) -> &'static str {
    match rule {
        Rule::JsonRpcVersion | Rule::ResultXorError | Rule::ResultObject | Rule::ErrorShape => {
            "서버가 응답을 만드는 방식을 고치세요. 공식 SDK를 쓰면 올바르게 만들어집니다."
        }
        Rule::IdType | Rule::IdUnknown => "요청의 id를 그대로 돌려보내세요. 숫자는 숫자로 두어야 합니다.",
        Rule::ProtocolVersion => {
            "initialize에는 요청받은 버전을 알면 그 버전으로, 모르면 아는 것 중 가장 새 버전으로 응답하세요."
        }
        Rule::ServerInfo | Rule::ServerInfoName | Rule::ServerInfoVersion => {
            "serverInfo에 서버의 이름과 버전을 넣으세요."
        }
        Rule::Capabilities => "capabilities를 선언하세요. 도구가 있는 서버라면 최소한 {\"tools\": {}}입니다.",
        Rule::SupportedVersions => "server/discover에는 서버가 지원하는 버전으로 응답하세요.",
        Rule::ResultType => "결과의 resultType을 \"complete\"로 하거나 생략하세요.",
        Rule::ToolsArray | Rule::ToolObject | Rule::ToolName => "서버의 도구 목록을 고치세요.",
        Rule::InputSchemaMissing | Rule::InputSchemaObject => {
            "도구마다 inputSchema를 넣으세요. 인자가 없는 도구는 {\"type\": \"object\"}이면 충분합니다."
        }
        Rule::NextCursor => "마지막 페이지에서는 nextCursor를 빼세요.",
        Rule::ToolContent | Rule::IsError => {
            "도구에서 {\"content\": [{\"type\": \"text\", \"text\": …}]}를 반환하세요."
        }
        Rule::ParamHeader => "x-mcp-header 주석을 고치세요. 클라이언트는 이런 도구를 쓸 수 없습니다.",
        Rule::SessionId => "UUID처럼 보이는 ASCII 문자로 된 세션 ID를 발급하세요.",
        Rule::EventData | Rule::BodyMessage => {
            "URL의 경로를 확인하고, 서버가 JSON-RPC 메시지로만 응답하는지 확인하세요."
        }
    }
}
