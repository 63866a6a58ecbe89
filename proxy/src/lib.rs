//! The proxy: records what a server calls on the outside, and replays it without a network.
//!
//! | module | what it holds |
//! |---|---|
//! | [`exchange`] | one request and what became of it, as plain data |

pub mod exchange;
