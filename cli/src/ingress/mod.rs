//! How a process is led to the proxy and made to trust it, by its environment.
//!
//! | module | what it holds |
//! |---|---|
//! | [`trust`] | the trust files: combined bundle, Java trust store, snippets |
//! | [`jks`] | the Java trust store format |
//! | [`subject_hash`] | the names of the files in OpenSSL's folder of roots |
//! | [`variables`] | the variables that point to proxy and trust files |

mod jks;
mod subject_hash;
pub(crate) mod trust;
pub(crate) mod variables;
