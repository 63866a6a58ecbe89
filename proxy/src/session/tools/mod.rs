//! What people do with session files: look for secrets in them, compare them, thin them out.
//!
//! | module | what it holds |
//! |---|---|
//! | `content` | the bytes of a stored body |
//! | `lint` | secrets that are left in a file |
//! | `diff` | two files compared by key |
//! | `prune` | recordings taken out |
//! | `changes` | what differs between two JSON documents |
//! | `shape` | the structure of JSON documents, without their values |

mod changes;
mod content;
mod diff;
mod lint;
mod prune;
pub(crate) mod shape;

pub use changes::Change;
pub use diff::{Changed, Comparison, Difference, diff};
pub use lint::{Finding, SecretKind, lint};
pub use prune::{Pruned, Selection, prune};
pub use shape::Drift;

pub(crate) use content::{content, groups, shown_line, shown_url};
