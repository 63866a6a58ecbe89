//! Running a server under observation.
//!
//! | module | what it holds |
//! |---|---|
//! | [`capture`] | how a process tree's sockets are led to the proxy, and what was seen: plain values for every platform |
//! | `supervisor` | the Linux supervisor behind it: a seccomp user-notification filter and its listener |

pub mod capture;
#[cfg(target_os = "linux")]
mod supervisor;
