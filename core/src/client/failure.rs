//! Errors of the client, by phase.

use std::time::Duration;

use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::wire::{RpcError, Violation};

/// The phase that a method belongs to.
pub(super) fn phase_of(method: &str) -> Phase {
    match method {
        "initialize" | "server/discover" | "notifications/initialized" => Phase::Handshake,
        "tools/list" => Phase::ListTools,
        "tools/call" => Phase::CallTool,
        _ => Phase::Process,
    }
}

/// The code of a bad answer.
fn bad_answer(phase: Phase) -> ErrorCode {
    if phase == Phase::Handshake { ErrorCode::HandshakeFailed } else { ErrorCode::OperationFailed }
}

/// An answer that breaks the protocol.
pub(super) fn violated(phase: Phase, violation: Violation) -> McpError {
    McpError::new(bad_answer(phase), phase, Detail::Protocol(violation))
}

/// An answer that is an error.
pub(super) fn refused(phase: Phase, error: RpcError) -> McpError {
    let RpcError { code, message, data } = error;
    McpError::new(bad_answer(phase), phase, Detail::JsonRpcError { code, message, data })
}

/// An answer that cannot be used, with its own sentence.
pub(super) fn unusable(phase: Phase, detail: Detail) -> McpError {
    McpError::new(bad_answer(phase), phase, detail)
}

/// No answer in time.
pub(super) fn timed_out(phase: Phase, method: &str, after: Duration, over_http: bool) -> McpError {
    let code = match (phase, over_http) {
        (Phase::Handshake, true) => ErrorCode::HttpHandshakeTimeout,
        (Phase::Handshake, false) => ErrorCode::HandshakeTimeout,
        _ => ErrorCode::OperationTimeout,
    };
    let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    McpError::new(code, phase, Detail::Timeout { after_ms, waiting_for: method.to_owned() })
}
