//! The modes as a caller gives them.

use crate::session::{Recorder, Replay};
use crate::settings::UpstreamSettings;

/// What the proxy does with a request.
#[derive(Debug)]
pub enum Mode {
    /// Answer from a session. There is no way to give this mode a network: it holds nothing that a dialer is made from.
    Replay(Replay),
    /// Forward and store.
    Record {
        /// Where exchanges are stored.
        recorder: Recorder,
        /// How upstreams are reached.
        upstream: UpstreamSettings,
    },
    /// Forward and count.
    Pass {
        /// How upstreams are reached.
        upstream: UpstreamSettings,
    },
}
