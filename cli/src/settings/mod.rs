//! What holds for a run: arguments and environment, resolved and checked.
//!
//! | module | what it holds |
//! |---|---|
//! | [`capture`] | how outbound calls are led to the recorder |
//! | [`environment`] | every environment variable that mcpeak reads, and named secrets |
//! | [`target`] | the server |
//! | [`session`] | recording and replaying |
//! | [`suites`] | suite files of the paths given |

pub(crate) mod capture;
pub(crate) mod environment;
pub(crate) mod session;
pub(crate) mod suites;
pub(crate) mod target;
