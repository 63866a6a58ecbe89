//! Suites: one JSON file of cases, checked against every rule of `schemaVersion: 1`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`model`] | [`Suite`], [`Case`], [`Operation`], [`Assertion`] |
//! | [`load`] | a file or bytes to a suite, [`SuiteError`] |
//! | [`validate`] | every rule, every [`Issue`] |

mod build;
pub mod load;
pub mod model;
pub mod validate;

pub use load::{SuiteError, SuiteErrorKind, load_suite};
pub use model::{
    Approval, ApprovedCase, ApprovedStatus, Assertion, Case, DEFAULT_TIMEOUT_MS, Operation, Suite,
};
pub use validate::{Issue, IssueCode, Problem};
