//! Diagnostics: what differed, what was really seen, how to fix it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`model`] | [`Diagnostic`], [`ViolationReport`]: the keys of the JSON |
//! | [`facts`] | [`Cause`], [`ViolationFacts`]: what the sentences need to know |
//! | [`write`](mod@write) | [`Diagnostics`], which writes them without secrets |
//! | `violation` | violations of response schemas |

pub mod facts;
pub mod model;
mod violation;
pub mod write;

pub use facts::{Cause, ViolationFacts};
pub use model::{Diagnostic, DiagnosticCode, ViolationReport};
pub use write::Diagnostics;
