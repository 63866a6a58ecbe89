//! The BPF program (`man 2 seccomp`): which system calls wait for the supervisor, which are refused, which go through.
//!
//! Classic BPF, written by hand: one self-contained block per system call, so that no jump leaves its block.

use libc::{c_long, sock_filter};

/// `offsetof(struct seccomp_data, …)`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;

/// Numbers of the 32-bit interface that the same kernel serves: sockets and io_uring.
#[cfg(target_arch = "x86_64")]
const FOREIGN: (u32, &[u32]) =
    // socketcall, socket, bind, connect, listen, sendto, sendmsg, sendmmsg, io_uring_setup, _enter, _register
    (0x4000_0003, &[102, 359, 361, 362, 363, 369, 370, 345, 425, 426, 427]);
#[cfg(target_arch = "aarch64")]
const FOREIGN: (u32, &[u32]) =
    // socket, bind, connect, listen, sendto, sendmsg, sendmmsg, io_uring_setup, _enter, _register
    (0x4000_0028, &[281, 282, 283, 284, 290, 296, 374, 425, 426, 427]);

/// Numbers from here on are x32 calls, which would pass every comparison below.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Linux's own protocol number for multipath TCP; `IPPROTO_MPTCP`.
const MPTCP: u32 = 262;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
#[cfg(target_arch = "x86_64")]
const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const JUMP: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const ALLOW: sock_filter = give(libc::SECCOMP_RET_ALLOW);
const NOTIFY: sock_filter = give(libc::SECCOMP_RET_USER_NOTIF);

const fn give(value: u32) -> sock_filter {
    sock_filter { code: RETURN, jt: 0, jf: 0, k: value }
}

const fn refuse(errno: i32) -> sock_filter {
    // An errno is a small positive number.
    give(libc::SECCOMP_RET_ERRNO | errno.cast_unsigned())
}

const fn load(offset: u32) -> sock_filter {
    sock_filter { code: LOAD, jt: 0, jf: 0, k: offset }
}

const fn argument(index: u32) -> u32 {
    ARGUMENTS + 8 * index
}

/// Falls through if equal, else skips so many instructions.
const fn unless_equal(value: u32, skip: u8) -> sock_filter {
    sock_filter { code: EQUAL, jt: 0, jf: skip, k: value }
}

/// Skips so many instructions if equal, else falls through.
const fn skip_if_equal(value: u32, skip: u8) -> sock_filter {
    sock_filter { code: EQUAL, jt: skip, jf: 0, k: value }
}

/// Skips so many instructions.
const fn skip(count: u32) -> sock_filter {
    sock_filter { code: JUMP, jt: 0, jf: 0, k: count }
}

/// The whole program.
pub(super) fn program() -> Vec<sock_filter> {
    let mut program = foreign();
    program.push(load(NUMBER));
    #[cfg(target_arch = "x86_64")]
    {
        program.push(sock_filter { code: AT_LEAST, jt: 0, jf: 1, k: X32 });
        program.push(refuse(libc::ENOSYS));
    }
    block(&mut program, libc::SYS_socket, &socket());
    for number in [
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_sendmsg,
        libc::SYS_sendmmsg,
        libc::SYS_recvmsg,
    ] {
        block(&mut program, number, &[NOTIFY]);
    }
    for number in [libc::SYS_sendto, libc::SYS_recvfrom] {
        block(&mut program, number, &with_address());
    }
    block(&mut program, libc::SYS_setsockopt, &options());
    for number in [libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register] {
        block(&mut program, number, &[refuse(libc::ENOSYS)]);
    }
    program.push(ALLOW);
    program
}

/// Other processor modes have no network: their calls have other numbers and other layouts.
fn foreign() -> Vec<sock_filter> {
    let (architecture, calls) = FOREIGN;
    let mut denied = vec![load(NUMBER)];
    for number in calls {
        denied.push(unless_equal(*number, 1));
        denied.push(refuse(libc::EPERM));
    }
    denied.push(ALLOW);
    let mut program = vec![load(ARCHITECTURE), unless_equal(architecture, short(denied.len()))];
    program.extend(denied);
    program.push(unless_equal(NATIVE, 1));
    program.push(skip(1));
    program.push(refuse(libc::EPERM));
    program
}

/// Appends a block for one system call. The accumulator holds the number before and, where the block is skipped, after.
fn block(program: &mut Vec<sock_filter>, number: c_long, body: &[sock_filter]) {
    // System call numbers are small and positive.
    program.push(unless_equal(number as u32, short(body.len())));
    program.extend_from_slice(body);
}

