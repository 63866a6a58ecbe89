//! Korean.

use std::io::ErrorKind;

use super::ko_rules::{rule_expected, rule_hint};
use super::{Text, short};
use crate::error::{Detail, ErrorCode, McpError, Phase, ProcessExit, StartProblem};
use crate::target::TargetError;
use crate::wire::{ABSENT, Noise, Violation};

pub(super) struct Korean;

impl Text for Korean {
    fn error_message(&self, error: &McpError) -> String {
        detail_message(error).unwrap_or_else(|| code_message(error.code).to_owned())
    }

    fn error_hint(&self, error: &McpError) -> String {
        detail_hint(error).unwrap_or_else(|| code_hint(error.code).to_owned())
    }

    fn target_message(&self, error: &TargetError) -> String {
        target_message(error)
    }

    fn target_hint(&self, error: &TargetError) -> String {
        target_hint(error)
    }
}

fn request_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Handshake => "핸드셰이크",
        Phase::ListTools => "tools/list",
        Phase::CallTool => "tools/call",
        _ => "요청",
    }
}

fn detail_message(error: &McpError) -> Option<String> {
    let request = request_of(error.phase);
    Some(match &error.detail {
        Detail::None => return None,
        Detail::JsonRpcError { code, message, .. } => {
            format!("서버가 {request}에 오류 {code}(으)로 응답했습니다: {}", short(message))
        }
        Detail::Protocol(violation) => broken_rule(request, violation),
        Detail::Exit { exit, .. } => format!("서버 프로세스가 종료되었습니다({}).", exit_words(*exit)),
        Detail::Timeout { after_ms, waiting_for } => {
            format!("{after_ms}ms 안에 {waiting_for}에 대한 응답이 오지 않았습니다.")
        }
        Detail::Io { subject, message, .. } => match error.code {
            ErrorCode::HttpConnectFailed => format!("{subject}에 연결하지 못했습니다: {message}"),
            _ => format!("{subject}에서 오류가 발생했습니다: {message}"),
        },
        Detail::HttpStatus { status, reason, body } => {
            let body = if body.trim().is_empty() { ".".to_owned() } else { format!(": {}", short(body)) };
            let status = format!("{status} {reason}");
            format!("서버가 {request}에 HTTP {}(으)로 응답했습니다{body}", status.trim())
        }
        Detail::Cursor(cursor) if cursor.is_empty() => {
            "서버가 빈 nextCursor를 보냈습니다. 이는 첫 페이지를 다시 요청하라는 뜻이 됩니다.".to_owned()
        }
        Detail::Cursor(cursor) => {
            format!("서버가 커서 \"{}\"을(를) 두 번 보냈습니다. 페이지가 순환합니다.", short(cursor))
        }
        Detail::Start { subject, problem } => start_message(subject, problem),
        Detail::StdoutNoise { noise, line } => noise_message(*noise, line),
        Detail::StdoutClosed => "서버 프로세스는 살아 있지만 stdout을 닫았습니다.".to_owned(),
        Detail::StdinClosed => "서버 프로세스는 살아 있지만 stdin을 닫았습니다.".to_owned(),
        Detail::InputRequired(methods) => {
            format!("서버가 결과를 주기 전에 입력을 요구합니다({}).", listed(methods, "요청 없음"))
        }
        Detail::StreamEnded(method) => format!("{method}에 대한 응답이 오기 전에 연결이 끝났습니다."),
        Detail::Redirect { status, location } => {
            format!("서버가 {location}(으)로 리디렉션합니다(HTTP {status}).")
        }
        Detail::ContentType(seen) if seen.is_empty() => {
            format!("{request} 응답에 Content-Type이 없습니다. JSON도 이벤트 스트림도 아닙니다.")
        }
        Detail::ContentType(seen) => {
            format!("{request} 응답의 형식이 \"{}\"입니다. JSON도 이벤트 스트림도 아닙니다.", short(seen))
        }
        Detail::TooLarge { limit } => format!("{request} 응답이 {limit}바이트를 넘습니다."),
        Detail::Dns { host, message } => format!("호스트 {host}의 주소를 찾지 못했습니다: {message}"),
        Detail::Tls { host, message } => format!("{host}와(과) TLS로 연결하지 못했습니다: {message}"),
        Detail::VersionUnsupported { requested, supported } => format!(
            "함께 지원하는 프로토콜 버전이 없습니다. mcpeak의 요청: {requested}, 서버의 지원 버전: {}.",
            listed(supported, "알려 주지 않음")
        ),
        Detail::TooDeep { limit } => format!("인자의 중첩이 {limit}단계를 넘습니다."),
        Detail::TooManyPages { limit } => format!("서버의 도구 목록이 {limit}페이지를 넘습니다."),
        Detail::Closed => "연결이 이미 닫혔습니다.".to_owned(),
        Detail::Unsupported(method) => format!("이 연결로는 {method}을(를) 보낼 수 없습니다."),
        Detail::Unsendable(message) => format!("요청을 HTTP로 쓸 수 없습니다: {message}"),
        Detail::Message(message) => message.clone(),
    })
}

