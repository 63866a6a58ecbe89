//! Suites of cases, run against an MCP server: model, validation, execution, assertions, reports.
//!
//! ```text
//! suite.json -> Suite -> run_suite(Connection) -> Run -> RunnerReport -> JSON | human | JUnit
//!                              |-> Event ...       |-> compare(Run, Run) -> Determinism
//!                                                  |-> bundle -> RepairBundle
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`approval`] | whether a suite is still the approved one |
//! | [`body`] | the body of a tool result |
//! | [`clamp`] | over-long text, cut and marked |
//! | [`determinism`] | two passes, compared |
//! | [`diagnostic`] | what differed, what was seen, how to fix it |
//! | [`json`] | JSON as JavaScript writes and compares it |
//! | [`lint`] | findings about a suite and the tools it is run against |
//! | [`mask`] | secrets out of everything that is reported |
//! | [`rejection`] | on what grounds a call was refused |
//! | [`repair_bundle`] | the file of `--repair-bundle` |
//! | [`report`] | reports: JSON, for people, JUnit |
//! | [`reset`] | the command of `--reset-cmd` |
//! | [`run`] | execution |
//! | [`schema`] | the response schema subset |
//! | [`server_diagnostics`] | the stderr block about the server |
//! | [`suite`] | suites, read and validated |
//! | [`text`] | sentences, one implementation per language |

pub mod approval;
pub mod body;
pub mod clamp;
pub mod determinism;
pub mod diagnostic;
pub mod json;
pub mod lint;
pub mod mask;
pub mod rejection;
pub mod repair_bundle;
pub mod report;
pub mod reset;
pub mod run;
pub mod schema;
pub mod server_diagnostics;
pub mod suite;
pub mod text;

pub use determinism::{Determinism, Unavailable, compare, render_unavailable};
pub use mask::Masker;
pub use repair_bundle::{RepairBundle, bundle};
pub use report::human::Style;
pub use report::{MultiReport, RunnerReport, SuiteReport};
pub use reset::{ResetCommand, ResetError};
pub use run::{Event, EventKind, Run, RunOptions, run_suite};
pub use server_diagnostics::ServerDiagnostics;
pub use suite::{Issue, Suite, SuiteError, load_suite};
