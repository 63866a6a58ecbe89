//! English.

use std::io::ErrorKind;

use super::{Text, short};
use crate::error::{Detail, ErrorCode, McpError, Phase, ProcessExit, StartProblem};
use crate::target::TargetError;
use crate::wire::version::error_code_meaning;
use crate::wire::{Noise, Rule, Violation};

pub(super) struct English;

impl Text for English {
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

/// What was being done, as the subject of a sentence.
fn answer_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Handshake => "The answer to the handshake",
        Phase::ListTools => "The answer to tools/list",
        Phase::CallTool => "The answer to tools/call",
        _ => "The answer",
    }
}

fn request_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Handshake => "the handshake",
        Phase::ListTools => "tools/list",
        Phase::CallTool => "tools/call",
        _ => "the request",
    }
}

fn detail_message(error: &McpError) -> Option<String> {
    let phase = error.phase;
    Some(match &error.detail {
        Detail::None => return None,
        Detail::JsonRpcError { code, message, .. } => {
            let meaning = error_code_meaning(*code).map_or(String::new(), |meaning| format!(" ({meaning})"));
            format!(
                "The server answered {} with error {code}{meaning}: {}",
                request_of(phase),
                short(message)
            )
        }
        Detail::Protocol(violation) => broken_rule(phase, violation),
        Detail::Exit { exit, .. } => format!("The server process ended {}.", exit_words(*exit)),
        Detail::Timeout { after_ms, waiting_for } => {
            format!("No answer to {waiting_for} within {after_ms} ms.")
        }
        Detail::Io { subject, message, .. } => match error.code {
            ErrorCode::HttpConnectFailed => format!("No connection to {subject}: {message}."),
            _ => format!("{subject}: {message}."),
        },
        Detail::HttpStatus { status, reason, body } => {
            let body = if body.trim().is_empty() { String::new() } else { format!(": {}", short(body)) };
            format!(
                "The server answered {} with HTTP {}{body}",
                request_of(phase),
                status_words(*status, reason)
            )
        }
        Detail::Cursor(cursor) if cursor.is_empty() => {
            "The server gave an empty nextCursor, which asks for the first page again.".to_owned()
        }
        Detail::Cursor(cursor) => {
            format!(
                "The server gave the cursor \"{}\" a second time: its pages go in a circle.",
                short(cursor)
            )
        }
        Detail::Start { subject, problem } => start_message(subject, problem),
        Detail::StdoutNoise { noise, line } => noise_message(*noise, line),
        Detail::StdoutClosed => "The server closed its stdout while its process runs on.".to_owned(),
        Detail::StdinClosed => "The server closed its stdin while its process runs on.".to_owned(),
        Detail::InputRequired(methods) => {
            format!("The server asks for input ({}) before it gives a result.", listed(methods, "no request"))
        }
        Detail::StreamEnded(method) => {
            format!("The connection ended before the answer to {method} came.")
        }
        Detail::Redirect { status, location } => {
            format!("The server redirects (HTTP {status}) to {location}.")
        }
        Detail::ContentType(seen) if seen.is_empty() => {
            format!("{} has no Content-Type: it is neither JSON nor an event stream.", answer_of(phase))
        }
        Detail::ContentType(seen) => {
            format!("{} is \"{}\": neither JSON nor an event stream.", answer_of(phase), short(seen))
        }
        Detail::TooLarge { limit } => format!("{} is larger than {limit} bytes.", answer_of(phase)),
        Detail::Dns { host, message } => format!("No address for the host {host}: {message}."),
        Detail::Tls { host, message } => format!("No TLS connection to {host}: {message}."),
        Detail::VersionUnsupported { requested, supported } => format!(
            "No common protocol version: mcpeak asked for {requested}, the server supports {}.",
            listed(supported, "none that it names")
        ),
        Detail::TooDeep { limit } => format!("The arguments nest deeper than {limit} levels."),
        Detail::TooManyPages { limit } => format!("The server gave more than {limit} pages of tools."),
        Detail::Closed => "The connection was closed already.".to_owned(),
        Detail::Unsupported(method) => format!("This kind of connection cannot send {method}."),
        Detail::Unsendable(message) => format!("The request cannot be written as HTTP: {message}."),
        Detail::Message(message) => message.clone(),
    })
}

