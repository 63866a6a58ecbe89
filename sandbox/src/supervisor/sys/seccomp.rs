//! seccomp(2) and the ioctls of its listener (seccomp_unotify(2)).

use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use libc::{c_ulong, seccomp_notif, seccomp_notif_addfd, seccomp_notif_resp, sock_filter, sock_fprog};

use super::Errno;

/// `SECCOMP_IOCTL_NOTIF_SET_FLAGS`, Linux 6.6: `_IOW('!', 4, __u64)`.
const SET_FLAGS: c_ulong = 0x4008_2104;
/// `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP`.
const SYNC_WAKE_UP: c_ulong = 1;

/// Gives up privileges by exec for this thread and all it starts; a filter without privilege needs it.
pub(in super::super) fn no_new_privileges() -> Result<(), Errno> {
    // SAFETY: the call takes plain numbers and changes this thread only.
    let result = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Installs a filter on this thread and gives its listener. It is close-on-exec.
pub(in super::super) fn install(program: &[sock_filter]) -> Result<OwnedFd, Errno> {
    // Linux 5.19 keeps signals from tearing a received notification away. Before it the flag is invalid.
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    match set_filter(program, flags | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV) {
        Err(Errno(libc::EINVAL)) => set_filter(program, flags),
        result => result,
    }
}

fn set_filter(program: &[sock_filter], flags: c_ulong) -> Result<OwnedFd, Errno> {
    let length = u16::try_from(program.len()).map_err(|_| Errno(libc::EINVAL))?;
    let program = sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    // SAFETY: `program` points to `len` instructions that live until the call returns; the kernel copies and does not change them.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    let descriptor =
        RawFd::try_from(result).ok().filter(|descriptor| *descriptor >= 0).ok_or_else(Errno::last)?;
    // SAFETY: the kernel has just made this descriptor for us, and nothing else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Lets the woken side run at once on this processor. Where the kernel does not know it, calls only take longer.
pub(in super::super) fn wake_synchronously(listener: BorrowedFd<'_>) {
    // SAFETY: the third argument of this request is a number, not a pointer.
    unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS, SYNC_WAKE_UP) };
}

/// Waits for a call. `ENOENT` and `EINTR`: it went away, wait again.
pub(in super::super) fn receive(listener: BorrowedFd<'_>) -> Result<seccomp_notif, Errno> {
    // SAFETY: all members are integers, for which zero is a value; the kernel asks for a zeroed structure.
    let mut notification: seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the request writes one `seccomp_notif` to the pointer, which is valid and exclusive.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut notification) };
    if result == 0 { Ok(notification) } else { Err(Errno::last()) }
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Verdict {
    /// The kernel carries it out.
    Continue,
    /// It returns this value.
    Return(i64),
    /// It fails.
    Fail(Errno),
}

/// Answers a call. That its thread is gone is no error.
pub(in super::super) fn respond(listener: BorrowedFd<'_>, id: u64, verdict: Verdict) {
    let mut response = seccomp_notif_resp { id, val: 0, error: 0, flags: 0 };
    match verdict {
        Verdict::Continue => response.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        Verdict::Return(value) => response.val = value,
        Verdict::Fail(errno) => response.error = -errno.0,
    }
    // SAFETY: the request reads one `seccomp_notif_resp` from the pointer, which is valid.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const response) };
}

/// Whether the call still waits: what was read from its thread's memory belongs to it only then.
pub(in super::super) fn is_waiting(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the request reads one 64-bit number from the pointer, which is valid.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) };
    result == 0
}

/// Puts a copy of a descriptor into the process and lets the call return its number there, in one step.
pub(in super::super) fn give_descriptor(
    listener: BorrowedFd<'_>,
    id: u64,
    descriptor: BorrowedFd<'_>,
    close_on_exec: bool,
) -> Result<i32, Errno> {
    let request = seccomp_notif_addfd {
        id,
        flags: libc::SECCOMP_ADDFD_FLAG_SEND as u32,
        srcfd: descriptor.as_raw_fd().cast_unsigned(),
        newfd: 0,
        newfd_flags: if close_on_exec { libc::O_CLOEXEC.cast_unsigned() } else { 0 },
    };
    // SAFETY: the request reads one `seccomp_notif_addfd` from the pointer, which is valid.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const request) };
    if result >= 0 { Ok(result) } else { Err(Errno::last()) }
}
