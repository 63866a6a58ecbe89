//! The MCP client.
//!
//! | module | what it holds |
//! |---|---|
//! | `channel` | one request to one answer, whatever the transport |
//! | `connect` | from a target to a connection |
//! | `connection` | what a runner needs of a server |
//! | `failure` | errors of the client, by phase |
//! | `handshake` | finding the era, `server/discover` and `initialize` |
//! | `param_headers` | `Mcp-Name` and `Mcp-Param-*` |
//! | `session` | operations on a connected server |
//! | `stdio` | the channel over a process's pipes |
//! | `streamable` | the channel over Streamable HTTP |

mod channel;
mod connect;
mod connection;
mod failure;
mod handshake;
mod param_headers;
mod session;
mod stdio;
mod streamable;

pub use connect::{ConnectError, ConnectOptions, ConnectProgress, EraChoice, ProgressCallback, connect};
pub use connection::{Closed, Connection, ForceReason, ServerFacts, StderrTail, Tool, ToolResult};
pub use handshake::Negotiated;
