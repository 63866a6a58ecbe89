//! Who starts a process: this process itself, or a supervisor that watches what it does.

use std::fmt::Debug;
use std::io;

use tokio::process::{Child, Command};

/// Starts processes.
pub trait Launch: Debug + Send + Sync {
    /// Starts a prepared command. Blocks until the program runs or has failed to.
    ///
    /// # Errors
    /// As [`Command::spawn`].
    fn launch(&self, command: Command) -> io::Result<Child>;
}

/// No supervisor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwatched;

impl Launch for Unwatched {
    fn launch(&self, mut command: Command) -> io::Result<Child> {
        super::spawn(&mut command)
    }
}
