//! Secrets out of everything that is reported: by name, by literal value, also in JSON inside a text.
//!
//! | module | what it holds |
//! |---|---|
//! | [`masker`] | [`Masker`] over values, texts, schemas |
//! | `embedded` | JSON found inside a text |
//! | `literal` | literal values and the spellings in which they travel |

mod embedded;
mod literal;
pub mod masker;
#[cfg(test)]
mod tests;

pub use masker::{Masker, REPLACEMENT};
