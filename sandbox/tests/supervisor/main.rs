//! The supervisor against real programs. They are Python scripts, which reach every system call, and need nothing but `python3`.
#![cfg(target_os = "linux")]

mod datagrams;
mod local;
mod names;
mod others;
mod streams;
mod support;
mod tree;
