//! Core of mcpeak: what every other crate stands on.
//!
//! | module | what it holds |
//! |---|---|
//! | [`accepted`] | an accepted connection with its destination, shared by proxy and sandbox |
//! | [`canonical`] | canonical JSON and fingerprints |
//! | [`client`] | the MCP client: connections over stdio and Streamable HTTP |
//! | [`error`] | codes, phases and facts of what can go wrong with a server |
//! | [`escape`] | text from outside made safe for a terminal |
//! | [`exit`] | exit codes of the binary |
//! | [`locale`] | the language of sentences |
//! | [`net`] | names to addresses, TCP and TLS towards servers |
//! | [`process`] | the server process: start, stderr, end |
//! | [`redact`] | what counts as a secret |
//! | [`secret`] | a value that no format string prints |
//! | [`target`] | which server: command, URL, or an entry of a configuration file |
//! | [`text`] | sentences about errors, one implementation per language |
//! | [`wire`] | lossless JSON-RPC in both eras |

pub mod accepted;
pub mod canonical;
pub mod client;
pub mod error;
pub mod escape;
pub mod exit;
pub mod locale;
pub mod net;
pub mod process;
pub mod redact;
pub mod secret;
pub mod target;
pub mod text;
pub mod wire;
