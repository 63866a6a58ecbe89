//! recvfrom, recvmsg: an answer of ours is shown as coming from the server that was asked. c-ares and musl drop it otherwise.

use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use super::State;
use super::message::{LONGEST_DATAGRAM, Message};
use crate::supervisor::address;
use crate::supervisor::call::{Call, Obstacle, Outcome};
use crate::supervisor::sockets::Born;
use crate::supervisor::sys::Errno;
use crate::supervisor::sys::seccomp::Verdict;
use crate::supervisor::sys::socket;

/// A datagram of our responder.
struct Reply {
    payload: Vec<u8>,
    /// Its whole length.
    length: usize,
    /// The server that was asked, as the socket's family names it.
    source: Vec<u8>,
}

pub(super) fn recvfrom(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let Some((server, born)) = asked(state, call)? else { return Ok(Verdict::Continue.into()) };
    let space = usize::try_from(call.argument(2)).unwrap_or(usize::MAX);
    let Some(reply) = take(&born, server, space, call.int(3))? else {
        return Ok(Verdict::Continue.into());
    };
    let memory = call.memory()?;
    memory.write(call.argument(1), &reply.payload)?;
    let (address, length) = (call.argument(4), call.argument(5));
    if length != 0 {
        let room = memory.read_u32(length)? as usize;
        memory.write(address, &reply.source[..room.min(reply.source.len())])?;
        // An address is at most 28 bytes long.
        memory.write(length, &(reply.source.len() as u32).to_ne_bytes())?;
    }
    Ok(received(&reply, call.int(3)))
}

pub(super) fn recvmsg(state: &State, call: &Call<'_>) -> Result<Outcome, Obstacle> {
    let Some((server, born)) = asked(state, call)? else { return Ok(Verdict::Continue.into()) };
    let message = Message::read(call.memory()?, call.argument(1))?;
    let Some(reply) = take(&born, server, message.space()?, call.int(2))? else {
        return Ok(Verdict::Continue.into());
    };
    message.fill(&reply.payload, &reply.source, reply.length > reply.payload.len())?;
    Ok(received(&reply, call.int(2)))
}

fn received(reply: &Reply, flags: i32) -> Outcome {
    let length = if flags & libc::MSG_TRUNC != 0 { reply.length } else { reply.payload.len() };
    // A datagram is at most 64 KiB.
    Verdict::Return(length as i64).into()
}

/// The server that the caller's socket asked, where we answer in its place.
fn asked(state: &State, call: &Call<'_>) -> Result<Option<(SocketAddr, Arc<Born>)>, Obstacle> {
    // Most messages have nothing to do with names: sockets between processes, descriptors handed over.
    if !state.sockets().has_asked() {
        return Ok(None);
    }
    let inode = call.socket(call.int(0))?;
    let sockets = state.sockets();
    Ok(sockets.asked(inode).zip(sockets.get(inode)))
}

/// Takes a datagram if one is there. `None`: the caller may wait in the kernel.
fn take(born: &Born, server: SocketAddr, space: usize, flags: i32) -> Result<Option<Reply>, Obstacle> {
    let kept = flags & (libc::MSG_PEEK | libc::MSG_TRUNC);
    match socket::receive(born.socket.as_fd(), space.min(LONGEST_DATAGRAM), kept) {
        Ok((payload, length)) => {
            let source = if born.is_v6 { address::mapped(server) } else { server };
            Ok(Some(Reply { payload, length, source: address::emit(source) }))
        }
        Err(Errno(libc::EAGAIN)) => {
            let waits = flags & libc::MSG_DONTWAIT == 0 && !socket::is_non_blocking(born.socket.as_fd());
            if waits { Ok(None) } else { Err(Errno(libc::EAGAIN).into()) }
        }
        Err(errno) => Err(errno.into()),
    }
}
