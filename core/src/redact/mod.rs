//! What counts as a secret: by the name it stands under, by its literal value, by its shape.
//!
//! | module | what it holds |
//! |---|---|
//! | `name` | the suffix-word rule for names of headers, query, form and JSON members |
//! | `value` | literal values in every encoding they are met in |
//! | `view` | a text with its escapes undone |
//! | `shape` | tokens that are known by what they look like |
//! | `named` | values under sensitive names: how much of them is a secret |
//! | `url` | secrets of URLs inside any bytes |
//! | `redactor` | all of it as one immutable [`Redactor`], and what it puts in a secret's place |
//! | `members` | members under sensitive names in anything that looks like JSON |
//! | `lexer` | the same for forms and parts, over a stream |
//! | `scanner` | the same over a stream of chunks |

mod lexer;
mod members;
mod name;
mod named;
mod redactor;
mod scanner;
mod shape;
mod url;
mod value;
mod view;

pub use lexer::{Names, parameter};
pub use name::is_sensitive_name;
pub use named::{is_count, is_pseudonym, names_secret, split_scheme};
pub use redactor::{Found, Redactor, Tokens, UnknownTokens, mark_foreign};
pub use scanner::Scanner;
pub use url::{UrlSecret, find_parameter, find_userinfo, form_decode};
pub use value::{Encoding, is_searchable};
