//! Clients of every kind are recorded through captured sockets, and replayed with the origin gone. `tests/clients/install.sh`
//! builds them; MCPEAK_TEST_CLIENTS names the folder.
#![cfg(target_os = "linux")]

// The tests of the main job use the rest of it.
#[allow(dead_code, unused_imports)]
#[path = "../e2e/support/mod.rs"]
mod e2e;

mod clients;
mod connections;
mod ends;
mod hosts;
mod leaks;
mod nested;
mod parallel;
mod websocket;
mod world;
