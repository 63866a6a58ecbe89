//! What to do with a destination. No system calls: facts in, a decision out.

use std::net::{IpAddr, SocketAddr};

use crate::capture::PassLoopback;

/// The transport of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// A byte stream: TCP, MPTCP.
    Stream,
    /// Datagrams: UDP.
    Datagram,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// To the proxy.
    Lead,
    /// To the DNS responder.
    Dns,
    /// As asked for: within this machine, and of no account to anybody else.
    Direct,
    /// As asked for, to another program of this machine, by the user's leave.
    Pass,
    /// Not at all.
    Refuse,
}

const DNS: u16 = 53;

/// Decides. The questions are asked only where the answer matters.
pub(super) fn decide(
    transport: Transport,
    destination: SocketAddr,
    pass: &PassLoopback,
    is_this_machine: impl FnOnce(SocketAddr) -> bool,
    is_own_listener: impl FnOnce(SocketAddr) -> bool,
) -> Decision {
    // Before the loopback rule: local stub resolvers listen there.
    if destination.port() == DNS {
        return Decision::Dns;
    }
    let local = is_loopback(destination.ip());
    match transport {
        Transport::Datagram if local || is_this_machine(destination) => Decision::Direct,
        Transport::Datagram => Decision::Refuse,
        Transport::Stream if is_own_listener(destination) => Decision::Direct,
        Transport::Stream if local && passes(pass, destination.port()) => Decision::Pass,
        Transport::Stream => Decision::Lead,
    }
}

/// This machine, as seen from itself. Connecting to the unspecified address means loopback on Linux.
pub(super) fn is_loopback(ip: IpAddr) -> bool {
    let ip = ip.to_canonical();
    ip.is_loopback() || ip.is_unspecified()
}

fn passes(pass: &PassLoopback, port: u16) -> bool {
    match pass {
        PassLoopback::None => false,
        PassLoopback::All => true,
        PassLoopback::Ports(ports) => ports.contains(&port),
    }
}

/// Daemons that resolve names for others, outside the tree. They are answered as absent, so that libraries ask by DNS.
pub(super) fn is_name_service(path: &str) -> bool {
    const SOCKETS: [&str; 7] = [
        "/nscd/socket",
        "/nslcd/socket",
        "/systemd/resolve/io.systemd.Resolve",
        "/systemd/resolve/io.systemd.Resolve.Monitor",
        "/avahi-daemon/socket",
        "/unbound.ctl",
        "/lwresd",
    ];
    ["/run", "/var/run"]
        .iter()
        .filter_map(|folder| path.strip_prefix(folder))
        .any(|rest| SOCKETS.contains(&rest))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Decision, PassLoopback, Transport, decide, is_name_service};

    fn decided(transport: Transport, destination: &str, pass: &PassLoopback) -> Decision {
        let own_address = |given: std::net::SocketAddr| given.ip().to_string() == "172.17.0.1";
        decide(transport, destination.parse().unwrap(), pass, own_address, |own| own.port() == 7000)
    }

    #[test]
    fn streams() {
        let none = PassLoopback::None;
        for (destination, decision) in [
            ("192.0.2.1:443", Decision::Lead),
            ("[2001:db8::1]:443", Decision::Lead),
            ("8.8.8.8:53", Decision::Dns),
            ("127.0.0.53:53", Decision::Dns),
            ("[::1]:53", Decision::Dns),
            ("127.0.0.1:5432", Decision::Lead),
            ("127.0.0.1:7000", Decision::Direct),
            ("0.0.0.0:7000", Decision::Direct),
            ("[::]:7000", Decision::Direct),
            ("[::ffff:127.0.0.1]:7000", Decision::Direct),
        ] {
            assert_eq!(decided(Transport::Stream, destination, &none), decision, "{destination}");
        }
    }

    #[test]
    fn datagrams_leave_in_no_case() {
        let all = PassLoopback::All;
        for (destination, decision) in [
            ("192.0.2.1:443", Decision::Refuse),
            ("[2001:db8::1]:443", Decision::Refuse),
            ("224.0.0.251:5353", Decision::Refuse),
            ("255.255.255.255:9", Decision::Refuse),
            ("127.0.0.1:8125", Decision::Direct),
            ("172.17.0.1:8125", Decision::Direct),
            ("[::1]:8125", Decision::Direct),
            ("[::ffff:10.0.0.1]:8125", Decision::Refuse),
            ("10.0.0.1:53", Decision::Dns),
        ] {
            assert_eq!(decided(Transport::Datagram, destination, &all), decision, "{destination}");
        }
    }

    #[test]
    fn foreign_loopback_ports_pass_only_where_allowed() {
        let one = PassLoopback::Ports(BTreeSet::from([5432]));
        assert_eq!(decided(Transport::Stream, "127.0.0.1:5432", &one), Decision::Pass);
        assert_eq!(decided(Transport::Stream, "[::1]:5432", &one), Decision::Pass);
        assert_eq!(decided(Transport::Stream, "127.0.0.1:5433", &one), Decision::Lead);
        assert_eq!(decided(Transport::Stream, "192.0.2.1:5432", &PassLoopback::All), Decision::Lead);
        assert_eq!(decided(Transport::Stream, "127.0.0.1:1", &PassLoopback::All), Decision::Pass);
        assert_eq!(
            decided(Transport::Stream, "127.0.0.1:7000", &PassLoopback::All),
            Decision::Direct,
            "its own"
        );
    }

    #[test]
    fn name_services() {
        assert!(is_name_service("/var/run/nscd/socket"));
        assert!(is_name_service("/run/systemd/resolve/io.systemd.Resolve"));
        assert!(!is_name_service("/run/docker.sock"));
        assert!(!is_name_service("/tmp/run/nscd/socket"));
    }
}
