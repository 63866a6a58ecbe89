//! Every rule of `schemaVersion: 1`; all issues are collected, in one fixed order.
//!
//! | module | what it holds |
//! |---|---|
//! | [`issue`] | codes and what each issue knows |
//! | `document` | the root and the approval |
//! | `case` | cases, operations, assertions |
//! | `schema` | the response schema subset |

mod case;
mod document;
pub mod issue;
mod schema;
#[cfg(test)]
mod tests;

pub use document::validate;
pub use issue::{Expected, Issue, IssueCode, Kind, Problem};
