//! System calls behind safe functions. Everything unsafe of this crate is here.

pub(super) mod descriptor;
pub(super) mod launch;
pub(super) mod memory;
pub(super) mod seccomp;
pub(super) mod socket;
pub(super) mod user;

/// An errno as system calls return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno(pub(super) i32);

impl Errno {
    /// That of the last failed call of this thread.
    pub(super) fn last() -> Self {
        std::io::Error::last_os_error().into()
    }
}

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        // Errors that did not come from the system have no number; none of them is expected here.
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

impl From<Errno> for std::io::Error {
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno.0)
    }
}
