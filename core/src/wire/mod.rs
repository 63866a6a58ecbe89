//! The wire: lossless JSON-RPC in both eras.

mod violation;

pub use violation::Violation;