fn broken_rule(phase: Phase, violation: &Violation) -> String {
    let Violation { path, expected, seen, .. } = violation;
    let place = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
    format!("{} breaks the protocol{place}: expected {expected}, seen {seen}.", answer_of(phase))
}

fn noise_message(noise: Noise, line: &str) -> String {
    let line = short(line);
    match noise {
        Noise::Text => format!(
            "The server wrote a line on stdout that is no JSON-RPC message, but a banner or log line: {line}"
        ),
        Noise::BrokenJson => {
            format!("The server wrote a line on stdout that begins like JSON and is broken: {line}")
        }
        Noise::NotJsonRpc => format!("The server wrote JSON on stdout that is no JSON-RPC message: {line}"),
        Noise::NotUtf8 => format!("The server wrote a line on stdout that is not UTF-8: {line}"),
        Noise::TooLong => {
            format!("The server wrote a line on stdout that is over the limit of 10 MiB: {line}")
        }
        Noise::TooDeep => {
            format!("The server wrote JSON on stdout that nests deeper than 128 levels: {line}")
        }
    }
}

fn start_message(subject: &str, problem: &StartProblem) -> String {
    match problem {
        StartProblem::NotFound => format!("There is no executable \"{subject}\"."),
        StartProblem::NotExecutable => format!("\"{subject}\" may not be executed."),
        StartProblem::IsDirectory => format!("\"{subject}\" is a directory, not an executable."),
        StartProblem::InterpreterMissing => {
            format!("The interpreter named in the first line of \"{subject}\" is missing.")
        }
        StartProblem::WorkingDirectoryMissing => {
            format!("There is no directory \"{subject}\" to start the server in.")
        }
        StartProblem::WorkingDirectoryNotADirectory => {
            format!("\"{subject}\", where the server should start, is not a directory.")
        }
        StartProblem::NeedsShell => format!("\"{subject}\" is a batch file, which only a shell can run."),
        StartProblem::Other(message) => format!("\"{subject}\" could not be started: {message}."),
    }
}

fn start_hint(problem: &StartProblem) -> &'static str {
    match problem {
        StartProblem::NotFound => {
            "Check the spelling, install it, or give its full path; no shell is used, so aliases do not work."
        }
        StartProblem::NotExecutable => {
            "Make it executable (chmod +x), or start it through its interpreter: `-- python3 server.py`."
        }
        StartProblem::IsDirectory => {
            "Name the executable inside it, or start an interpreter: `-- node server/index.js`."
        }
        StartProblem::InterpreterMissing => {
            "Install the interpreter, correct the first line of the file (also its line ends), or start it through an interpreter."
        }
        StartProblem::WorkingDirectoryMissing | StartProblem::WorkingDirectoryNotADirectory => {
            "Correct --cwd (or `cwd` in the configuration file)."
        }
        StartProblem::NeedsShell => "Start the program that it calls instead, for example `-- node …`.",
        StartProblem::Other(_) => {
            "Try the command in a terminal; the message of the system says what is missing."
        }
    }
}

fn exit_words(exit: ProcessExit) -> String {
    match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("by signal {signal}"),
        (Some(code), None) => format!("with exit code {code}"),
        (None, None) => "without an exit code".to_owned(),
    }
}

fn status_words(status: u16, reason: &str) -> String {
    if reason.is_empty() { status.to_string() } else { format!("{status} {reason}") }
}

fn listed(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { names.join(", ") }
}

