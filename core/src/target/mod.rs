//! Which server: a command, a URL, or an entry of a configuration file.
//!
//! | module | what it holds |
//! |---|---|
//! | `endpoint` | the rules for server URLs |
//! | `error` | what can be wrong with a target |
//! | `jsonc` | JSON with comments and trailing commas, as editors write it |
//! | `mcp_config` | `mcpServers` files (Claude, Cursor) and `servers` files (VS Code) |
//! | `placeholder` | `${NAME}` and `${env:NAME}` |
//! | `spec` | the target itself |

mod endpoint;
mod error;
mod jsonc;
mod mcp_config;
mod placeholder;
mod spec;

pub use endpoint::Endpoint;
pub use error::TargetError;
pub use mcp_config::{ConfiguredServer, read_mcp_config, server_from_config};
pub use spec::{HttpTarget, StdioTarget, Target};
