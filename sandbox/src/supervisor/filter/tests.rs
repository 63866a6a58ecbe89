use libc::c_long;
use proptest::prelude::*;

use super::{
    ALLOW, AND, ARCHITECTURE, ARGUMENTS, EQUAL, FOREIGN, JUMP, LOAD, NATIVE, NOTIFY, NUMBER, RETURN, program,
};

/// What the kernel would do, by its rules (`kernel/seccomp.c`, `net/core/filter.c`): the value returned.
fn run(architecture: u32, number: u32, arguments: [u64; 6]) -> u32 {
    let word = |offset: u32| match offset {
        NUMBER => number,
        ARCHITECTURE => architecture,
        offset => {
            let at = offset - ARGUMENTS;
            let value = arguments[(at / 8) as usize];
            if at.is_multiple_of(8) { value as u32 } else { (value >> 32) as u32 }
        }
    };
    let program = program();
    let (mut at, mut accumulator) = (0, 0_u32);
    loop {
        let step = program[at];
        at += 1;
        match step.code {
            LOAD => accumulator = word(step.k),
            AND => accumulator &= step.k,
            EQUAL => at += usize::from(if accumulator == step.k { step.jt } else { step.jf }),
            JUMP => at += step.k as usize,
            RETURN => return step.k,
            #[cfg(target_arch = "x86_64")]
            super::AT_LEAST => at += usize::from(if accumulator >= step.k { step.jt } else { step.jf }),
            code => panic!("{code:#x}"),
        }
    }
}

fn native(number: c_long, arguments: [u64; 6]) -> u32 {
    run(NATIVE, u32::try_from(number).unwrap(), arguments)
}

fn refused(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | u32::try_from(errno).unwrap()
}

fn socket(domain: i32, kind: i32, protocol: i32) -> u32 {
    native(libc::SYS_socket, [domain as u64, kind as u64, protocol as u64, 0, 0, 0])
}

#[test]
fn internet_sockets_wait_and_other_ways_out_are_closed() {
    for family in [libc::AF_INET, libc::AF_INET6] {
        for kind in [libc::SOCK_STREAM, libc::SOCK_DGRAM] {
            let flags = kind | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
            assert_eq!(socket(family, flags, 0), NOTIFY.k);
            assert_eq!(socket(family, flags, 262), NOTIFY.k);
            assert_eq!(socket(family, kind, libc::IPPROTO_SCTP), refused(libc::EPROTONOSUPPORT));
            assert_eq!(socket(family, kind, libc::IPPROTO_ICMP), refused(libc::EPROTONOSUPPORT));
        }
        assert_eq!(socket(family, libc::SOCK_RAW, 0), refused(libc::EPERM));
        assert_eq!(socket(family, libc::SOCK_SEQPACKET, 0), refused(libc::EPERM));
    }
    assert_eq!(socket(libc::AF_UNIX, libc::SOCK_STREAM, 0), ALLOW.k);
    assert_eq!(socket(libc::AF_NETLINK, libc::SOCK_RAW, 0), ALLOW.k);
    for family in [libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG, libc::AF_BLUETOOTH, -1] {
        assert_eq!(socket(family, libc::SOCK_STREAM, 0), refused(libc::EAFNOSUPPORT), "{family}");
    }
}

#[test]
fn datagrams_wait_only_with_an_address() {
    for number in [libc::SYS_sendto, libc::SYS_recvfrom] {
        assert_eq!(native(number, [3, 1, 2, 0, 0, 0]), ALLOW.k);
        assert_eq!(native(number, [3, 1, 2, 0, 1, 16]), NOTIFY.k);
        assert_eq!(native(number, [3, 1, 2, 0, 1 << 32, 16]), NOTIFY.k);
    }
    for number in [
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_sendmsg,
        libc::SYS_sendmmsg,
        libc::SYS_recvmsg,
    ] {
        assert_eq!(native(number, [0; 6]), NOTIFY.k);
    }
}

#[test]
fn options_that_lead_elsewhere_are_refused() {
    let option = |level: i32, name: u64| native(libc::SYS_setsockopt, [3, level as u64, name, 0, 0, 0]);
    for (level, names) in super::WAYWARD {
        for name in names {
            assert_eq!(option(level, u64::from(*name)), refused(libc::EPERM), "{level} {name}");
        }
    }
    for (level, name) in [
        (libc::SOL_SOCKET, libc::SO_REUSEADDR),
        (libc::IPPROTO_TCP, libc::TCP_NODELAY),
        (libc::IPPROTO_IP, libc::IP_TOS),
        (libc::IPPROTO_IP, libc::IP_PKTINFO),
        (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY),
        (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO),
        (libc::IPPROTO_UDP, 103),
    ] {
        assert_eq!(option(level, name as u64), ALLOW.k, "{level} {name}");
    }
}

#[test]
fn io_uring_is_not_there() {
    for number in [libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register] {
        assert_eq!(native(number, [0; 6]), refused(libc::ENOSYS));
    }
}

#[test]
fn other_processor_modes_have_no_network() {
    let (architecture, calls) = FOREIGN;
    for number in calls {
        assert_eq!(run(architecture, *number, [0; 6]), refused(libc::EPERM));
    }
    assert_eq!(run(architecture, 1, [0; 6]), ALLOW.k, "exit");
    assert_eq!(run(0x1234, 1, [0; 6]), refused(libc::EPERM));
    #[cfg(target_arch = "x86_64")]
    assert_eq!(run(NATIVE, super::X32 + 42, [0; 6]), refused(libc::ENOSYS));
}

#[test]
fn ordinary_calls_go_through() {
    for number in [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_openat,
        libc::SYS_execve,
        libc::SYS_accept4,
        libc::SYS_socketpair,
    ] {
        assert_eq!(native(number, [0; 6]), ALLOW.k);
    }
}

proptest! {
    #[test]
    fn every_call_has_an_answer(architecture: u32, number: u32, arguments: [u64; 6]) {
        run(architecture, number, arguments);
        run(NATIVE, number % 500, arguments);
    }
}
