//! What a server answered to a case.

use mcpeak_core::client::{Tool, ToolResult};
use mcpeak_core::error::{ConnectionLost, McpError, ProcessExit};

use crate::report::{LostCause, StopReason, signal_name};

/// What a server answered to a case, raw.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The tools of all pages.
    Tools(Vec<Tool>),
    /// The result of a call.
    Result(ToolResult),
    /// An error.
    Failed(McpError),
    /// The deadline passed.
    TimedOut(McpError),
    /// The run was interrupted meanwhile.
    Cancelled,
    /// The run had stopped before.
    NotRun,
}

impl Outcome {
    /// Why the run has to stop after it. The next case can be judged after an ordinary protocol error, not after these.
    pub(super) fn stop_reason(&self, case_id: &str) -> Option<StopReason> {
        match self {
            Self::TimedOut(_) => Some(StopReason::Timeout { case_id: case_id.to_owned() }),
            Self::Cancelled => Some(StopReason::AbortSignal { case_id: Some(case_id.to_owned()) }),
            Self::Failed(error) => {
                let (cause, exit) = match error.connection_lost()? {
                    ConnectionLost::ProcessExited(exit) => (LostCause::ProcessExited, exit),
                    ConnectionLost::TransportFailed => (LostCause::TransportFailed, ProcessExit::default()),
                    ConnectionLost::HttpSessionLost => (LostCause::HttpSessionLost, ProcessExit::default()),
                };
                Some(StopReason::ConnectionLost {
                    case_id: case_id.to_owned(),
                    cause,
                    exit_code: exit.code,
                    signal: exit.signal.map(signal_name),
                })
            }
            Self::Tools(_) | Self::Result(_) | Self::NotRun => None,
        }
    }
}
