//! Facts about a thread of the tree, from `/proc`.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

/// The socket behind a descriptor of a thread.
///
/// # Errors
/// `PermissionDenied`: the thread may not be looked at. `InvalidInput`: it is no socket. Anything else: there is no such descriptor.
pub(super) fn socket_inode(tid: u32, descriptor: i32) -> io::Result<u64> {
    let target = fs::read_link(fd_path(tid, descriptor))?;
    parse_inode(&target).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn parse_inode(target: &Path) -> Option<u64> {
    target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

/// Where a descriptor of a thread is found.
pub(super) fn fd_path(tid: u32, descriptor: i32) -> String {
    format!("/proc/{tid}/fd/{descriptor}")
}

/// Process id of a thread and the name of its program; the thread's own where the process cannot be looked at.
pub(super) fn identity(tid: u32) -> (u32, String) {
    let status = status(tid);
    let pid = field(&status, "Tgid:").and_then(|value| value.parse().ok()).unwrap_or(tid);
    let executable = fs::read_link(format!("/proc/{tid}/exe")).ok();
    let program = executable
        .as_deref()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().trim_end_matches(" (deleted)").to_owned())
        .or_else(|| field(&status, "Name:").map(str::to_owned))
        .unwrap_or_default();
    (pid, program)
}

/// Effective user and group of a thread.
pub(super) fn user(tid: u32) -> Option<(u32, u32)> {
    let status = status(tid);
    let effective = |name| field(&status, name)?.split_whitespace().nth(1)?.parse().ok();
    Some((effective("Uid:")?, effective("Gid:")?))
}

/// The beginning of `/proc/TID/status`, which has all that is asked for here.
fn status(tid: u32) -> String {
    let mut bytes = [0; 512];
    let length = fs::File::open(format!("/proc/{tid}/status"))
        .and_then(|mut file| file.read(&mut bytes))
        .unwrap_or_default();
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::path::Path;

    use super::{identity, parse_inode, socket_inode, user};

    #[test]
    fn this_process() {
        let pid = std::process::id();
        let (seen, program) = identity(pid);
        assert_eq!(seen, pid);
        assert!(program.starts_with("mcpeak_sandbox"), "{program}");
        assert!(user(pid).is_some());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(socket_inode(pid, listener.as_raw_fd()).unwrap() > 0);
        let file = std::fs::File::open("/dev/null").unwrap();
        assert!(socket_inode(pid, file.as_raw_fd()).is_err());
        assert!(socket_inode(pid, -1).is_err());
    }

    #[test]
    fn a_thread_that_is_gone_has_its_number() {
        assert_eq!(identity(u32::MAX), (u32::MAX, String::new()));
        assert_eq!(user(u32::MAX), None);
        assert_eq!(parse_inode(Path::new("socket:[12]")), Some(12));
        assert_eq!(parse_inode(Path::new("pipe:[12]")), None);
    }
}