fn broken_rule(request: &str, violation: &Violation) -> String {
    let place = if violation.path.is_empty() { String::new() } else { format!(" (`{}`)", violation.path) };
    let seen = if violation.seen == ABSENT { "없음" } else { violation.seen.as_str() };
    let expected = rule_expected(violation.rule);
    format!("{request} 응답이 프로토콜에 어긋납니다{place}. 필요한 것: {expected}. 실제: {seen}.")
}

fn noise_message(noise: Noise, line: &str) -> String {
    let what = match noise {
        Noise::Text => "JSON-RPC 메시지가 아닌 줄(배너나 로그로 보입니다)을",
        Noise::BrokenJson => "JSON처럼 시작하지만 깨진 줄을",
        Noise::NotJsonRpc => "JSON-RPC 메시지가 아닌 JSON을",
        Noise::NotUtf8 => "UTF-8이 아닌 줄을",
        Noise::TooLong => "상한 10MiB를 넘는 줄을",
        Noise::TooDeep => "중첩이 128단계를 넘는 JSON을",
    };
    format!("서버가 stdout에 {what} 출력했습니다: {}", short(line))
}

fn start_message(subject: &str, problem: &StartProblem) -> String {
    match problem {
        StartProblem::NotFound => format!("실행 파일 \"{subject}\"을(를) 찾을 수 없습니다."),
        StartProblem::NotExecutable => format!("\"{subject}\"에 실행 권한이 없습니다."),
        StartProblem::IsDirectory => format!("\"{subject}\"은(는) 실행 파일이 아니라 디렉터리입니다."),
        StartProblem::InterpreterMissing => {
            format!("\"{subject}\"의 첫 줄에 적힌 인터프리터를 찾을 수 없습니다.")
        }
        StartProblem::WorkingDirectoryMissing => {
            format!("서버를 시작할 디렉터리 \"{subject}\"이(가) 없습니다.")
        }
        StartProblem::WorkingDirectoryNotADirectory => {
            format!("서버를 시작할 위치 \"{subject}\"은(는) 디렉터리가 아닙니다.")
        }
        StartProblem::NeedsShell => format!("\"{subject}\"은(는) 셸이 있어야 실행되는 배치 파일입니다."),
        StartProblem::Other(message) => format!("\"{subject}\"을(를) 시작하지 못했습니다: {message}"),
    }
}

fn start_hint(problem: &StartProblem) -> &'static str {
    match problem {
        StartProblem::NotFound => {
            "철자를 확인하고, 설치하거나 전체 경로를 지정하세요. 셸을 거치지 않으므로 별칭은 쓸 수 없습니다."
        }
        StartProblem::NotExecutable => {
            "실행 권한을 주거나(chmod +x) 인터프리터로 실행하세요: `-- python3 server.py`."
        }
        StartProblem::IsDirectory => {
            "그 안의 실행 파일을 지정하거나 인터프리터로 실행하세요: `-- node server/index.js`."
        }
        StartProblem::InterpreterMissing => {
            "인터프리터를 설치하거나, 파일의 첫 줄(줄바꿈 문자 포함)을 고치거나, 인터프리터로 직접 실행하세요."
        }
        StartProblem::WorkingDirectoryMissing | StartProblem::WorkingDirectoryNotADirectory => {
            "--cwd(또는 설정 파일의 `cwd`)를 고치세요."
        }
        StartProblem::NeedsShell => "배치 파일이 부르는 프로그램을 직접 실행하세요. 예: `-- node …`.",
        StartProblem::Other(_) => "같은 명령을 터미널에서 실행해 보세요. 시스템 메시지가 원인을 알려 줍니다.",
    }
}

fn exit_words(exit: ProcessExit) -> String {
    match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("시그널 {signal}"),
        (Some(code), None) => format!("종료 코드 {code}"),
        (None, None) => "종료 코드 없음".to_owned(),
    }
}

fn listed(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { names.join(", ") }
}

