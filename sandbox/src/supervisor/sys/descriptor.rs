//! Descriptors of this process: how many there may be, and which a started program gets.

use super::Errno;

/// The limit on open descriptors of this process.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct DescriptorLimit(libc::rlimit);

impl DescriptorLimit {
    /// As it is now.
    pub(in super::super) fn current() -> Result<Self, Errno> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is valid and exclusive.
        let result = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
        if result == 0 { Ok(Self(limit)) } else { Err(Errno::last()) }
    }

    /// As much as is allowed: each socket of the tree that is not connected yet has a copy here.
    pub(in super::super) fn highest(self) -> Self {
        Self(libc::rlimit { rlim_cur: self.0.rlim_max, ..self.0 })
    }

    /// Sets it. Only async-signal-safe work is done, so that it can be called between fork and exec.
    pub(in super::super) fn apply(self) -> Result<(), Errno> {
        // SAFETY: the pointer is valid; the kernel only reads there.
        let result = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const self.0) };
        if result == 0 { Ok(()) } else { Err(Errno::last()) }
    }
}

/// Marks every descriptor above standard error to be closed on exec: one that our own parent left open would be a way out.
/// Linux 5.11; before it nothing is marked, and capture does not work there either.
pub(in super::super) fn close_on_exec_all() {
    // SAFETY: the call takes plain numbers and only sets a flag on descriptors.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}
