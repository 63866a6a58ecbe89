//! Becoming another user in one thread only.

use super::Errno;

/// Gives this thread the ids of another user for good. glibc's functions would change every thread of the process, the system
/// calls change the caller alone.
pub(in super::super) fn become_user(uid: u32, gid: u32) -> Result<(), Errno> {
    // SAFETY: the calls take plain numbers; a failure leaves the ids as they are and is reported.
    let group = unsafe { libc::syscall(libc::SYS_setresgid, gid, gid, gid) };
    if group != 0 {
        return Err(Errno::last());
    }
    // SAFETY: as above.
    let user = unsafe { libc::syscall(libc::SYS_setresuid, uid, uid, uid) };
    if user == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Whether this process may become others.
pub(in super::super) fn is_root() -> bool {
    // SAFETY: the call has no arguments and cannot fail.
    unsafe { libc::geteuid() == 0 }
}