fn detail_hint(error: &McpError) -> Option<String> {
    let hint = match &error.detail {
        Detail::Start { problem, .. } => start_hint(problem),
        Detail::Exit { stderr_empty: true, .. } => {
            "It wrote nothing to stderr. Start the same command in a terminal; a missing argument or variable (--env NAME) is the usual reason."
        }
        Detail::Exit { stderr_empty: false, .. } => {
            "Its last lines on stderr say why; a missing argument or variable (--env NAME) is the usual reason."
        }
        Detail::StdoutNoise { noise: Noise::TooLong | Noise::TooDeep, .. } | Detail::TooLarge { .. } => {
            "Make the answers of the server smaller, for example by pages."
        }
        Detail::StdoutNoise { noise: Noise::BrokenJson, .. } => {
            "stdout belongs to the protocol: one whole JSON message a line. Write each message in one piece, and log to stderr (console.error, print(..., file=sys.stderr))."
        }
        Detail::StdoutNoise { .. } => {
            "stdout belongs to the protocol. Print banners and logs to stderr (console.error, print(..., file=sys.stderr)); also look for libraries that log to stdout."
        }
        Detail::StdoutClosed | Detail::StdinClosed => {
            "Keep stdin and stdout open as long as the server runs."
        }
        Detail::Protocol(violation) => rule_hint(violation.rule),
        Detail::JsonRpcError { code: -32601, .. } => {
            "The server does not have this method: check which capabilities it declares."
        }
        Detail::JsonRpcError { code: -32602, .. } => {
            "The server refuses the parameters: compare them with the tool's input schema."
        }
        Detail::JsonRpcError { .. } if error.phase == Phase::Handshake => {
            "Look at the server's log; --era legacy or --era modern sends only that handshake."
        }
        Detail::InputRequired(_) => {
            "Give the tool everything it needs as arguments; a test run answers no questions."
        }
        Detail::StreamEnded(_) => {
            "Look at the server's log: it, or a proxy before it, closed the connection early."
        }
        Detail::Redirect { .. } => {
            "Redirects are not followed. Use the final URL, often the one with or without the last slash, or https."
        }
        Detail::ContentType(_) => {
            "Check the path of the URL, usually /mcp: a web page or another service may answer there."
        }
        Detail::Dns { .. } => {
            "Check the spelling of the host, and whether this machine or container can resolve it."
        }
        Detail::Tls { .. } => {
            "Check that the port speaks TLS and that its certificate is valid for this host; trust a private CA with SSL_CERT_FILE."
        }
        Detail::VersionUnsupported { .. } => "Let --era be auto, or update the server's SDK.",
        Detail::Io { kind: ErrorKind::ConnectionRefused, .. } => "Start the server, and check host and port.",
        Detail::Io { kind: ErrorKind::TimedOut, .. } => {
            "Check host and port, and whether a firewall drops the packets."
        }
        Detail::HttpStatus { status: 404, .. } => "Check the path of the URL, usually /mcp.",
        Detail::HttpStatus { status: 405, .. } => {
            "The URL does not take POST: check its path; the old HTTP+SSE transport is not supported."
        }
        Detail::HttpStatus { status: 500.., .. } => "The server failed: look at its log.",
        Detail::Unsupported(_) => "Use a server over stdio or HTTP for it.",
        Detail::Unsendable(_) => "Check the names and values of the headers, and the name of the tool.",
        Detail::TooManyPages { .. } => "Let the server end its list by leaving nextCursor out.",
        _ => return None,
    };
    // Losing the session says more than the status that told it.
    match error.code {
        ErrorCode::HttpSessionLost | ErrorCode::HttpUnauthorized => None,
        _ => Some(hint.to_owned()),
    }
}

