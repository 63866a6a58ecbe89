//! End-to-end tests of the real binary, one module an area.

mod bad_input;
mod breaking_servers;
mod examples;
mod golden;
mod interruption;
mod operation;
mod real_servers;
mod record_replay;
mod session_files;
mod sidecar;
mod support;
mod trust;
