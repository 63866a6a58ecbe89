//! Copies of sockets that are not connected yet, and what is remembered of others. Sockets are known by their inode.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use super::policy::Transport;
use super::process;
use super::sys::Errno;
use super::sys::socket;

/// Births between two sweeps.
const SWEEP: u32 = 128;
/// Inodes remembered of a kind. Numbers are not used again soon, so the memory may be dropped as a whole.
const MOST: usize = 1 << 16;

/// Our copy of a socket of the tree.
#[derive(Debug)]
pub(super) struct Born {
    pub(super) socket: OwnedFd,
    pub(super) transport: Transport,
    pub(super) is_v6: bool,
    /// Whom it was made for, to see whether it is still there.
    thread: u32,
    descriptor: i32,
}

/// All that is known about sockets of the tree.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    born: HashMap<u64, Arc<Born>>,
    /// The server that a datagram socket asked, where ours answers in its place.
    asked: HashMap<u64, SocketAddr>,
    own: HashSet<u64>,
    births: u32,
}

impl Sockets {
    /// Keeps a copy of a socket that has just been handed out.
    pub(super) fn add(
        &mut self,
        socket: OwnedFd,
        transport: Transport,
        is_v6: bool,
        thread: u32,
        descriptor: i32,
    ) -> Result<(), Errno> {
        let inode = socket::inode(socket.as_fd())?;
        self.asked.remove(&inode);
        self.own.remove(&inode);
        self.born.insert(inode, Arc::new(Born { socket, transport, is_v6, thread, descriptor }));
        self.births += 1;
        if self.births >= SWEEP {
            self.births = 0;
            self.sweep();
        }
        Ok(())
    }

    /// The copy of a socket, which stays here.
    pub(super) fn get(&self, inode: u64) -> Option<Arc<Born>> {
        self.born.get(&inode).cloned()
    }

    /// Gives the copy up. A copy kept too long hides the tree's close from the other side, and its port from a new bind.
    pub(super) fn forget(&mut self, inode: u64) {
        self.born.remove(&inode);
    }

    /// Notes the server that a datagram socket wanted to ask.
    pub(super) fn note_asked(&mut self, inode: u64, server: SocketAddr) {
        if self.asked.len() >= MOST {
            self.asked.clear();
        }
        self.asked.insert(inode, server);
    }

    /// Whether any socket has asked a server.
    pub(super) fn has_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// The server that a datagram socket believes to hear from.
    pub(super) fn asked(&self, inode: u64) -> Option<SocketAddr> {
        self.asked.get(&inode).copied()
    }

    /// Notes a listener of the tree.
    pub(super) fn note_listener(&mut self, inode: u64) {
        if self.own.len() >= MOST {
            self.own.clear();
        }
        self.own.insert(inode);
        self.born.remove(&inode);
    }

    /// The tree's listeners.
    pub(super) fn own(&self) -> &HashSet<u64> {
        &self.own
    }

    /// Drops copies of sockets that their thread has closed.
    pub(super) fn sweep(&mut self) {
        self.born.retain(|inode, born| {
            process::socket_inode(born.thread, born.descriptor).is_ok_and(|present| present == *inode)
        });
        let born = &self.born;
        self.asked.retain(|inode, _| born.contains_key(inode));
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

    use super::{SWEEP, Sockets, Transport};
    use crate::supervisor::sys::{launch, socket};

    #[test]
    fn copies_of_closed_sockets_go() {
        let mut sockets = Sockets::default();
        let open = UdpSocket::bind("127.0.0.1:0").unwrap();
        let descriptor = open.as_raw_fd();
        let copy = OwnedFd::from(open.try_clone().unwrap());
        let inode = socket::inode(copy.as_fd()).unwrap();
        sockets.add(copy, Transport::Datagram, false, launch::thread_id(), descriptor).unwrap();
        sockets.note_asked(inode, "8.8.8.8:53".parse().unwrap());
        sockets.sweep();
        assert!(sockets.get(inode).is_some() && sockets.asked(inode).is_some());
        // The number of a descriptor that nobody has.
        let gone = UdpSocket::bind("127.0.0.1:0").unwrap();
        let gone_inode = socket::inode(gone.as_fd()).unwrap();
        sockets.add(OwnedFd::from(gone), Transport::Datagram, false, launch::thread_id(), i32::MAX).unwrap();
        assert!(sockets.get(gone_inode).is_some());
        sockets.births = SWEEP - 1;
        let last = UdpSocket::bind("127.0.0.1:0").unwrap();
        sockets.add(OwnedFd::from(last), Transport::Datagram, false, launch::thread_id(), i32::MAX).unwrap();
        assert!(sockets.get(gone_inode).is_none());
        assert!(sockets.get(inode).is_some());
    }
}
