//! Names to addresses, TCP and TLS towards servers. The proxy uses the same resolver for its upstreams.
//!
//! | module | what it holds |
//! |---|---|
//! | `resolve` | DNS that works in a static binary, and TCP connections |
//! | `roots` | whom TLS trusts |

mod resolve;
mod roots;

pub use resolve::{ConnectTcpError, ResolveError, Resolver};
pub use roots::{PemError, certificates_from_pem, client_tls_config};
