//! One request, within its deadline and until an interruption.

use std::time::Duration;

use mcpeak_core::client::{Connection, Tool};
use mcpeak_core::error::{Detail, ErrorCode, McpError, Phase};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::options::RunOptions;
use super::outcome::Outcome;
use crate::suite::Operation;

/// How much longer than its deadline a connection may take before the runner gives up on it.
const OVERRUN: Duration = Duration::from_secs(2);

/// The tools, for findings only: an error here is no verdict, the cases will tell.
pub(super) async fn tools_for_findings(
    connection: &dyn Connection,
    options: &RunOptions,
) -> Option<Vec<Tool>> {
    let deadline = options.lint_deadline?;
    let listed = tokio::select! {
        biased;
        () = options.cancel.cancelled() => return None,
        listed = tokio::time::timeout(deadline + OVERRUN, connection.list_tools(deadline)) => listed,
    };
    match listed {
        Ok(Ok(tools)) => Some(tools),
        Ok(Err(error)) => {
            debug!(code = error.code.as_str(), "no tools for findings");
            None
        }
        Err(_) => None,
    }
}

/// Sends what a case says.
pub(super) async fn send(
    connection: &dyn Connection,
    operation: &Operation,
    deadline: Duration,
    cancel: &CancellationToken,
) -> Outcome {
    let request = async {
        match operation {
            Operation::ListTools => connection.list_tools(deadline).await.map(Outcome::Tools),
            Operation::CallTool { tool, input } => {
                connection.call_tool(tool, input, deadline).await.map(Outcome::Result)
            }
        }
    };
    let answer = tokio::select! {
        biased;
        () = cancel.cancelled() => return Outcome::Cancelled,
        answer = tokio::time::timeout(deadline + OVERRUN, request) => answer,
    };
    match answer {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) if error.is_timeout() => Outcome::TimedOut(error),
        Ok(Err(error)) => Outcome::Failed(error),
        Err(_) => Outcome::TimedOut(overrun(operation, deadline)),
    }
}

/// The error of a connection that does not keep its own deadline.
fn overrun(operation: &Operation, deadline: Duration) -> McpError {
    let (phase, method) = match operation {
        Operation::ListTools => (Phase::ListTools, "tools/list"),
        Operation::CallTool { .. } => (Phase::CallTool, "tools/call"),
    };
    let after_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
    McpError::new(
        ErrorCode::OperationTimeout,
        phase,
        Detail::Timeout { after_ms, waiting_for: method.to_owned() },
    )
}
