//! Two passes over one suite, compared.
//!
//! | module | what it holds |
//! |---|---|
//! | [`compare`](mod@compare) | [`compare()`](compare::compare), [`Determinism`] |
//! | `difference` | the first place where two values differ |
//! | [`hint`] | what a difference looks like |

pub mod compare;
mod difference;
pub mod hint;

pub use compare::{
    Conclusion, Determinism, Difference, DifferenceKind, Unavailable, compare, render_unavailable,
};
pub use hint::DifferenceHint;
