//! A server started by `uvx`.
