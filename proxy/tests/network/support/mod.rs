//! What the tests stand on.

mod captured;
mod certificates;
mod client;
mod harness;
mod http2;
mod upstream;

pub(crate) use captured::{at, captured, named, outcome};
pub(crate) use certificates::TestCa;
pub(crate) use client::{Answer, Client, tls_config};
pub(crate) use harness::{Harness, Running, within};
pub(crate) use http2::{H2Client, h2_upstream};
pub(crate) use upstream::{Asked, Reaction, Upstream};
