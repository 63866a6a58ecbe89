//! The channel over Streamable HTTP.
//!
//! | module | what it holds |
//! |---|---|
//! | `answer` | the answer out of a response: JSON or an event stream |
//! | `channel` | requests, sessions, the end |
//! | `status` | statuses that are no answers |
//! | `transport` | HTTP/1.1 connections to one endpoint |

mod answer;
mod channel;
mod status;
mod transport;

pub(super) use channel::HttpChannel;
