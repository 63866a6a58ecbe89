//! The seccomp supervisor: every socket call of a process tree is decided here before the kernel sees it.
//!
//! A TCP or UDP socket of the tree is created by the supervisor and injected ("led by birth"); a copy stays here until the
//! socket is connected, and is what gets connected: to the acceptor on loopback, at an address that is a token for the
//! destination that the program asked for. Nothing in the program's memory changes, and no byte passes through an extra hop.
//!
//! | module | what it does |
//! |---|---|
//! | `address` | socket addresses as the kernel lays them out |
//! | `policy` | what to do with a destination; no syscalls |
//! | `names` | names and their private addresses |
//! | `search` | which look-ups are only made by a resolver's search list |
//! | `dns` | answers to DNS questions |
//! | `responder` | serves them over UDP and TCP |
//! | `tokens` | one loopback address per led connection |
//! | `acceptor` | takes led connections and hands them on |
//! | `sockets` | copies of sockets that are not connected yet, and what is remembered of others |
//! | `listeners` | which loopback ports the tree itself listens on |
//! | `process` | facts about a thread of the tree |
//! | `filter` | the BPF program |
//! | `call` | one trapped system call |
//! | `handle` | what is done for each system call |
//! | `listener` | receives notifications, answers them |
//! | `workers` | handles the notifications of other users |
//! | `launcher` | the filtered thread that starts processes |
//! | `ledger` | what was seen, for the report |
//! | `start` | puts it all together |
//! | `sys` | system calls, the only unsafe code |

mod acceptor;
mod address;
mod call;
mod dns;
mod filter;
mod handle;
mod launcher;
mod ledger;
mod listener;
mod listeners;
mod names;
mod policy;
mod process;
mod responder;
mod search;
mod sockets;
mod start;
mod sys;
mod tokens;
mod workers;

pub(crate) use start::Supervisor;
