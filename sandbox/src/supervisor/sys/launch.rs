//! What happens in and around the thread that starts processes.

use std::io;

use tokio::process::{Child, Command};

use super::descriptor::DescriptorLimit;

/// Starts a process from this thread, with the limit on descriptors that we were started with.
pub(in super::super) fn spawn(mut command: Command, limit: DescriptorLimit) -> io::Result<Child> {
    // SAFETY: between fork and exec only `setrlimit` is called, which is async-signal-safe and allocates nothing.
    unsafe { command.pre_exec(move || limit.apply().map_err(io::Error::from)) };
    mcpeak_core::process::spawn(&mut command)
}

/// Adopts processes whose parent has ended, so that they stay below us: what is outside of the tree may not be looked at
/// where ptrace is restricted to descendants (Yama).
pub(in super::super) fn adopt_orphans() {
    // SAFETY: the call takes plain numbers. A failure leaves orphans to init, as without it.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// The id of this thread.
pub(in super::super) fn thread_id() -> u32 {
    // SAFETY: the call has no arguments and cannot fail.
    unsafe { libc::gettid() }.cast_unsigned()
}

/// A connect on no descriptor: it does nothing, but the filter of this thread shows it to the listener.
pub(in super::super) fn signal_listener() {
    // SAFETY: with an invalid descriptor and no address nothing is read or written.
    unsafe { libc::connect(-1, std::ptr::null(), 0) };
}
