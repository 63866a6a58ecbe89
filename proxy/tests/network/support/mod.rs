//! What the tests stand on.

mod certificates;
mod client;
mod harness;
mod http2;
mod upstream;

pub(crate) use certificates::TestCa;
pub(crate) use client::{Client, tls_config};
pub(crate) use harness::{Harness, within};
pub(crate) use http2::{H2Client, h2_upstream};
pub(crate) use upstream::{Reaction, Upstream};
