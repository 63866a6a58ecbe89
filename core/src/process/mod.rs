//! The server process: start without a shell, the end of its stderr, the close ladder.
//!
//! | module | what it holds |
//! |---|---|
//! | `children` | which children are waited for, and which are adopted |
//! | `environment` | which variables a server sees |
//! | `launch` | who starts it |
//! | `server` | a running server process and its end |
//! | `start` | starting it, and why that may fail |
//! | `stderr` | the last 64 KiB of what it wrote |

mod children;
mod environment;
mod launch;
mod server;
mod start;
mod stderr;

pub use children::{reap_adopted, spawn};
pub use environment::{ALLOWED_POSIX, ALLOWED_WINDOWS, Environment, child_environment};
pub use launch::{Launch, Unwatched};
pub use server::{Ended, Ladder, ServerPipes, ServerProcess};
pub use start::{ProcessSpec, start};
