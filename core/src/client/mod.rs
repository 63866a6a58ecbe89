//! The MCP client.

mod connection;

pub use connection::{Closed, Connection, ForceReason, ServerFacts, StderrTail, Tool, ToolResult};