fn rule_hint(rule: Rule) -> &'static str {
    match rule {
        Rule::JsonRpcVersion | Rule::ResultXorError | Rule::ResultObject | Rule::ErrorShape => {
            "Correct how the server builds its replies; an official SDK does it right."
        }
        Rule::IdType | Rule::IdUnknown => {
            "Send the id of the request back unchanged: a number stays a number."
        }
        Rule::ProtocolVersion => {
            "Answer initialize with the version asked for if the server knows it, else with the newest that it knows."
        }
        Rule::ServerInfo | Rule::ServerInfoName | Rule::ServerInfoVersion => {
            "Give the server a name and a version in serverInfo."
        }
        Rule::Capabilities => "Declare capabilities, at least {\"tools\": {}} for a server with tools.",
        Rule::SupportedVersions => "Answer server/discover with the versions that the server speaks.",
        Rule::ResultType => "Give results the resultType \"complete\", or leave it out.",
        Rule::ToolsArray | Rule::ToolObject | Rule::ToolName => "Correct the tool list of the server.",
        Rule::InputSchemaMissing | Rule::InputSchemaObject => {
            "Give each tool an inputSchema; for a tool without arguments {\"type\": \"object\"} is enough."
        }
        Rule::NextCursor => "Leave nextCursor out on the last page.",
        Rule::ToolContent | Rule::IsError => {
            "Return {\"content\": [{\"type\": \"text\", \"text\": …}]} from the tool."
        }
        Rule::ParamHeader => "Correct the x-mcp-header annotations: clients must not offer this tool.",
        Rule::SessionId => "Issue session ids of visible ASCII characters, such as a UUID.",
        Rule::EventData | Rule::BodyMessage => {
            "Check the path of the URL, and that the server answers with JSON-RPC messages only."
        }
    }
}

fn code_message(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ProcessStartFailed => "The server process could not be started.",
        ErrorCode::HandshakeTimeout | ErrorCode::HttpHandshakeTimeout => {
            "The server did not answer the handshake in time."
        }
        ErrorCode::HandshakeFailed => "The handshake with the server failed.",
        ErrorCode::ProcessExited => "The server process ended.",
        ErrorCode::TransportFailed => "The connection to the server broke.",
        ErrorCode::OperationFailed => "The request failed.",
        ErrorCode::OperationTimeout => "The server did not answer in time.",
        ErrorCode::InvalidToolArguments => "The arguments cannot be sent.",
        ErrorCode::PaginationCursorRepeated => "The pages of the server go in a circle.",
        ErrorCode::CloseFailed => "The connection could not be closed in order.",
        ErrorCode::ForceCloseFailed => "The server process could not be killed.",
        ErrorCode::ForceCloseTimeout => "The server process did not end even after SIGKILL.",
        ErrorCode::HttpConnectFailed => "No HTTP connection to the server.",
        ErrorCode::HttpStatusError => "The server answered with an HTTP status that is no answer.",
        ErrorCode::HttpUnauthorized => "The server refuses access.",
        ErrorCode::HttpResponseInvalid => "The HTTP response is no answer.",
        ErrorCode::HttpSessionLost => "The server does not know the session any more.",
    }
}

fn code_hint(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ProcessStartFailed => "Try the command in a terminal.",
        ErrorCode::HandshakeTimeout => {
            "Check that the command starts an MCP server over stdio; a first start that downloads may need a longer --connect-timeout."
        }
        ErrorCode::HttpHandshakeTimeout => "Check the URL, or give it more time with --connect-timeout.",
        ErrorCode::HandshakeFailed => "Check that the command or URL is that of an MCP server.",
        ErrorCode::ProcessExited => "Start the same command in a terminal to see why it ends.",
        ErrorCode::TransportFailed => "Look at the server's log: it ended the connection.",
        ErrorCode::OperationFailed => "Look at the server's log.",
        ErrorCode::OperationTimeout => {
            "Give the case a larger timeoutMs, or look for what the server waits for."
        }
        ErrorCode::InvalidToolArguments => "Make the arguments flatter.",
        ErrorCode::PaginationCursorRepeated => {
            "Let each page name the next one, and the last page none: leave nextCursor out there."
        }
        ErrorCode::CloseFailed | ErrorCode::ForceCloseFailed | ErrorCode::ForceCloseTimeout => {
            "Look for what is left of the server among the processes, and end it by hand."
        }
        ErrorCode::HttpConnectFailed => "Start the server, and check host and port.",
        ErrorCode::HttpStatusError => "Check the URL and look at the server's log.",
        ErrorCode::HttpUnauthorized => {
            "Give credentials with --header-env, for example --header-env Authorization=TOKEN, and check that they are valid."
        }
        ErrorCode::HttpResponseInvalid => "Check that the URL is that of an MCP server over Streamable HTTP.",
        ErrorCode::HttpSessionLost => {
            "The server restarted or its session expired: look at its log and run again."
        }
    }
}

