//! SOCKS version 5 (RFC 1928): CONNECT. A client that wants to log in (RFC 1929) may: every user is welcome.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use bytes::Buf as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::serve::Arrived;
use crate::route::Target;
use crate::shared::Shared;

const VERSION: u8 = 5;
const NO_AUTHENTICATION: u8 = 0;
const USER_AND_PASSWORD: u8 = 2;
const NOT_ACCEPTABLE: u8 = 0xff;
const LOGIN_VERSION: u8 = 1;
const CONNECT: u8 = 1;
const SUCCEEDED: u8 = 0;
const COMMAND_NOT_SUPPORTED: u8 = 7;
const ADDRESS_NOT_SUPPORTED: u8 = 8;

/// Agrees on a destination; what follows is detected anew.
pub(super) async fn accept(mut arrived: Arrived, shared: &Arc<Shared>) -> Option<Arrived> {
    let target = timeout(shared.limits.header_read, negotiate(&mut arrived)).await.ok()??;
    arrived.route.target = Some(target);
    Some(arrived)
}

async fn negotiate(arrived: &mut Arrived) -> Option<Target> {
    let count = usize::from(need(arrived, 2).await?[1]);
    let methods = &need(arrived, 2 + count).await?[2..2 + count];
    // Some clients offer a login and have none.
    let preferred = [NO_AUTHENTICATION, USER_AND_PASSWORD];
    let method = preferred.into_iter().find(|method| methods.contains(method)).unwrap_or(NOT_ACCEPTABLE);
    arrived.buffered.advance(2 + count);
    send(arrived, &[VERSION, method]).await?;
    match method {
        NO_AUTHENTICATION => {}
        USER_AND_PASSWORD => log_in(arrived).await?,
        _ => return None,
    }
    let (command, target, length) = read_request(arrived).await?;
    arrived.buffered.advance(length);
    let reply = match (&target, command) {
        (Some(_), CONNECT) => SUCCEEDED,
        (Some(_), _) => COMMAND_NOT_SUPPORTED,
        (None, _) => ADDRESS_NOT_SUPPORTED,
    };
    // The bound address says nothing that a client could use here.
    send(arrived, &[VERSION, reply, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    target.filter(|_| reply == SUCCEEDED)
}

/// Takes any user and any password: the proxy is the tester's own.
async fn log_in(arrived: &mut Arrived) -> Option<()> {
    let user = usize::from(need(arrived, 2).await?[1]);
    let password = usize::from(need(arrived, 2 + user + 1).await?[2 + user]);
    need(arrived, 2 + user + 1 + password).await?;
    arrived.buffered.advance(2 + user + 1 + password);
    send(arrived, &[LOGIN_VERSION, 0]).await
}

/// Command, destination, and length of the request.
async fn read_request(arrived: &mut Arrived) -> Option<(u8, Option<Target>, usize)> {
    let head = need(arrived, 5).await?;
    let (version, command, kind, first) = (head[0], head[1], head[3], head[4]);
    if version != VERSION {
        return None;
    }
    let address = match kind {
        1 => 4,
        3 => 1 + usize::from(first),
        4 => 16,
        _ => return Some((command, None, 5)),
    };
    let length = 4 + address + 2;
    let bytes = need(arrived, length).await?;
    let host = match kind {
        1 => Ipv4Addr::from(<[u8; 4]>::try_from(&bytes[4..8]).ok()?).to_string(),
        4 => Ipv6Addr::from(<[u8; 16]>::try_from(&bytes[4..20]).ok()?).to_string(),
        _ => std::str::from_utf8(&bytes[5..4 + address]).ok()?.to_ascii_lowercase(),
    };
    let port = u16::from_be_bytes([bytes[length - 2], bytes[length - 1]]);
    let valid =
        !host.is_empty() && port != 0 && !host.contains(|c: char| c.is_control() || c.is_whitespace());
    Some((command, valid.then_some(Target { host, port }), length))
}

/// At least so many bytes, none of them used up.
async fn need(arrived: &mut Arrived, length: usize) -> Option<&[u8]> {
    while arrived.buffered.len() < length {
        if arrived.stream.read_buf(&mut arrived.buffered).await.ok()? == 0 {
            return None;
        }
    }
    Some(&arrived.buffered)
}

async fn send(arrived: &mut Arrived, bytes: &[u8]) -> Option<()> {
    arrived.stream.write_all(bytes).await.ok()?;
    arrived.stream.flush().await.ok()
}
