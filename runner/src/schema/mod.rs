//! The response schema subset of `schemaVersion: 1`: a closed list of keywords, evaluated without recursion.
//!
//! | module | what it holds |
//! |---|---|
//! | [`model`] | [`ResponseSchema`], its nodes |
//! | [`evaluate`] | [`evaluate()`](evaluate::evaluate), violations in a fixed order |

pub mod evaluate;
pub mod model;
#[cfg(test)]
mod tests;

pub use evaluate::{
    Evaluation, MAX_VIOLATIONS, Segment, Violation, ViolationCode, ViolationKind, render_path,
};
pub use model::{Additional, KEYWORDS, Node, ResponseSchema, TYPE_NAMES, TypeName};
