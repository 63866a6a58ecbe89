//! Children of this process that someone waits for, and those that it has adopted.
//!
//! As the first process of a container, or as a subreaper, this process becomes the parent of processes whose own parent has ended.
//! Nobody waits for those; they would stay as zombies.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::process::{Child, Command};

static WAITED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a command whose end is for the holder of the child. Every start of a process goes through here.
///
/// # Errors
/// As [`Command::spawn`].
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    // Held over the start: the child may end before its number is known.
    let mut waited = WAITED.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    waited.extend(child.id());
    Ok(child)
}

/// Takes note of the end of adopted processes. To be called when a child has ended (`SIGCHLD`).
#[cfg(target_os = "linux")]
pub fn reap_adopted() {
    use rustix::process::{Pid, WaitOptions, waitpid};

    let mut waited = WAITED.lock().unwrap_or_else(PoisonError::into_inner);
    let children = children();
    waited.retain(|pid| children.contains(pid));
    for pid in children.difference(&waited) {
        if let Some(pid) = i32::try_from(*pid).ok().and_then(Pid::from_raw) {
            // One that still runs is left alone.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

/// Elsewhere nothing is adopted.
#[cfg(not(target_os = "linux"))]
pub fn reap_adopted() {}

/// Numbers of all children; none where the kernel does not list them (`CONFIG_PROC_CHILDREN`).
#[cfg(target_os = "linux")]
fn children() -> BTreeSet<u32> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return BTreeSet::new() };
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}
