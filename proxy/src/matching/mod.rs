//! Which recorded exchange answers a request, and why none does.
//!
//! | module | what it holds |
//! |---|---|
//! | `parts` | a request taken apart: method, origin, path, query, headers, body by kind |
//! | `rules` | volatile parts taken out |
//! | `volatile` | what is taken out without a rule |
//! | `json_path`, `path_rule` | a place in a JSON body, segments of a path, for rules |
//! | `suggest` | the rules that would make a request match |
//! | `key` | the hash of the parts: exact, and with secrets out of it |
//! | `index` | recordings by key, first in first out, taken once |
//! | `miss` | why a request has no recording, and the answer that says so |

mod index;
mod json_path;
mod key;
mod miss;
mod parts;
mod path_rule;
mod rules;
mod suggest;
mod volatile;

pub(crate) use index::{Index, Taken};
pub(crate) use key::Key;
pub(crate) use miss::{Missed, as_member, cut, difference};
pub(crate) use parts::{BodyParts, Parts};
pub(crate) use rules::Rules;
pub(crate) use suggest::{looks_made_up, suggest};

pub use index::Repeat;
pub use miss::{Difference, Miss, MissReason, MissReport};

#[cfg(test)]
mod tests;
