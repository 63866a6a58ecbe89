//! Which loopback ports the tree itself listens on.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use super::policy::is_loopback;

/// State `TCP_LISTEN` in `/proc/net/tcp`.
const LISTEN: &str = "0A";

/// Whether an address is that of a listener whose socket is among these.
pub(super) fn is_own(own: &HashSet<u64>, destination: SocketAddr) -> bool {
    // An own port says nothing about the same port of another machine.
    !own.is_empty()
        && (is_loopback(destination.ip()) || is_this_machine(destination))
        && ["tcp", "tcp6"].iter().any(|table| has_listener(&read(table), destination.port(), own))
}

fn read(table: &str) -> String {
    // Without the table a listener is not known as own: the connection is led, which the report shows.
    std::fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default()
}

fn has_listener(table: &str, port: u16, own: &HashSet<u64>) -> bool {
    table
        .lines()
        .skip(1)
        .filter_map(listener)
        .any(|(listening, inode)| listening == port && own.contains(&inode))
}

/// Port and inode of a line that shows a listener.
fn listener(line: &str) -> Option<(u16, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (_, local) = (words.next()?, words.next()?);
    let (_, state) = (words.next()?, words.next()?);
    if state != LISTEN {
        return None;
    }
    let port = u16::from_str_radix(local.rsplit(':').next()?, 16).ok()?;
    // tx:rx queues, timer, retransmissions, user, time-out.
    let inode = words.nth(5)?.parse().ok()?;
    Some((port, inode))
}

/// Whether an address is one of this machine's own.
pub(super) fn is_this_machine(destination: SocketAddr) -> bool {
    let ip = destination.ip();
    // A group can be bound, and so can broadcast; neither is a machine.
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !ip.is_multicast() && !broadcast && UdpSocket::bind(SocketAddr::new(ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::TcpListener;
    use std::os::fd::AsFd as _;

    use super::{is_own, listener};
    use crate::supervisor::sys::socket::inode;

    #[test]
    fn a_line_of_the_table() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0";
        assert_eq!(listener(line), Some((8080, 4711)));
        assert_eq!(listener(&line.replace(" 0A ", " 01 ")), None);
        assert_eq!(listener("sl local"), None);
    }

    #[test]
    fn own_and_foreign_listeners() {
        let ours = TcpListener::bind("127.0.0.1:0").unwrap();
        let theirs = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = HashSet::from([inode(ours.as_fd()).unwrap()]);
        let (port, other) = (ours.local_addr().unwrap().port(), theirs.local_addr().unwrap());
        assert!(is_own(&own, ours.local_addr().unwrap()));
        assert!(is_own(&own, format!("0.0.0.0:{port}").parse().unwrap()));
        assert!(!is_own(&own, other));
        assert!(!is_own(&own, format!("192.0.2.1:{port}").parse().unwrap()), "another machine");
        assert!(!is_own(&HashSet::new(), ours.local_addr().unwrap()));
    }
}