fn target_message(error: &TargetError) -> String {
    match error {
        TargetError::Url { reason } => format!("The server URL is not valid: {reason}."),
        TargetError::UrlScheme { scheme } => {
            format!("The server URL begins with \"{scheme}:\"; only http and https are spoken.")
        }
        TargetError::UrlUserInfo => "The server URL holds a user name or password.".to_owned(),
        TargetError::UrlFragment => "The server URL has a fragment (#…).".to_owned(),
        TargetError::Read { path, message, .. } => {
            format!("{} could not be read: {message}.", path.display())
        }
        TargetError::Json { path, line, column, message } => {
            format!("{}:{line}:{column} is not JSON: {message}.", path.display())
        }
        TargetError::NoServers { path } => format!("{} has neither mcpServers nor servers.", path.display()),
        TargetError::UnknownServer { name, known, .. } => {
            format!("There is no server \"{name}\"; the file has {}.", listed(known, "none"))
        }
        TargetError::Entry { server, member, expected } if member.is_empty() => {
            format!("The entry of the server \"{server}\" must be {expected}.")
        }
        TargetError::Entry { server, member, expected } => {
            format!("`{member}` of the server \"{server}\" must be {expected}.")
        }
        TargetError::Transport { server, transport } => {
            format!(
                "The server \"{server}\" uses the transport \"{transport}\", which mcpeak does not speak."
            )
        }
        TargetError::Unset { server, member, variable } => {
            format!("`{member}` of the server \"{server}\" needs the variable {variable}, which is not set.")
        }
        TargetError::Placeholder { server, member, placeholder } => {
            format!(
                "`{member}` of the server \"{server}\" holds {placeholder}, which only an editor can fill in."
            )
        }
        TargetError::Header { name } => {
            format!("The header \"{name}\" has a name or value that HTTP does not allow.")
        }
    }
}

fn target_hint(error: &TargetError) -> String {
    match error {
        TargetError::Url { .. } => "Give a whole URL, for example http://localhost:3000/mcp.".to_owned(),
        TargetError::UrlScheme { .. } => {
            "Use the http or https URL of the Streamable HTTP endpoint.".to_owned()
        }
        TargetError::UrlUserInfo => {
            "Leave it out, and give it as a header: --header-env Authorization=NAME.".to_owned()
        }
        TargetError::UrlFragment => "Leave the fragment out: it is never sent.".to_owned(),
        TargetError::Read { kind: ErrorKind::NotFound, .. } => "Check the path of --mcp-config.".to_owned(),
        TargetError::Read { .. } => "Check the path of --mcp-config and who may read the file.".to_owned(),
        TargetError::Json { .. } => {
            "Correct the file there. Comments and trailing commas are allowed.".to_owned()
        }
        TargetError::NoServers { .. } => {
            "Use a file with {\"mcpServers\": {\"NAME\": {\"command\": …}}}.".to_owned()
        }
        TargetError::UnknownServer { nearest: Some(nearest), .. } => {
            format!("Did you mean --server {nearest}?")
        }
        TargetError::UnknownServer { .. } => "Name one of them with --server.".to_owned(),
        TargetError::Entry { .. } => "Correct the entry in the file.".to_owned(),
        TargetError::Transport { .. } => {
            "Use stdio or http; the old HTTP+SSE transport is not supported.".to_owned()
        }
        TargetError::Unset { variable, .. } => format!("Set {variable} in the environment of mcpeak."),
        TargetError::Placeholder { .. } => "Write ${NAME} instead, and set the variable NAME.".to_owned(),
        TargetError::Header { .. } => {
            "Correct the header; line breaks and control characters are not allowed.".to_owned()
        }
    }
}
