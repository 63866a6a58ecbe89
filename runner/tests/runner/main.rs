//! Runs of whole suites against a connection that answers from a table.

#![expect(clippy::unwrap_used, reason = "a test says by panicking that something is wrong")]
#![expect(clippy::needless_pass_by_value, reason = "json!(…) reads better as an argument without &")]

mod determinism;
mod golden;
mod reports;
mod secrets;
mod stops;
mod support;
