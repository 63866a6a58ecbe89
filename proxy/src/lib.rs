//! The proxy: records what a server calls on the outside, and replays it without a network.
//!
//! [`Proxy::bind`] checks and binds, [`BoundProxy::serve`] runs until it is told to stop. The phases of an exchange are accept,
//! detect, decrypt, read_request, resolve, forward, read_response, record, reply, close.
//!
//! | module | what it holds |
//! |---|---|
//! | `accept` | the accept loop |
//! | [`admin`] | the admin endpoint of a sidecar |
//! | [`authority`] | the CA and the leaves that clients see |
//! | `connection` | one connection from its first byte to its end |
//! | `counts` | what the network side counts |
//! | `detect` | which protocol a connection speaks |
//! | [`engine`] | what becomes of a request: replay, record, pass |
//! | [`error`] | why a proxy cannot start or finish |
//! | [`exchange`] | one request and what became of it, as plain data |
//! | `hop` | fields that belong to one hop |
//! | `http1`, `http2` | the two versions on the wire |
//! | [`ingress`] | a way in for connections that were accepted elsewhere |
//! | [`interchange`] | recordings of other tools read, and written for them |
//! | `json` | JSON read exactly |
//! | [`matching`] | which recorded exchange answers a request, and why none does |
//! | `message` | messages on their way through |
//! | [`proxy`] | the proxy as a whole: bind, serve, stop |
//! | [`redact`] | secrets of an HTTP message replaced by pseudonyms, and put back |
//! | [`report`] | what a session did, for people and machines |
//! | `respond` | the proxy's own answers |
//! | `route` | where the requests of a connection go |
//! | [`session`] | recordings: the journal, the file, the store in memory |
//! | [`settings`] | what a proxy is told before it starts |
//! | `shared` | what all connections share |
//! | `stored` | recorded bodies on their way out |
//! | [`text`] | sentences for people, one implementation per language |
//! | `transport` | byte streams under the protocols |
//! | `upstream` | the way to the network |
//! | [`verify`] | recorded requests sent to the live origins again |

mod accept;
pub mod admin;
pub mod authority;
mod connection;
mod counts;
mod detect;
pub mod engine;
pub mod error;
pub mod exchange;
mod hop;
mod http1;
mod http2;
pub mod ingress;
pub mod interchange;
mod json;
pub mod matching;
mod message;
pub mod proxy;
pub mod redact;
pub mod report;
mod respond;
mod route;
pub mod session;
pub mod settings;
mod shared;
mod stored;
pub mod text;
mod transport;
mod upstream;
pub mod verify;

pub use admin::AdminServer;
pub use authority::Authority;
pub use engine::Mode;
pub use error::ProxyError;
pub use ingress::Ingress;
pub use proxy::{BoundProxy, Proxy, ProxyHandle};
pub use settings::ProxySettings;