fn detail_hint(error: &McpError) -> Option<String> {
    let hint = match &error.detail {
        Detail::Start { problem, .. } => start_hint(problem),
        Detail::Exit { stderr_empty: true, .. } => {
            "stderr 출력이 없습니다. 같은 명령을 터미널에서 실행해 보세요. 빠진 인자나 환경 변수(--env NAME)가 흔한 원인입니다."
        }
        Detail::Exit { stderr_empty: false, .. } => {
            "stderr의 마지막 줄에서 원인을 확인하세요. 빠진 인자나 환경 변수(--env NAME)가 흔한 원인입니다."
        }
        Detail::StdoutNoise { noise: Noise::TooLong | Noise::TooDeep, .. } | Detail::TooLarge { .. } => {
            "페이지를 나누는 등 서버의 응답을 줄이세요."
        }
        Detail::StdoutNoise { noise: Noise::BrokenJson, .. } => {
            "stdout은 프로토콜 전용이며 한 줄에 온전한 JSON 메시지 하나만 씁니다. 메시지를 나누어 쓰지 말고, 로그는 stderr로 출력하세요(console.error, print(..., file=sys.stderr))."
        }
        Detail::StdoutNoise { .. } => {
            "stdout은 프로토콜 전용입니다. 배너와 로그는 stderr로 출력하고(console.error, print(..., file=sys.stderr)), stdout에 로그를 남기는 라이브러리가 없는지도 확인하세요."
        }
        Detail::StdoutClosed | Detail::StdinClosed => "서버가 실행되는 동안 stdin과 stdout을 열어 두세요.",
        Detail::Protocol(violation) => rule_hint(violation.rule),
        Detail::JsonRpcError { code: -32601, .. } => {
            "서버에 없는 메서드입니다. 서버가 선언한 capabilities를 확인하세요."
        }
        Detail::JsonRpcError { code: -32602, .. } => {
            "서버가 매개변수를 거부했습니다. 도구의 inputSchema와 비교하세요."
        }
        Detail::JsonRpcError { .. } if error.phase == Phase::Handshake => {
            "서버 로그를 확인하세요. --era legacy 또는 --era modern을 주면 해당 핸드셰이크만 보냅니다."
        }
        Detail::InputRequired(_) => {
            "도구에 필요한 값을 모두 인자로 주세요. 테스트 실행은 질문에 답하지 않습니다."
        }
        Detail::StreamEnded(_) => "서버 로그를 확인하세요. 서버나 그 앞의 프록시가 연결을 일찍 닫았습니다.",
        Detail::Redirect { .. } => {
            "리디렉션은 따라가지 않습니다. 최종 URL을 쓰세요. 끝의 슬래시나 https 여부가 흔한 원인입니다."
        }
        Detail::ContentType(_) => {
            "URL의 경로(보통 /mcp)를 확인하세요. 웹 페이지나 다른 서비스가 응답했을 수 있습니다."
        }
        Detail::Dns { .. } => {
            "호스트 철자를 확인하고, 이 컴퓨터나 컨테이너에서 이름을 풀 수 있는지 확인하세요."
        }
        Detail::Tls { .. } => {
            "포트가 TLS를 쓰는지, 인증서가 이 호스트에 유효한지 확인하세요. 사설 CA는 SSL_CERT_FILE로 신뢰시키세요."
        }
        Detail::VersionUnsupported { .. } => "--era를 auto로 두거나 서버의 SDK를 업데이트하세요.",
        Detail::Io { kind: ErrorKind::ConnectionRefused, .. } => {
            "서버를 시작하고 호스트와 포트를 확인하세요."
        }
        Detail::Io { kind: ErrorKind::TimedOut, .. } => {
            "호스트와 포트를 확인하고, 방화벽이 막고 있지 않은지 확인하세요."
        }
        Detail::HttpStatus { status: 404, .. } => "URL의 경로(보통 /mcp)를 확인하세요.",
        Detail::HttpStatus { status: 405, .. } => {
            "이 URL은 POST를 받지 않습니다. 경로를 확인하세요. 예전 HTTP+SSE 방식은 지원하지 않습니다."
        }
        Detail::HttpStatus { status: 500.., .. } => "서버가 실패했습니다. 서버 로그를 확인하세요.",
        Detail::Unsupported(_) => "stdio나 HTTP 서버를 대상으로 지정하세요.",
        Detail::Unsendable(_) => "헤더의 이름과 값, 도구 이름을 확인하세요.",
        Detail::TooManyPages { .. } => "마지막 페이지에서는 nextCursor를 빼도록 서버를 고치세요.",
        _ => return None,
    };
    match error.code {
        ErrorCode::HttpSessionLost | ErrorCode::HttpUnauthorized => None,
        _ => Some(hint.to_owned()),
    }
}

