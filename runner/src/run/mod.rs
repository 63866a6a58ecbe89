//! Execution: cases one after the other, each with its deadline, until the end or a reason to stop.
//!
//! | module | what it holds |
//! |---|---|
//! | [`execute`] | [`run_suite()`](execute::run_suite), in order, until a reason to stop |
//! | [`finished`] | [`Run`] |
//! | [`outcome`] | [`Outcome`]: the raw answer to a case |
//! | [`options`] | [`RunOptions`] |
//! | [`event`] | [`Event`]s for live output |
//! | `judge` | the verdict on a case |
//! | `request` | one request, within its deadline |
//! | `spec` | a case as reports repeat it |

pub mod event;
pub mod execute;
pub mod finished;
mod judge;
pub mod options;
pub mod outcome;
mod request;
mod spec;

pub use event::{Event, EventKind};
pub use execute::run_suite;
pub use finished::Run;
pub use options::RunOptions;
pub use outcome::Outcome;
