//! sendto, sendmsg, sendmmsg: datagrams with an address. Those without one go where their socket was connected to.

use std::os::fd::AsFd as _;

use super::message::{HEADER, HEADER_OF_MANY, LONGEST_DATAGRAM, Message};
use super::{State, internet_socket, rewrite};
use crate::supervisor::address::{self, Address};
use crate::supervisor::call::{Call, Obstacle, Outcome};
use crate::supervisor::policy::{Decision, Transport};
use crate::supervisor::sys::Errno;
use crate::supervisor::sys::seccomp::Verdict;
use crate::supervisor::sys::socket;

/// Messages that one call may carry (`UIO_MAXIOV`).
const MOST_MESSAGES: u64 = 1024;

/// What becomes of a datagram.
enum Fate {
    /// The call's own verdict, whatever it carries.
    Verdict(Verdict),
    /// So many bytes were sent in its place.
    Sent(usize),
}

pub(super) fn sendto(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let address = (call.argument(4), call.length(5));
    let payload = || {
        let length = usize::try_from(call.argument(2)).unwrap_or(usize::MAX);
        if length > LONGEST_DATAGRAM {
            return Err(Errno(libc::EMSGSIZE).into());
        }
        Ok(call.memory()?.read(call.argument(1), length)?)
    };
    Ok(datagram(state, call, call.int(3), address, payload)?.into())
}

pub(super) fn sendmsg(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let message = Message::read(call.memory()?, call.argument(1))?;
    if message.is_wayward()? {
        return Err(Errno(libc::EPERM).into());
    }
    if message.name == 0 {
        return Ok(Verdict::Continue.into());
    }
    Ok(datagram(state, call, call.int(2), message.address(), || Ok(message.payload()?))?.into())
}

impl From<Fate> for Outcome {
    fn from(fate: Fate) -> Self {
        match fate {
            Fate::Verdict(verdict) => verdict,
            // A datagram is at most 64 KiB.
            Fate::Sent(length) => Verdict::Return(length as i64),
        }
        .into()
    }
}

/// Looks at every message. If all go where the caller may send, the kernel sends them; else the first one is taken, and callers send the
/// others again, as the call allows.
pub(super) fn sendmmsg(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let memory = call.memory()?;
    let (vector, count) = (call.argument(1), call.length(2).min(MOST_MESSAGES));
    let mut messages = Vec::new();
    for index in 0..count {
        let message = Message::read(memory, vector + index * HEADER_OF_MANY)?;
        if message.is_wayward()? {
            return Err(Errno(libc::EPERM).into());
        }
        messages.push(message);
    }
    let mut harmless = true;
    for message in messages.iter().filter(|message| message.name != 0) {
        harmless &= is_direct(state, call, message.address())?;
    }
    let Some(first) = messages.first().filter(|_| !harmless) else { return Ok(Verdict::Continue.into()) };
    if first.name == 0 {
        // Messages with and without an address in one call: no client is known to do that.
        return Err(Errno(libc::EINVAL).into());
    }
    match datagram(state, call, call.int(3), first.address(), || Ok(first.payload()?))? {
        // It would carry out the others as well.
        Fate::Verdict(Verdict::Continue) => Err(Errno(libc::EINVAL).into()),
        Fate::Verdict(verdict) => Ok(verdict.into()),
        Fate::Sent(length) => {
            // A datagram is at most 64 KiB.
            memory.write(vector + HEADER, &(length as u32).to_ne_bytes())?;
            Ok(Verdict::Return(1).into())
        }
    }
}

/// Whether a datagram may be sent as it is.
fn is_direct(state: &State, call: &Call<'_>, (pointer, length): (u64, u64)) -> Result<bool, Obstacle> {
    if length == 0 {
        return Ok(true);
    }
    let given = match call.address(pointer, length)? {
        Address::Internet(given) => given,
        Address::Unix(_) => return Ok(true),
        Address::Unspecified | Address::Other | Address::Malformed => return Ok(false),
    };
    Ok(match internet_socket(state, call, call.int(0))? {
        None => true,
        Some(socket) => {
            matches!(state.decide(&socket, address::canonical(given)), Decision::Direct | Decision::Pass)
        }
    })
}

fn datagram(
    state: &State,
    call: &Call<'_>,
    flags: i32,
    (pointer, length): (u64, u64),
    payload: impl FnOnce() -> Result<Vec<u8>, Obstacle>,
) -> Result<Fate, Obstacle> {
    if length == 0 {
        // A pointer without an address behind it: streams and local sockets do not look, datagrams are refused by the kernel.
        return Ok(Fate::Verdict(Verdict::Continue));
    }
    let given = match call.address(pointer, length)? {
        Address::Internet(given) => given,
        Address::Unix(path) => {
            state.ledger.local_socket(path);
            return Ok(Fate::Verdict(Verdict::Continue));
        }
        // The kernel takes an unspecified family for IPv4.
        Address::Unspecified | Address::Other | Address::Malformed => {
            return match internet_socket(state, call, call.int(0))? {
                None => Ok(Fate::Verdict(Verdict::Continue)),
                Some(_) => Err(Errno(libc::EINVAL).into()),
            };
        }
    };
    let Some(socket) = internet_socket(state, call, call.int(0))? else {
        return Ok(Fate::Verdict(Verdict::Continue));
    };
    if socket.transport == Transport::Stream {
        // A stream looks at the address only to connect with its first data.
        let connects = flags & libc::MSG_FASTOPEN != 0;
        let verdict = if connects { Verdict::Fail(Errno(libc::EOPNOTSUPP)) } else { Verdict::Continue };
        return Ok(Fate::Verdict(verdict));
    }
    let destination = address::canonical(given);
    match state.decide(&socket, destination) {
        Decision::Direct => Ok(Fate::Verdict(Verdict::Continue)),
        // Of these a datagram is only refused.
        Decision::Refuse | Decision::Lead | Decision::Pass => {
            state.ledger.refused(destination);
            Ok(Fate::Verdict(Verdict::Fail(Errno(libc::ENETUNREACH))))
        }
        Decision::Dns => {
            state.sockets().note_asked(socket.inode, destination);
            let target = socket.reach(state.responder);
            let Some(born) = &socket.born else {
                return Ok(Fate::Verdict(rewrite(call, (pointer, length), target)?));
            };
            let sent = socket::send_to(born.socket.as_fd(), &payload()?, flags | libc::MSG_DONTWAIT, target)?;
            Ok(Fate::Sent(sent))
        }
    }
}
