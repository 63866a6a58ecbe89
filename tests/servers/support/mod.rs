//! What these tests stand on.
//!
//! | module | what it holds |
//! |---|---|
//! | [`server`] | a server, its stand-ins and its suite; recording and replaying it |
//! | [`cases`] | the cases of a suite |
//! | [`answer`] | what a stand-in answers |
//! | [`installed`] | where the servers are installed |
//! | [`api`], [`context`] | shared with the end-to-end tests: an HTTPS API, a folder and the binary |

// The end-to-end tests use all of it.
#[path = "../../e2e/support/api.rs"]
#[allow(dead_code)]
pub(crate) mod api;
#[path = "../../e2e/support/context.rs"]
#[allow(dead_code)]
pub(crate) mod context;

pub(crate) mod answer;
pub(crate) mod cases;
pub(crate) mod installed;
pub(crate) mod server;

pub(crate) use api::{Api, Asked};
pub(crate) use context::Context;
pub(crate) use server::Server;
