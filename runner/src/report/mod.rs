//! Reports: one model, rendered as JSON, for people, as JUnit.
//!
//! | module | what it holds |
//! |---|---|
//! | [`model`] | [`RunnerReport`] with the exact keys of the JSON |
//! | [`multi`] | [`MultiReport`]: several suites in one call |
//! | [`human`] | [`human::render`] |
//! | [`junit`] | [`junit::render`] |

pub mod human;
pub mod junit;
pub mod model;
pub mod multi;

pub use junit::OutsideFailure;
pub(crate) use model::to_value;
pub use model::{
    AssertionReport, AssertionStatus, CaseReport, CaseStatus, LostCause, OperationReport, OperationStatus,
    RunStatus, RunnerReport, SpecReport, StopReason, SuiteHead, Summary, signal_name,
};
pub use multi::{MultiReport, SuiteReport};
