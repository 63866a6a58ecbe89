//! connect.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd as _;

use mcpeak_core::accepted::{Destination, Origin};

use super::{Socket, State, internet_socket, rewrite};
use crate::supervisor::address::{self, Address};
use crate::supervisor::call::{Call, Obstacle, Outcome};
use crate::supervisor::policy::{self, Decision, Transport};
use crate::supervisor::process;
use crate::supervisor::sys::Errno;
use crate::supervisor::sys::seccomp::Verdict;
use crate::supervisor::sys::socket;
use crate::supervisor::tokens::{self, Led};

/// Connections on their way to the acceptor from which on a blocking socket is left to the kernel: its queue may be full, and a
/// connect that waits here would hold up every other call.
const CROWD: usize = 1024;

pub(super) fn connect(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let (pointer, length) = (call.argument(1), call.length(2));
    match call.address(pointer, length)? {
        Address::Unix(path) => Ok(unix(state, path).into()),
        // Dissolving an association, and netlink: nothing leaves by it.
        Address::Unspecified | Address::Other => Ok(Verdict::Continue.into()),
        Address::Malformed => Err(Errno(libc::EINVAL).into()),
        Address::Internet(given) => {
            let Some(socket) = internet_socket(state, call, call.int(0))? else {
                // The kernel refuses an address of another family.
                return Ok(Verdict::Continue.into());
            };
            internet(state, call, &socket, address::canonical(given), pointer)
        }
    }
}

fn unix(state: &State, path: String) -> Verdict {
    if policy::is_name_service(&path) {
        return Verdict::Fail(Errno(libc::ENOENT));
    }
    state.ledger.local_socket(path);
    Verdict::Continue
}

fn internet(
    state: &State,
    call: &Call<'_>,
    socket: &Socket,
    destination: SocketAddr,
    pointer: u64,
) -> Result<Outcome, Obstacle> {
    if is_own_token(state, destination) {
        // An address that was rewritten before, and is used again.
        return Ok(Verdict::Continue.into());
    }
    match state.decide(socket, destination) {
        direct @ (Decision::Direct | Decision::Pass) => {
            if socket.transport == Transport::Stream {
                state.sockets().forget(socket.inode);
            }
            if direct == Decision::Pass {
                state.ledger.passed(destination);
            }
            Ok(Verdict::Continue.into())
        }
        Decision::Refuse => {
            // Port 0 and the like come from libraries that only sort addresses by it.
            if destination.port() != 0 {
                state.ledger.refused(destination);
            }
            Ok(Verdict::Fail(Errno(libc::ENETUNREACH)).into())
        }
        Decision::Dns => {
            if socket.transport == Transport::Datagram {
                state.sockets().note_asked(socket.inode, destination);
            }
            redirect(state, call, socket, state.responder, pointer)
        }
        Decision::Lead => lead(state, call, socket, destination, pointer),
    }
}

fn is_own_token(state: &State, destination: SocketAddr) -> bool {
    destination.port() == state.acceptor && matches!(destination.ip(), IpAddr::V4(ip) if tokens::is_token(ip))
}

/// To the acceptor, at an address that stands for the destination.
fn lead(
    state: &State,
    call: &Call<'_>,
    socket: &Socket,
    destination: SocketAddr,
    pointer: u64,
) -> Result<Outcome, Obstacle> {
    let name = match destination.ip() {
        IpAddr::V4(ip) => state.zone.name(ip),
        IpAddr::V6(_) => None,
    };
    let address = name.is_none().then_some(destination.ip());
    let (pid, program) = process::identity(call.thread());
    let led = Led {
        destination: Destination { name, address, port: destination.port() },
        origin: Origin::Process { pid, program },
        is_waited_for: false,
    };
    let token = state.tokens().issue(led);
    redirect(state, call, socket, SocketAddr::new(token.into(), state.acceptor), pointer)
}

/// Connects our copy to a place of ours; without a copy, or where it could block, lets the kernel connect the socket itself to a
/// rewritten address.
fn redirect(
    state: &State,
    call: &Call<'_>,
    socket: &Socket,
    target: SocketAddr,
    pointer: u64,
) -> Result<Outcome, Obstacle> {
    let target = socket.reach(target);
    let crowded = socket.transport == Transport::Stream && state.tokens().waiting() > CROWD;
    if let Some(born) = &socket.born
        && (!crowded || socket::is_non_blocking(born.socket.as_fd()))
    {
        // Before the connect, for the acceptor may be quicker than this thread.
        let token = match target.ip().to_canonical() {
            IpAddr::V4(token) => token,
            IpAddr::V6(_) => return Err(Errno(libc::EADDRNOTAVAIL).into()),
        };
        state.tokens().expect(token);
        let verdict = match socket::connect(born.socket.as_fd(), target) {
            Ok(()) => Verdict::Return(0),
            Err(errno) => Verdict::Fail(errno),
        };
        if !matches!(verdict, Verdict::Return(_) | Verdict::Fail(Errno(libc::EINPROGRESS))) {
            state.tokens().withdraw(token);
        }
        if socket.transport == Transport::Stream {
            state.sockets().forget(socket.inode);
        }
        return Ok(verdict.into());
    }
    let verdict = rewrite(call, (pointer, call.length(2)), target)?;
    state.sockets().forget(socket.inode);
    Ok(verdict.into())
}
