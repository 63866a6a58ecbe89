//! The way to the network. Recording and passing own one; replay never sees this module.
//!
//! | module | what it does |
//! |---|---|
//! | `dial` | resolve, TCP, the proxy in front, TLS |
//! | `socks` | the way through a SOCKS proxy |
//! | `tls` | whom to trust and who to be, by host |
//! | `pool` | connections between two exchanges |
//! | `forward` | one request on a connection |
//! | `failure` | why there is no answer |

mod dial;
mod failure;
mod forward;
mod pool;
mod socks;
mod tls;

pub(crate) use failure::ForwardError;
pub(crate) use forward::{Switched, Upstream};
