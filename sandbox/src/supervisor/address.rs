//! Socket addresses as the kernel lays them out (`man 7 ip`, `man 7 ipv6`, `man 7 unix`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const UNSPEC: u16 = 0;
const UNIX: u16 = 1;
const INET: u16 = 2;
const INET6: u16 = 10;
/// `sizeof(struct sockaddr_in)`.
const INET_LENGTH: usize = 16;
/// The kernel takes an IPv6 address without its scope (`SIN6_LEN_RFC2133`).
const INET6_SHORTEST: usize = 24;
/// `sizeof(struct sockaddr_in6)`.
const INET6_LENGTH: usize = 28;
/// `sizeof(struct sockaddr_storage)`; the kernel takes no longer address.
pub(super) const LONGEST: usize = 128;

/// An address that a program gave to a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// IPv4 or IPv6.
    Internet(SocketAddr),
    /// A path, or `@name` for an abstract one; empty for an unnamed one.
    Unix(String),
    /// `AF_UNSPEC`: dissolves an association.
    Unspecified,
    /// Another family: netlink and the like.
    Other,
    /// Too short for its family.
    Malformed,
}

/// Reads an address.
pub(super) fn parse(bytes: &[u8]) -> Address {
    let Some(family) = bytes.first_chunk::<2>().map(|family| u16::from_ne_bytes(*family)) else {
        return Address::Malformed;
    };
    match family {
        UNSPEC => Address::Unspecified,
        UNIX => Address::Unix(unix(&bytes[2..])),
        INET if bytes.len() >= INET_LENGTH => {
            let address = Ipv4Addr::new(bytes[4], bytes[5], bytes[6], bytes[7]);
            Address::Internet(SocketAddr::new(address.into(), port(bytes)))
        }
        INET6 if bytes.len() >= INET6_SHORTEST => {
            let mut octets = [0; 16];
            octets.copy_from_slice(&bytes[8..24]);
            Address::Internet(SocketAddr::new(Ipv6Addr::from(octets).into(), port(bytes)))
        }
        INET | INET6 => Address::Malformed,
        _ => Address::Other,
    }
}

fn port(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[2], bytes[3]])
}

fn unix(path: &[u8]) -> String {
    match path {
        [0, name @ ..] => format!("@{}", String::from_utf8_lossy(name)),
        path => {
            let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
            String::from_utf8_lossy(&path[..end]).into_owned()
        }
    }
}

/// Lays an address out.
pub(super) fn emit(address: SocketAddr) -> Vec<u8> {
    match address.ip() {
        IpAddr::V4(ip) => {
            let mut bytes = vec![0; INET_LENGTH];
            bytes[..2].copy_from_slice(&INET.to_ne_bytes());
            bytes[2..4].copy_from_slice(&address.port().to_be_bytes());
            bytes[4..8].copy_from_slice(&ip.octets());
            bytes
        }
        IpAddr::V6(ip) => {
            let mut bytes = vec![0; INET6_LENGTH];
            bytes[..2].copy_from_slice(&INET6.to_ne_bytes());
            bytes[2..4].copy_from_slice(&address.port().to_be_bytes());
            bytes[8..24].copy_from_slice(&ip.octets());
            bytes
        }
    }
}

/// The same place as a socket of the IPv6 family names it (RFC 4291 section 2.5.5.2).
pub(super) fn mapped(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) => SocketAddr::new(ip.to_ipv6_mapped().into(), address.port()),
        IpAddr::V6(_) => address,
    }
}

/// The same place without the detour over IPv6.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use proptest::prelude::*;

    use super::{Address, canonical, emit, mapped, parse};

    #[test]
    fn families() {
        assert_eq!(parse(&[]), Address::Malformed);
        assert_eq!(parse(&[0, 0]), Address::Unspecified);
        assert_eq!(parse(&[2, 0, 0, 53, 1, 2, 3]), Address::Malformed);
        assert_eq!(parse(&[16, 0, 1, 2]), Address::Other);
        assert_eq!(parse(b"\x01\0/run/x\0junk"), Address::Unix("/run/x".to_owned()));
        assert_eq!(parse(b"\x01\0\0name"), Address::Unix("@name".to_owned()));
        assert_eq!(parse(b"\x01\0"), Address::Unix(String::new()));
    }

    #[test]
    fn mapped_and_back() {
        let plain: SocketAddr = "127.64.1.2:9".parse().unwrap();
        assert_eq!(mapped(plain).to_string(), "[::ffff:127.64.1.2]:9");
        assert_eq!(canonical(mapped(plain)), plain);
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(ip: std::net::IpAddr, port: u16) {
            let address = SocketAddr::new(ip, port);
            prop_assert_eq!(parse(&emit(address)), Address::Internet(address));
        }

        #[test]
        fn any_bytes_are_an_address_or_none(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
            parse(&bytes);
        }
    }
}
