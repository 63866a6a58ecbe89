//! Sockets made for others: any family, type and protocol, and calls on copies of them.

use std::mem;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use libc::{c_int, socklen_t};

use super::super::address;
use super::Errno;

/// `SOCK_NONBLOCK` and the like stay as asked; our copy is closed on exec in any case.
pub(in super::super) fn create(domain: c_int, kind: c_int, protocol: c_int) -> Result<OwnedFd, Errno> {
    // SAFETY: the call takes plain numbers.
    let descriptor = unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC, protocol) };
    if descriptor < 0 {
        return Err(Errno::last());
    }
    // SAFETY: the kernel has just made this descriptor for us, and nothing else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Connects. `EINPROGRESS` where the socket does not block.
pub(in super::super) fn connect(socket: BorrowedFd<'_>, to: SocketAddr) -> Result<(), Errno> {
    let bytes = address::emit(to);
    // SAFETY: the pointer is valid for `length` bytes, which the kernel only reads.
    let result = unsafe { libc::connect(socket.as_raw_fd(), bytes.as_ptr().cast(), length(&bytes)) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Sends a datagram.
pub(in super::super) fn send_to(
    socket: BorrowedFd<'_>,
    payload: &[u8],
    flags: c_int,
    to: SocketAddr,
) -> Result<usize, Errno> {
    let bytes = address::emit(to);
    // SAFETY: both pointers are valid for the lengths given, and the kernel only reads there.
    let result = unsafe {
        libc::sendto(
            socket.as_raw_fd(),
            payload.as_ptr().cast(),
            payload.len(),
            flags | libc::MSG_NOSIGNAL,
            bytes.as_ptr().cast(),
            length(&bytes),
        )
    };
    usize::try_from(result).map_err(|_| Errno::last())
}

/// A datagram that has arrived, without waiting: its beginning, and how long it was in all.
pub(in super::super) fn receive(
    socket: BorrowedFd<'_>,
    space: usize,
    flags: c_int,
) -> Result<(Vec<u8>, usize), Errno> {
    let mut bytes = vec![0_u8; space];
    let flags = flags | libc::MSG_DONTWAIT | libc::MSG_TRUNC;
    // SAFETY: the pointer is valid for `space` bytes and exclusive.
    let result = unsafe { libc::recv(socket.as_raw_fd(), bytes.as_mut_ptr().cast(), space, flags) };
    let whole = usize::try_from(result).map_err(|_| Errno::last())?;
    bytes.truncate(whole.min(space));
    Ok((bytes, whole))
}

/// Lets an IPv6 socket reach IPv4 addresses, as it must to reach the acceptor.
pub(in super::super) fn allow_mapped(socket: BorrowedFd<'_>) {
    // A socket that is bound already keeps its setting, and its connect fails then: closed, not open.
    let _ = set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, &0_i32.to_ne_bytes());
}

/// Makes a listener unreachable from other machines.
pub(in super::super) fn bind_to_loopback_device(socket: BorrowedFd<'_>) -> Result<(), Errno> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_BINDTODEVICE, b"lo\0")
}

fn set_option(socket: BorrowedFd<'_>, level: c_int, name: c_int, value: &[u8]) -> Result<(), Errno> {
    // SAFETY: the pointer is valid for the length given, and the kernel only reads there.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, value.as_ptr().cast(), length(value)) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Binds an address.
pub(in super::super) fn bind(socket: BorrowedFd<'_>, to: SocketAddr) -> Result<(), Errno> {
    let bytes = address::emit(to);
    // SAFETY: the pointer is valid for the length given, and the kernel only reads there.
    let result = unsafe { libc::bind(socket.as_raw_fd(), bytes.as_ptr().cast(), length(&bytes)) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Listens.
pub(in super::super) fn listen(socket: BorrowedFd<'_>, backlog: c_int) -> Result<(), Errno> {
    // SAFETY: the call takes plain numbers.
    let result = unsafe { libc::listen(socket.as_raw_fd(), backlog) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Whether calls on it return at once. Copies share the setting.
pub(in super::super) fn is_non_blocking(socket: BorrowedFd<'_>) -> bool {
    // SAFETY: the request has no argument.
    let flags = unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFL) };
    flags >= 0 && flags & libc::O_NONBLOCK != 0
}

/// The inode that tells sockets apart, for all copies of one.
pub(in super::super) fn inode(socket: BorrowedFd<'_>) -> Result<u64, Errno> {
    // SAFETY: all members are integers, for which zero is a value.
    let mut facts: libc::stat = unsafe { mem::zeroed() };
    // SAFETY: the pointer is valid and exclusive.
    let result = unsafe { libc::fstat(socket.as_raw_fd(), &raw mut facts) };
    if result == 0 { Ok(facts.st_ino) } else { Err(Errno::last()) }
}

/// The protocol of a socket that is only known by its path under `/proc`: `TCP`, `UDPv6`, `UNIX`.
pub(in super::super) fn protocol_name(path: &str) -> Option<String> {
    let path = std::ffi::CString::new(path).ok()?;
    let mut name = [0_u8; 64];
    // SAFETY: both names end with zero; the kernel writes at most `name.len()` bytes to an exclusive place.
    let length = unsafe {
        libc::getxattr(path.as_ptr(), c"system.sockprotoname".as_ptr(), name.as_mut_ptr().cast(), name.len())
    };
    let name = name.get(..usize::try_from(length).ok()?)?;
    Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned())
}

fn length(bytes: &[u8]) -> socklen_t {
    // Addresses and options are far below four gigabytes.
    bytes.len() as socklen_t
}
