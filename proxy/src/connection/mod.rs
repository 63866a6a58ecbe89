//! One connection from its first byte to its end: detect, decrypt, read requests, and again within what it wraps.
//!
//! | module | what it does |
//! |---|---|
//! | `serve` | goes from protocol to protocol |
//! | `opening` | who speaks first, and in which protocol |
//! | `leg` | answers the requests of a connection |
//! | `tunnel` | CONNECT, and requests to change the protocol |
//! | `socks5` | SOCKS version 5 |
//! | `decrypt` | TLS with a leaf for the name asked for |
//! | `relay` | bytes passed on unread |

mod decrypt;
mod leg;
mod opening;
mod relay;
mod serve;
mod socks5;
mod tunnel;

pub(crate) use serve::{Arrived, serve};
