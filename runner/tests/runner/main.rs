//! Runs of whole suites against a connection that answers from a table.

mod determinism;
mod golden;
mod reports;
mod secrets;
mod stops;
mod support;
