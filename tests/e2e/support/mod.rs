//! What end-to-end tests stand on.
//!
//! | module | what it holds |
//! |---|---|
//! | [`context`] | a folder of its own, the binary, a cleared environment |
//! | [`suites`] | suites that several tests share |
//! | [`api`] | a real HTTPS API on a loopback port that counts and can be stopped |

pub(crate) mod api;
pub(crate) mod context;
pub(crate) mod suites;

pub(crate) use api::Api;
pub(crate) use context::{Context, Run};