fn code_message(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ProcessStartFailed => "서버 프로세스를 시작하지 못했습니다.",
        ErrorCode::HandshakeTimeout | ErrorCode::HttpHandshakeTimeout => {
            "서버가 제한 시간 안에 핸드셰이크에 응답하지 않았습니다."
        }
        ErrorCode::HandshakeFailed => "서버와의 핸드셰이크에 실패했습니다.",
        ErrorCode::ProcessExited => "서버 프로세스가 종료되었습니다.",
        ErrorCode::TransportFailed => "서버와의 연결이 끊어졌습니다.",
        ErrorCode::OperationFailed => "요청이 실패했습니다.",
        ErrorCode::OperationTimeout => "서버가 제한 시간 안에 응답하지 않았습니다.",
        ErrorCode::InvalidToolArguments => "보낼 수 없는 인자입니다.",
        ErrorCode::PaginationCursorRepeated => "서버의 페이지가 순환합니다.",
        ErrorCode::CloseFailed => "연결을 정상적으로 닫지 못했습니다.",
        ErrorCode::ForceCloseFailed => "서버 프로세스를 강제 종료하지 못했습니다.",
        ErrorCode::ForceCloseTimeout => "SIGKILL 후에도 서버 프로세스가 끝나지 않았습니다.",
        ErrorCode::HttpConnectFailed => "서버에 HTTP로 연결하지 못했습니다.",
        ErrorCode::HttpStatusError => "서버가 응답이 아닌 HTTP 상태를 보냈습니다.",
        ErrorCode::HttpUnauthorized => "서버가 접근을 거부했습니다.",
        ErrorCode::HttpResponseInvalid => "HTTP 응답이 올바른 응답이 아닙니다.",
        ErrorCode::HttpSessionLost => "서버가 더 이상 이 세션을 알지 못합니다.",
    }
}

fn code_hint(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ProcessStartFailed => "같은 명령을 터미널에서 실행해 보세요.",
        ErrorCode::HandshakeTimeout => {
            "명령이 stdio MCP 서버를 시작하는지 확인하세요. 처음 실행할 때 다운로드가 있다면 --connect-timeout을 늘리세요."
        }
        ErrorCode::HttpHandshakeTimeout => "URL을 확인하거나 --connect-timeout을 늘리세요.",
        ErrorCode::HandshakeFailed => "명령이나 URL이 MCP 서버의 것인지 확인하세요.",
        ErrorCode::ProcessExited => "같은 명령을 터미널에서 실행해 종료 원인을 확인하세요.",
        ErrorCode::TransportFailed => "서버 로그를 확인하세요. 서버가 연결을 끊었습니다.",
        ErrorCode::OperationFailed => "서버 로그를 확인하세요.",
        ErrorCode::OperationTimeout => "케이스의 timeoutMs를 늘리거나 서버가 무엇을 기다리는지 확인하세요.",
        ErrorCode::InvalidToolArguments => "인자의 중첩을 줄이세요.",
        ErrorCode::PaginationCursorRepeated => {
            "각 페이지가 다음 페이지를 가리키게 하고, 마지막 페이지에서는 nextCursor를 빼세요."
        }
        ErrorCode::CloseFailed | ErrorCode::ForceCloseFailed | ErrorCode::ForceCloseTimeout => {
            "남아 있는 서버 프로세스를 찾아 직접 종료하세요."
        }
        ErrorCode::HttpConnectFailed => "서버를 시작하고 호스트와 포트를 확인하세요.",
        ErrorCode::HttpStatusError => "URL과 서버 로그를 확인하세요.",
        ErrorCode::HttpUnauthorized => {
            "--header-env로 인증 정보를 주고(예: --header-env Authorization=TOKEN) 값이 유효한지 확인하세요."
        }
        ErrorCode::HttpResponseInvalid => "URL이 Streamable HTTP MCP 서버의 것인지 확인하세요.",
        ErrorCode::HttpSessionLost => {
            "서버가 다시 시작되었거나 세션이 만료되었습니다. 서버 로그를 확인하고 다시 실행하세요."
        }
    }
}

