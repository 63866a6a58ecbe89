//! How a process is led to the proxy and made to trust it, by its environment.
//!
//! | module | what it holds |
//! |---|---|
//! | [`trust`] | the trust files: combined bundle, Java trust store, snippets |
//! | [`jks`] | the Java trust store format |
//! | [`variables`] | the variables that point to proxy and trust files |

mod jks;
pub(crate) mod trust;
pub(crate) mod variables;
