//! What is done for each system call.
//!
//! | module | calls |
//! |---|---|
//! | [`birth`] | socket, bind, listen |
//! | [`connect`] | connect |
//! | [`send`] | sendto, sendmsg, sendmmsg |
//! | [`receive`] | recvfrom, recvmsg |
//! | [`message`] | the structures of sendmsg and recvmsg |

mod birth;
mod connect;
mod message;
mod receive;
mod send;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::address;
use super::call::{Call, Obstacle, Outcome};
use super::dns::Zone;
use super::ledger::Ledger;
use super::listeners;
use super::policy::{self, Decision, Transport};
use super::process;
use super::sockets::{Born, Sockets};
use super::sys::Errno;
use super::sys::seccomp::Verdict;
use super::sys::socket;
use super::tokens::Tokens;
use crate::capture::PassLoopback;

/// What all calls share.
#[derive(Debug)]
pub(super) struct State {
    pub(super) zone: Arc<Zone>,
    pub(super) tokens: Arc<Mutex<Tokens>>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) loopback: PassLoopback,
    /// Port of the acceptor, at every token's address.
    pub(super) acceptor: u16,
    /// Where DNS questions are answered.
    pub(super) responder: SocketAddr,
    sockets: Mutex<Sockets>,
}

impl State {
    pub(super) fn new(
        zone: Arc<Zone>,
        tokens: Arc<Mutex<Tokens>>,
        ledger: Arc<Ledger>,
        loopback: PassLoopback,
        acceptor: u16,
        responder: SocketAddr,
    ) -> Self {
        Self { zone, tokens, ledger, loopback, acceptor, responder, sockets: Mutex::default() }
    }

    fn sockets(&self) -> MutexGuard<'_, Sockets> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do with a destination of a socket.
    fn decide(&self, socket: &Socket, destination: SocketAddr) -> Decision {
        let own = |destination| listeners::is_own(self.sockets().own(), destination);
        policy::decide(socket.transport, destination, &self.loopback, listeners::is_this_machine, own)
    }

    /// Decides a call.
    pub(super) fn handle(&self, call: &Call<'_>) -> Result<Outcome, Obstacle> {
        match call.number() {
            libc::SYS_socket => birth::socket(self, call),
            libc::SYS_bind => birth::bind(self, call),
            libc::SYS_listen => birth::listen(self, call),
            libc::SYS_connect => connect::connect(self, call),
            libc::SYS_sendto => send::sendto(self, call),
            libc::SYS_sendmsg => send::sendmsg(self, call),
            libc::SYS_sendmmsg => send::sendmmsg(self, call),
            libc::SYS_recvfrom => receive::recvfrom(self, call),
            libc::SYS_recvmsg => receive::recvmsg(self, call),
            // The filter shows no other.
            _ => Ok(Verdict::Continue.into()),
        }
    }
}

/// Puts a place of ours over the address that the program gave; the kernel then goes there.
fn rewrite(call: &Call<'_>, (pointer, length): (u64, u64), target: SocketAddr) -> Result<Verdict, Obstacle> {
    let bytes = address::emit(target);
    // The program's own address has the length of the socket's family, or its call fails.
    if usize::try_from(length).unwrap_or_default() < bytes.len() {
        return Err(Errno(libc::EINVAL).into());
    }
    call.memory()?.write(pointer, &bytes).map_err(|_| Errno(libc::EACCES))?;
    Ok(Verdict::Continue)
}

/// A socket of the tree, with our copy if there is one.
struct Socket {
    inode: u64,
    born: Option<Arc<Born>>,
    transport: Transport,
    is_v6: bool,
}

/// The internet socket behind a descriptor; `None` for one of another kind.
fn internet_socket(state: &State, call: &Call<'_>, descriptor: i32) -> Result<Option<Socket>, Obstacle> {
    let inode = call.socket(descriptor)?;
    if let Some(born) = state.sockets().get(inode) {
        let (transport, is_v6) = (born.transport, born.is_v6);
        return Ok(Some(Socket { inode, born: Some(born), transport, is_v6 }));
    }
    let name = socket::protocol_name(&process::fd_path(call.thread(), descriptor)).unwrap_or_default();
    let transport = match name.trim_end_matches("v6") {
        "TCP" | "MPTCP" => Transport::Stream,
        "UDP" | "UDP-Lite" => Transport::Datagram,
        _ => return Ok(None),
    };
    // Multipath TCP has one name for both families; a wrong guess makes the connect fail.
    Ok(Some(Socket { inode, born: None, transport, is_v6: name.ends_with("v6") }))
}

impl Socket {
    /// An address of this machine as this socket names it.
    fn reach(&self, target: SocketAddr) -> SocketAddr {
        if !self.is_v6 {
            return target;
        }
        if let Some(born) = &self.born {
            use std::os::fd::AsFd as _;
            socket::allow_mapped(born.socket.as_fd());
        }
        address::mapped(target)
    }
}
