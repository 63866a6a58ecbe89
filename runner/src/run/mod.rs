//! Execution: cases one after the other, each with its deadline, until the end or a reason to stop.
//!
//! | module | what it holds |
//! |---|---|
//! | [`execute`] | [`run_suite()`](execute::run_suite), [`Run`], stop rules |
//! | [`options`] | [`RunOptions`] |
//! | [`event`] | [`Event`]s for live output |
//! | `judge` | assertions over one result |
//! | `spec` | a case as reports repeat it |

pub mod event;
pub mod execute;
mod judge;
pub mod options;
mod spec;

pub use event::{Event, EventKind};
pub use execute::{Outcome, Run, run_suite};
pub use options::RunOptions;
