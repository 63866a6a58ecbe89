//! Which recorded exchange answers a request, and why none does.
//!
//! | module | what it holds |
//! |---|---|
//! | `parts` | a request taken apart: method, origin, path, query, headers, body by kind |
//! | `rules` | volatile parts taken out |
//! | `json_path` | a place in a JSON body, for rules |
//! | `key` | the hash of the parts: exact, and with secrets out of it |
//! | `index` | recordings by key, first in first out, taken once |
//! | `miss` | why a request has no recording, and the answer that says so |

mod index;
mod json_path;
mod key;
mod miss;
mod parts;
mod rules;

pub(crate) use index::{Index, Taken};
pub(crate) use key::Key;
pub(crate) use miss::{Missed, cut, difference};
pub(crate) use parts::{BodyParts, Parts};
pub(crate) use rules::Rules;

pub use index::Repeat;
pub use miss::{Difference, Miss, MissReason, MissReport};

#[cfg(test)]
mod tests;
