//! Findings about a suite and the tools it is run against. They never change a verdict.
//!
//! | module | what it holds |
//! |---|---|
//! | [`finding`] | codes, severities, facts |
//! | `input` | arguments against `inputSchema`, top level only |
//! | `vacuous` | assertions that cannot fail |
//! | `suggestion` | the name that was probably meant |

mod check;
pub mod finding;
mod input;
mod suggestion;
#[cfg(test)]
mod tests;
mod vacuous;

pub use check::lint;
pub use finding::{Finding, FindingCode, FindingFacts, FindingGroup, RangeRule, Severity};