fn target_message(error: &TargetError) -> String {
    match error {
        TargetError::Url { reason } => format!("서버 URL이 올바르지 않습니다: {reason}"),
        TargetError::UrlScheme { scheme } => {
            format!("서버 URL이 \"{scheme}:\"으로 시작합니다. http와 https만 쓸 수 있습니다.")
        }
        TargetError::UrlUserInfo => "서버 URL에 사용자 이름이나 비밀번호가 들어 있습니다.".to_owned(),
        TargetError::UrlFragment => "서버 URL에 프래그먼트(#…)가 있습니다.".to_owned(),
        TargetError::Read { path, message, .. } => {
            format!("{} 파일을 읽지 못했습니다: {message}", path.display())
        }
        TargetError::Json { path, line, column, message } => {
            format!("{}:{line}:{column} 위치가 올바른 JSON이 아닙니다: {message}", path.display())
        }
        TargetError::NoServers { path } => {
            format!("{} 파일에 mcpServers도 servers도 없습니다.", path.display())
        }
        TargetError::UnknownServer { name, known, .. } => {
            format!("서버 \"{name}\"이(가) 없습니다. 파일에 있는 서버: {}.", listed(known, "없음"))
        }
        TargetError::Entry { server, member, expected } => {
            let member = if member.is_empty() { "항목".to_owned() } else { format!("`{member}`") };
            format!("서버 \"{server}\"의 {member}은(는) {}이어야 합니다.", expected_words(expected))
        }
        TargetError::Transport { server, transport } => {
            format!("서버 \"{server}\"의 전송 방식 \"{transport}\"은(는) 지원하지 않습니다.")
        }
        TargetError::Unset { server, member, variable } => {
            format!(
                "서버 \"{server}\"의 `{member}`에 필요한 환경 변수 {variable}이(가) 설정되어 있지 않습니다."
            )
        }
        TargetError::Placeholder { server, member, placeholder } => {
            format!("서버 \"{server}\"의 `{member}`에 있는 {placeholder}은(는) 편집기만 채울 수 있습니다.")
        }
        TargetError::Header { name } => format!("헤더 \"{name}\"의 이름이나 값은 HTTP에서 쓸 수 없습니다."),
    }
}

fn expected_words(expected: &str) -> &str {
    match expected {
        "a text" => "문자열",
        "a text that is not empty" => "비어 있지 않은 문자열",
        "an array of texts" => "문자열 배열",
        "an object of texts" => "문자열 값만 가진 객체",
        "an object with `command` or `url`" => "`command` 또는 `url`이 있는 객체",
        other => other,
    }
}

fn target_hint(error: &TargetError) -> String {
    match error {
        TargetError::Url { .. } => "전체 URL을 지정하세요. 예: http://localhost:3000/mcp".to_owned(),
        TargetError::UrlScheme { .. } => {
            "Streamable HTTP 엔드포인트의 http 또는 https URL을 쓰세요.".to_owned()
        }
        TargetError::UrlUserInfo => "URL에서 빼고 헤더로 주세요: --header-env Authorization=NAME".to_owned(),
        TargetError::UrlFragment => "프래그먼트는 전송되지 않으므로 빼세요.".to_owned(),
        TargetError::Read { kind: ErrorKind::NotFound, .. } => "--mcp-config의 경로를 확인하세요.".to_owned(),
        TargetError::Read { .. } => "--mcp-config의 경로와 파일의 읽기 권한을 확인하세요.".to_owned(),
        TargetError::Json { .. } => "파일의 해당 위치를 고치세요. 주석과 끝의 쉼표는 허용됩니다.".to_owned(),
        TargetError::NoServers { .. } => {
            "{\"mcpServers\": {\"NAME\": {\"command\": …}}} 형식의 파일을 쓰세요.".to_owned()
        }
        TargetError::UnknownServer { nearest: Some(nearest), .. } => {
            format!("--server {nearest}을(를) 뜻하셨나요?")
        }
        TargetError::UnknownServer { .. } => "--server로 그중 하나를 지정하세요.".to_owned(),
        TargetError::Entry { .. } => "파일의 해당 항목을 고치세요.".to_owned(),
        TargetError::Transport { .. } => {
            "stdio나 http를 쓰세요. 예전 HTTP+SSE 방식은 지원하지 않습니다.".to_owned()
        }
        TargetError::Unset { variable, .. } => {
            format!("mcpeak를 실행하는 환경에 {variable}을(를) 설정하세요.")
        }
        TargetError::Placeholder { .. } => "대신 ${NAME}을 쓰고 환경 변수 NAME을 설정하세요.".to_owned(),
        TargetError::Header { .. } => "헤더를 고치세요. 줄바꿈과 제어 문자는 쓸 수 없습니다.".to_owned(),
    }
}
