//! A server started by `npx`.
