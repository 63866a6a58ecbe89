//! What counts as a secret: by the name it stands under, by its literal value, by its shape.
//!
//! | module | what it holds |
//! |---|---|
//! | `name` | the suffix-word rule for names of headers, query, form and JSON members |
//! | `value` | literal values in every encoding they are met in |
//! | `shape` | tokens that are known by what they look like |
//! | `redactor` | all of it as one immutable [`Redactor`], and what it puts in a secret's place |
//! | `scanner` | the same over a stream of chunks |

mod name;
mod redactor;
mod scanner;
mod shape;
mod value;

pub use name::is_sensitive_name;
pub use redactor::{Found, Redactor, Tokens, UnknownTokens};
pub use scanner::Scanner;
pub use value::{Encoding, is_searchable};
