//! The way through a SOCKS proxy (RFC 1928, RFC 1929).

use std::net::IpAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::failure::ForwardError;
use crate::exchange::FailureKind;
use crate::route::Target;
use crate::settings::Login;
use crate::transport::BoxStream;

const VERSION: u8 = 5;
const NO_AUTHENTICATION: u8 = 0;
const USER_AND_PASSWORD: u8 = 2;
const LOGIN_VERSION: u8 = 1;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// Asks a SOCKS proxy for a connection to the target. What follows on the stream belongs to it.
pub(super) async fn connect(
    stream: &mut BoxStream,
    login: Option<&Login>,
    target: &Target,
) -> Result<(), ForwardError> {
    let request = request(target)?;
    let offer: &[u8] = match login {
        Some(_) => &[VERSION, 2, NO_AUTHENTICATION, USER_AND_PASSWORD],
        None => &[VERSION, 1, NO_AUTHENTICATION],
    };
    send(stream, offer).await?;
    let [version, method] = receive(stream).await?;
    match (version, method, login) {
        (VERSION, NO_AUTHENTICATION, _) => {}
        (VERSION, USER_AND_PASSWORD, Some(login)) => log_in(stream, login).await?,
        (VERSION, _, Some(_)) => return Err(refused("the SOCKS proxy takes no user and password")),
        (VERSION, ..) => return Err(refused("the SOCKS proxy wants a user and password")),
        _ => return Err(refused("the SOCKS proxy does not speak version 5")),
    }
    send(stream, &request).await?;
    let [_, reply, _, kind] = receive(stream).await?;
    if reply != 0 {
        return Err(denied(reply));
    }
    // The address that the proxy is bound to says nothing of use here.
    let address = match kind {
        IPV4 => 4,
        IPV6 => 16,
        _ => usize::from(receive::<1>(stream).await?[0]),
    };
    let mut rest = [0; 255 + 2];
    stream.read_exact(&mut rest[..address + 2]).await.map_err(|_| closed())?;
    Ok(())
}

async fn log_in(stream: &mut BoxStream, login: &Login) -> Result<(), ForwardError> {
    let mut message = vec![LOGIN_VERSION];
    for part in [&login.user, &login.password] {
        let part = part.expose_secret().as_bytes();
        let length = u8::try_from(part.len())
            .map_err(|_| refused("the user or the password for the SOCKS proxy has more than 255 bytes"))?;
        message.push(length);
        message.extend_from_slice(part);
    }
    send(stream, &message).await?;
    match receive(stream).await? {
        [_, 0] => Ok(()),
        _ => Err(refused("the SOCKS proxy refuses the user and password")),
    }
}

fn request(target: &Target) -> Result<Vec<u8>, ForwardError> {
    let mut request = vec![VERSION, CONNECT, 0];
    match target.host.parse() {
        Ok(IpAddr::V4(address)) => {
            request.push(IPV4);
            request.extend(address.octets());
        }
        Ok(IpAddr::V6(address)) => {
            request.push(IPV6);
            request.extend(address.octets());
        }
        Err(_) => {
            let length = u8::try_from(target.host.len())
                .map_err(|_| refused("the host name has more than 255 bytes"))?;
            request.extend([NAME, length]);
            request.extend(target.host.bytes());
        }
    }
    request.extend(target.port.to_be_bytes());
    Ok(request)
}

async fn send(stream: &mut BoxStream, bytes: &[u8]) -> Result<(), ForwardError> {
    stream.write_all(bytes).await.map_err(|_| closed())?;
    stream.flush().await.map_err(|_| closed())
}

async fn receive<const LENGTH: usize>(stream: &mut BoxStream) -> Result<[u8; LENGTH], ForwardError> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes).await.map_err(|_| closed())?;
    Ok(bytes)
}

/// What the reply of a proxy means for the client (RFC 1928 section 6).
fn denied(reply: u8) -> ForwardError {
    let (kind, why) = match reply {
        2 => (FailureKind::Refused, "does not allow the connection"),
        3 => (FailureKind::Refused, "cannot reach the network"),
        4 => (FailureKind::Refused, "cannot reach the host"),
        5 => (FailureKind::Refused, "was refused the connection"),
        6 => (FailureKind::Timeout, "got no answer in time"),
        _ => (FailureKind::Refused, "failed to connect"),
    };
    ForwardError::new(kind, format!("the SOCKS proxy {why}"))
}

fn refused(what: &str) -> ForwardError {
    ForwardError::new(FailureKind::Refused, what.to_owned())
}

fn closed() -> ForwardError {
    refused("the SOCKS proxy closed the connection")
}
