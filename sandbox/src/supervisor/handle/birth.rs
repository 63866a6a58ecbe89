//! socket, bind, listen.

use std::os::fd::AsFd as _;

use super::State;
use crate::supervisor::address::Address;
use crate::supervisor::call::{Call, Obstacle, Outcome};
use crate::supervisor::policy::Transport;
use crate::supervisor::sys::Errno;
use crate::supervisor::sys::seccomp::{self, Verdict};
use crate::supervisor::sys::socket;

/// The type without its flags.
const TYPE: i32 = 0xf;

/// Makes the socket here and puts it into the process.
pub(super) fn socket(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let (domain, kind, protocol) = (call.int(0), call.int(1), call.int(2));
    let socket = socket::create(domain, kind, protocol)?;
    let close_on_exec = kind & libc::SOCK_CLOEXEC != 0;
    match seccomp::give_descriptor(call.listener(), call.id(), socket.as_fd(), close_on_exec) {
        Ok(descriptor) => {
            let transport =
                if kind & TYPE == libc::SOCK_STREAM { Transport::Stream } else { Transport::Datagram };
            // Without a copy the address is rewritten at connect.
            let _ =
                state.sockets().add(socket, transport, domain == libc::AF_INET6, call.thread(), descriptor);
            Ok(Outcome::Answered)
        }
        Err(Errno(libc::ENOENT | libc::ESRCH)) => Err(Obstacle::Gone),
        Err(errno) => Err(errno.into()),
    }
}

/// A bound socket is left alone: a copy would keep its port taken after the tree has closed it. So would copies of datagram sockets that are
/// closed by now, which are swept for it.
pub(super) fn bind(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    if let Address::Internet(address) = call.address(call.argument(1), call.length(2))? {
        let inode = call.socket(call.int(0))?;
        let mut sockets = state.sockets();
        let is_stream = sockets.get(inode).is_some_and(|born| born.transport == Transport::Stream);
        // A datagram socket that lets the kernel choose is one that asks for names, more often than not.
        if is_stream || address.port() != 0 {
            sockets.forget(inode);
        }
        if address.port() != 0 {
            sockets.sweep();
        }
    }
    Ok(Verdict::Continue.into())
}

/// Remembers a listener: connections to it stay in the tree.
pub(super) fn listen(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let inode = call.socket(call.int(0))?;
    state.sockets().note_listener(inode);
    Ok(Verdict::Continue.into())
}
