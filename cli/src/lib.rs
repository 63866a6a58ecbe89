//! The command line of mcpeak: arguments → settings → one file a command.
//!
//! | module | what it holds |
//! |---|---|
//! | `args` | what can be typed |
//! | `settings` | arguments and environment, resolved and checked |
//! | `commands` | one file a command |
//! | `recording` | the proxy of a run |
//! | `ingress` | proxy and trust variables for a process |
//! | `session_report` | the session block at the end of a run |
//! | `printer` | the one way to stdout and stderr |
//! | `error` | an error as a person sees it |
//! | `shutdown` | signals that ask a run to end in order |
//! | `text` | sentences, one implementation per language |
//! | `whole_file` | writes a file whole or not at all |
//! | `reference` | generated pages of `docs/reference` |

mod args;
mod commands;
mod entry;
mod error;
mod ingress;
mod printer;
mod recording;
#[cfg(test)]
mod reference;
mod session_report;
mod settings;
mod shutdown;
mod text;
mod whole_file;

pub use entry::run;
