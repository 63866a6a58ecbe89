//! One trapped system call: what was asked for, by whom, and the memory behind its pointers.

use std::cell::OnceCell;
use std::io;
use std::os::fd::BorrowedFd;

use libc::{c_long, seccomp_notif};

use super::address::{self, Address};
use super::process;
use super::sys::Errno;
use super::sys::memory::Memory;
use super::sys::seccomp::{self, Verdict};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// To be answered.
    Answer(Verdict),
    /// Answered already.
    Answered,
}

/// Why a call could not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The call fails with this error.
    Fails(Errno),
    /// The thread's memory or descriptors are closed to us.
    Unreadable,
    /// The thread is gone, or does not wait any more.
    Gone,
}

impl From<Errno> for Obstacle {
    fn from(errno: Errno) -> Self {
        Self::Fails(errno)
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        Self::Answer(verdict)
    }
}

/// A call that waits for its answer.
pub(super) struct Call<'a> {
    notification: &'a seccomp_notif,
    listener: BorrowedFd<'a>,
    memory: OnceCell<Memory>,
}

impl<'a> Call<'a> {
    pub(super) const fn new(notification: &'a seccomp_notif, listener: BorrowedFd<'a>) -> Self {
        Self { notification, listener, memory: OnceCell::new() }
    }

    pub(super) fn number(&self) -> c_long {
        c_long::from(self.notification.data.nr)
    }

    /// The calling thread.
    pub(super) fn thread(&self) -> u32 {
        self.notification.pid
    }

    pub(super) fn id(&self) -> u64 {
        self.notification.id
    }

    pub(super) fn listener(&self) -> BorrowedFd<'a> {
        self.listener
    }

    /// An argument as it is, a pointer or a length.
    pub(super) fn argument(&self, index: usize) -> u64 {
        self.notification.data.args[index]
    }

    /// An argument of type `int`: the kernel looks at the lower half only.
    pub(super) fn int(&self, index: usize) -> i32 {
        (self.argument(index) as u32).cast_signed()
    }

    /// A length of type `socklen_t` or `unsigned int`: likewise.
    pub(super) fn length(&self, index: usize) -> u64 {
        self.argument(index) & 0xffff_ffff
    }

    /// The memory that this call's pointers point into.
    pub(super) fn memory(&self) -> Result<&Memory, Obstacle> {
        if let Some(memory) = self.memory.get() {
            return Ok(memory);
        }
        let memory = Memory::open(self.thread()).map_err(|errno| match errno.0 {
            libc::EACCES | libc::EPERM => Obstacle::Unreadable,
            _ => Obstacle::Gone,
        })?;
        // The number may have gone to another thread between the call and the opening.
        if !seccomp::is_waiting(self.listener, self.id()) {
            return Err(Obstacle::Gone);
        }
        Ok(self.memory.get_or_init(|| memory))
    }

    /// An address in the memory.
    pub(super) fn address(&self, pointer: u64, length: u64) -> Result<Address, Obstacle> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > address::LONGEST {
            return Err(Errno(libc::EINVAL).into());
        }
        Ok(address::parse(&self.memory()?.read(pointer, length)?))
    }

    /// The socket that a descriptor of the caller stands for.
    pub(super) fn socket(&self, descriptor: i32) -> Result<u64, Obstacle> {
        process::socket_inode(self.thread(), descriptor).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => Obstacle::Unreadable,
            io::ErrorKind::InvalidInput => Obstacle::Fails(Errno(libc::ENOTSOCK)),
            _ => Obstacle::Fails(Errno(libc::EBADF)),
        })
    }
}
