//! What can go wrong between mcpeak and a server: a stable code, the phase, the facts.
//!
//! The facts are data; sentences about them come from [`crate::text`].

use std::fmt;

use crate::locale::Locale;
use crate::text;

/// Stable code of an error, written in reports as SCREAMING_SNAKE_CASE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The executable could not be started.
    ProcessStartFailed,
    /// No answer to the handshake in time.
    HandshakeTimeout,
    /// The handshake was answered, but not by the protocol.
    HandshakeFailed,
    /// The server process ended.
    ProcessExited,
    /// The byte stream broke or carried something that is not a JSON-RPC message.
    TransportFailed,
    /// The server answered a request with an error, or with a result that is not one.
    OperationFailed,
    /// No answer to a request in time.
    OperationTimeout,
    /// Arguments that cannot be sent.
    InvalidToolArguments,
    /// `nextCursor` led in a circle.
    PaginationCursorRepeated,
    /// The orderly end failed.
    CloseFailed,
    /// The process could not be killed.
    ForceCloseFailed,
    /// The process did not end after SIGKILL.
    ForceCloseTimeout,
    /// No HTTP connection to the server.
    HttpConnectFailed,
    /// An HTTP status that is not an answer.
    HttpStatusError,
    /// 401 or 403.
    HttpUnauthorized,
    /// A body that is neither JSON nor an event stream.
    HttpResponseInvalid,
    /// No answer to the handshake in time, over HTTP.
    HttpHandshakeTimeout,
    /// 404 for a session that the server had issued.
    HttpSessionLost,
}

impl ErrorCode {
    /// Whether the handshake was not answered in time, over whatever transport.
    pub const fn is_handshake_timeout(self) -> bool {
        matches!(self, Self::HandshakeTimeout | Self::HttpHandshakeTimeout)
    }

    /// The code as it is written in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProcessStartFailed => "PROCESS_START_FAILED",
            Self::HandshakeTimeout => "HANDSHAKE_TIMEOUT",
            Self::HandshakeFailed => "HANDSHAKE_FAILED",
            Self::ProcessExited => "PROCESS_EXITED",
            Self::TransportFailed => "TRANSPORT_FAILED",
            Self::OperationFailed => "OPERATION_FAILED",
            Self::OperationTimeout => "OPERATION_TIMEOUT",
            Self::InvalidToolArguments => "INVALID_TOOL_ARGUMENTS",
            Self::PaginationCursorRepeated => "PAGINATION_CURSOR_REPEATED",
            Self::CloseFailed => "CLOSE_FAILED",
            Self::ForceCloseFailed => "FORCE_CLOSE_FAILED",
            Self::ForceCloseTimeout => "FORCE_CLOSE_TIMEOUT",
            Self::HttpConnectFailed => "HTTP_CONNECT_FAILED",
            Self::HttpStatusError => "HTTP_STATUS_ERROR",
            Self::HttpUnauthorized => "HTTP_UNAUTHORIZED",
            Self::HttpResponseInvalid => "HTTP_RESPONSE_INVALID",
            Self::HttpHandshakeTimeout => "HTTP_HANDSHAKE_TIMEOUT",
            Self::HttpSessionLost => "HTTP_SESSION_LOST",
        }
    }
}

/// What was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Starting the process.
    Spawn,
    /// Reaching the endpoint.
    Connect,
    /// `server/discover` or `initialize`.
    Handshake,
    /// Between requests.
    Process,
    /// Reading or writing bytes.
    Transport,
    /// `tools/list`.
    ListTools,
    /// `tools/call`.
    CallTool,
    /// The orderly end.
    Close,
    /// The forced end.
    ForceClose,
}

impl Phase {
    /// The phase as it is written in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Spawn => "spawn",
            Self::Connect => "connect",
            Self::Handshake => "handshake",
            Self::Process => "process",
            Self::Transport => "transport",
            Self::ListTools => "listTools",
            Self::CallTool => "callTool",
            Self::Close => "close",
            Self::ForceClose => "forceClose",
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessExit {
    /// Exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Signal number, if a signal ended it.
    pub signal: Option<i32>,
}

/// Why a connection is gone for good; the run cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionLost {
    /// The server process ended.
    ProcessExited(ProcessExit),
    /// The byte stream broke.
    TransportFailed,
    /// The HTTP session is unknown to the server now.
    HttpSessionLost,
}

/// An error of the MCP client. `Display` is the English message, without the hint.
#[derive(Clone, Debug, PartialEq)]
pub struct McpError {
    /// Stable code.
    pub code: ErrorCode,
    /// What was being done.
    pub phase: Phase,
    /// What was seen.
    pub detail: Detail,
    /// Low-level causes, outermost first, at most three.
    pub causes: Vec<String>,
}

