//! What a runner needs of a server, whatever the transport.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::handshake::Negotiated;
use crate::error::{Detail, ErrorCode, McpError, Phase, ProcessExit};
use crate::wire::Transcript;

/// A tool as the server lists it. Nothing of the definition is lost: `raw` is the whole object.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// `name`.
    pub name: String,
    /// The definition, members in the server's order.
    pub raw: Map<String, Value>,
}

impl Tool {
    /// `inputSchema`, if it is there.
    pub fn input_schema(&self) -> Option<&Value> {
        self.raw.get("inputSchema")
    }

    /// `outputSchema`, if it is there.
    pub fn output_schema(&self) -> Option<&Value> {
        self.raw.get("outputSchema")
    }

    /// `description`, if it is a text.
    pub fn description(&self) -> Option<&str> {
        self.raw.get("description").and_then(Value::as_str)
    }
}

/// The `result` of `tools/call`, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The result object, members in the server's order.
    pub raw: Map<String, Value>,
}

impl ToolResult {
    /// `isError`, false where it is absent.
    pub fn is_error(&self) -> bool {
        self.raw.get("isError").and_then(Value::as_bool).unwrap_or(false)
    }

    /// `content`, if it is there.
    pub fn content(&self) -> Option<&Value> {
        self.raw.get("content")
    }

    /// `structuredContent`, if it is there.
    pub fn structured_content(&self) -> Option<&Value> {
        self.raw.get("structuredContent")
    }
}

/// The end of stderr, as far as it was kept (64 KiB).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StderrTail {
    /// The text; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether the beginning was dropped.
    pub truncated: bool,
}

/// What can be said about the server's side, for the diagnostics block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerFacts {
    /// A process that we started.
    Process {
        /// How it ended; `None` while it runs.
        exit: Option<ProcessExit>,
        /// What it wrote.
        stderr: StderrTail,
    },
    /// A remote endpoint.
    Http {
        /// The endpoint, without secrets.
        url: String,
        /// Last status seen.
        status: Option<u16>,
        /// Session id issued by the server.
        session_id: Option<String>,
    },
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// Facts after the end: the exit code is known now.
    pub facts: ServerFacts,
    /// Whether force was needed, and why.
    pub forced: Option<ForceReason>,
    /// What failed while closing.
    pub error: Option<McpError>,
}

/// Why a server was killed instead of closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceReason {
    /// Requests in flight did not settle.
    DrainDeadlineExceeded,
    /// It ignored the end of its input and SIGTERM.
    GracefulCloseDeadlineExceeded,
    /// The orderly end failed.
    GracefulCloseFailed,
}

/// A live connection to a server. One request at a time or many: implementations accept both.
///
/// Every method ends by its deadline. A dropped future forgets its request; the answer, if it still comes, is discarded.
#[async_trait]
pub trait Connection: Send + Sync {
    /// All pages of `tools/list`.
    async fn list_tools(&self, deadline: Duration) -> Result<Vec<Tool>, McpError>;

    /// `tools/call`. When the deadline passes, the request is cancelled on the wire and the error says
    /// [`ErrorCode::OperationTimeout`](crate::error::ErrorCode::OperationTimeout).
    async fn call_tool(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        deadline: Duration,
    ) -> Result<ToolResult, McpError>;

    /// Any request, such as `prompts/list`. The result is judged as an answer, its content is not.
    async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        deadline: Duration,
    ) -> Result<Map<String, Value>, McpError> {
        let _ = (params, deadline);
        let detail = Detail::Unsupported(method.to_owned());
        Err(McpError::new(ErrorCode::OperationFailed, Phase::Process, detail))
    }

    /// What was agreed on with the server; `None` for connections without a handshake.
    fn negotiated(&self) -> Option<&Negotiated> {
        None
    }

    /// The last bytes in both directions. They may hold secrets: redact before writing them anywhere.
    fn transcript(&self) -> Option<&Transcript> {
        None
    }

    /// What is known about the server now.
    fn facts(&self) -> ServerFacts;

    /// Ends the connection in order, with the close ladder's deadlines. Idempotent.
    async fn close(&self) -> Closed;
}