/// Local sockets go through; internet streams and datagrams wait; everything else is refused, with the error of a kernel without it.
fn socket() -> Vec<sock_filter> {
    let mut protocols = vec![load(argument(2))];
    for protocol in [0, libc::IPPROTO_TCP.cast_unsigned(), libc::IPPROTO_UDP.cast_unsigned(), MPTCP] {
        protocols.push(unless_equal(protocol, 1));
        protocols.push(NOTIFY);
    }
    protocols.push(refuse(libc::EPROTONOSUPPORT));

    let mut internet = vec![
        load(argument(1)),
        sock_filter { code: AND, jt: 0, jf: 0, k: 0xf },
        unless_equal(libc::SOCK_STREAM.cast_unsigned(), 1),
        // To the protocols, over the comparison with datagrams and its refusal.
        skip(2),
        skip_if_equal(libc::SOCK_DGRAM.cast_unsigned(), 1),
        // Raw sockets need a privilege that most programs do not have, and are told the same.
        refuse(libc::EPERM),
    ];
    internet.extend(protocols);

    let mut body = vec![load(argument(0))];
    for family in [libc::AF_UNIX, libc::AF_NETLINK] {
        body.push(unless_equal(family.cast_unsigned(), 1));
        body.push(ALLOW);
    }
    for family in [libc::AF_INET, libc::AF_INET6] {
        body.push(unless_equal(family.cast_unsigned(), short(internet.len())));
        body.extend_from_slice(&internet);
    }
    body.push(refuse(libc::EAFNOSUPPORT));
    body
}

/// Socket options that send packets of a socket elsewhere than its address says, or send packets by themselves: binding to a device,
/// source routes, joining groups. By level and number (`linux/in.h`, `linux/in6.h`, `asm-generic/socket.h`, `linux/tcp.h`).
const WAYWARD: [(i32, &[u32]); 4] = [
    // SO_BINDTODEVICE, SO_BINDTOIFINDEX
    (libc::SOL_SOCKET, &[25, 62]),
    // IP_OPTIONS, IP_RETOPTS, IP_TRANSPARENT, IP_MULTICAST_IF, IP_UNICAST_IF, and the ways to join groups: IP_ADD_MEMBERSHIP,
    // IP_ADD_SOURCE_MEMBERSHIP, IP_MSFILTER, MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP, MCAST_MSFILTER. IP_PKTINFO is judged in messages.
    (libc::IPPROTO_IP, &[4, 7, 19, 32, 50, 35, 39, 41, 42, 46, 48]),
    // IPV6_2292PKTINFO, _2292HOPOPTS, _2292DSTOPTS, _2292RTHDR, _2292PKTOPTIONS, IPV6_MULTICAST_IF, IPV6_ADD_MEMBERSHIP, IPV6_JOIN_ANYCAST,
    // MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP, MCAST_MSFILTER, IPV6_PKTINFO, IPV6_HOPOPTS, IPV6_RTHDRDSTOPTS, IPV6_RTHDR, IPV6_DSTOPTS,
    // IPV6_TRANSPARENT, IPV6_UNICAST_IF
    (libc::IPPROTO_IPV6, &[2, 3, 4, 5, 6, 17, 20, 27, 42, 46, 48, 50, 54, 55, 57, 59, 75, 76]),
    // TCP_REPAIR
    (libc::IPPROTO_TCP, &[19]),
];

/// Refuses those options.
fn options() -> Vec<sock_filter> {
    let mut body = vec![load(argument(1))];
    for (level, options) in WAYWARD {
        let mut refused = vec![load(argument(2))];
        for option in options {
            refused.push(unless_equal(*option, 1));
            refused.push(refuse(libc::EPERM));
        }
        refused.push(ALLOW);
        body.push(unless_equal(level.cast_unsigned(), short(refused.len())));
        body.extend(refused);
    }
    body.push(ALLOW);
    body
}

/// Waits if the fifth argument, the address, is not null.
fn with_address() -> Vec<sock_filter> {
    let low = argument(4);
    vec![load(low), unless_equal(0, 2), load(low + 4), skip_if_equal(0, 1), NOTIFY, ALLOW]
}

/// Blocks are far shorter than a jump reaches.
fn short(length: usize) -> u8 {
    debug_assert!(length <= 255, "a block is longer than a jump");
    length as u8
}

#[cfg(test)]
mod tests;