/// What was seen, as data for the sentences. Text in here came from outside and is not escaped yet.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Detail {
    /// The code says it all.
    None,
    /// A JSON-RPC error object.
    JsonRpcError {
        /// `error.code`.
        code: i64,
        /// `error.message`.
        message: String,
        /// `error.data`.
        data: Option<serde_json::Value>,
    },
    /// A message that breaks the protocol.
    Protocol(crate::wire::Violation),
    /// How the process ended, and whether it wrote to stderr before.
    Exit {
        /// Code or signal.
        exit: ProcessExit,
        /// Whether stderr is empty.
        stderr_empty: bool,
    },
    /// A deadline passed.
    Timeout {
        /// The deadline, in milliseconds.
        after_ms: u64,
        /// What was waited for: a method name.
        waiting_for: String,
    },
    /// An operating-system error.
    Io {
        /// What it was about: an executable, an address.
        subject: String,
        /// The system's words.
        message: String,
        /// The kind, for the hint.
        kind: std::io::ErrorKind,
    },
    /// An HTTP status.
    HttpStatus {
        /// Status code.
        status: u16,
        /// Reason phrase.
        reason: String,
        /// Beginning of the body.
        body: String,
    },
    /// A cursor that came a second time.
    Cursor(String),
    /// The process could not be started.
    Start {
        /// The executable or the working directory.
        subject: String,
        /// What is the matter with it.
        problem: StartProblem,
    },
    /// Something on stdout that is not a JSON-RPC message.
    StdoutNoise {
        /// What it is.
        noise: crate::wire::Noise,
        /// Its beginning, at most 1,000 characters.
        line: String,
    },
    /// stdout was closed while the process lives on.
    StdoutClosed,
    /// The server does not read its input any more.
    StdinClosed,
    /// The server asks for input (`resultType: input_required`), which a test run cannot give.
    InputRequired(
        /// Methods of the requests that it made, such as `elicitation/create`.
        Vec<String>,
    ),
    /// The connection or stream ended before the answer to this method came.
    StreamEnded(String),
    /// The server answered with a redirect; none is followed.
    Redirect {
        /// Status code.
        status: u16,
        /// `Location`, without user information and query.
        location: String,
    },
    /// A body that is neither JSON nor an event stream.
    ContentType(
        /// `Content-Type`, empty if there was none.
        String,
    ),
    /// A body or message over the limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The name of the host has no address.
    Dns {
        /// The name.
        host: String,
        /// The resolver's words.
        message: String,
    },
    /// TLS could not be set up.
    Tls {
        /// The name of the host.
        host: String,
        /// The library's words.
        message: String,
    },
    /// No protocol version that both sides speak.
    VersionUnsupported {
        /// What was asked for.
        requested: String,
        /// What the server supports, as it said.
        supported: Vec<String>,
    },
    /// Arguments nested deeper than the limit.
    TooDeep {
        /// The limit in levels.
        limit: usize,
    },
    /// More pages than the limit.
    TooManyPages {
        /// The limit.
        limit: usize,
    },
    /// The connection was closed by us already.
    Closed,
    /// A request that this kind of connection has no way to send.
    Unsupported(
        /// Its method.
        String,
    ),
    /// A request that cannot be written as HTTP.
    Unsendable(
        /// The library's words; they never hold a header's value.
        String,
    ),
    /// Anything with a sentence of its own.
    Message(String),
}

/// What is the matter with an executable or a working directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartProblem {
    /// No such executable, neither as a path nor on `PATH`.
    NotFound,
    /// The file may not be executed.
    NotExecutable,
    /// The executable is a directory.
    IsDirectory,
    /// The file is there, but the interpreter that its first line names is not.
    InterpreterMissing,
    /// No such working directory.
    WorkingDirectoryMissing,
    /// The working directory is not a directory.
    WorkingDirectoryNotADirectory,
    /// A `.cmd` or `.bat` file, which needs a shell.
    NeedsShell,
    /// The system's words.
    Other(String),
}

impl McpError {
    /// An error without low-level causes.
    pub fn new(code: ErrorCode, phase: Phase, detail: Detail) -> Self {
        Self { code, phase, detail, causes: Vec::new() }
    }

    /// The same error with its low-level causes, outermost first; three are kept.
    #[must_use]
    pub fn caused_by(mut self, error: &dyn std::error::Error) -> Self {
        let mut next = Some(error);
        while let Some(cause) = next
            && self.causes.len() < 3
        {
            self.causes.push(cause.to_string());
            next = cause.source();
        }
        self
    }

    /// Whether this is a deadline of one operation that passed (the connection may still live).
    pub fn is_timeout(&self) -> bool {
        self.code == ErrorCode::OperationTimeout
    }

    /// Whether the connection is gone, and why.
    pub fn connection_lost(&self) -> Option<ConnectionLost> {
        match (self.code, &self.detail) {
            (ErrorCode::ProcessExited, Detail::Exit { exit, .. }) => {
                Some(ConnectionLost::ProcessExited(*exit))
            }
            (ErrorCode::ProcessExited, _) => Some(ConnectionLost::ProcessExited(ProcessExit::default())),
            (ErrorCode::TransportFailed, _) => Some(ConnectionLost::TransportFailed),
            (ErrorCode::HttpSessionLost, _) => Some(ConnectionLost::HttpSessionLost),
            _ => None,
        }
    }

    /// What happened, as a sentence. Text from outside in it is not escaped for a terminal.
    pub fn message(&self, locale: Locale) -> String {
        text::of(locale).error_message(self)
    }

    /// How to fix it.
    pub fn hint(&self, locale: Locale) -> String {
        text::of(locale).error_hint(self)
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message(Locale::En))
    }
}

impl std::error::Error for McpError {}
