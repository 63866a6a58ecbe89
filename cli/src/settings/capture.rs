//! How outbound calls are led to the recorder, as values.

use mcpeak_sandbox::capture::{CaptureSettings, PassLoopback};

use crate::args::capture::{CaptureArg, CaptureArgs, LoopbackPort};

/// The way, and what goes past it.
#[derive(Clone, Debug)]
pub(crate) struct CaptureChoice {
    pub(crate) way: CaptureArg,
    pub(crate) settings: CaptureSettings,
}

impl From<&CaptureArgs> for CaptureChoice {
    fn from(args: &CaptureArgs) -> Self {
        let loopback = if args.pass_loopback.is_empty() {
            PassLoopback::None
        } else if args.pass_loopback.contains(&LoopbackPort::All) {
            PassLoopback::All
        } else {
            PassLoopback::Ports(
                args.pass_loopback
                    .iter()
                    .filter_map(|port| match port {
                        LoopbackPort::One(port) => Some(*port),
                        LoopbackPort::All => None,
                    })
                    .collect(),
            )
        };
        Self { way: args.capture, settings: CaptureSettings { pool: args.name_pool, loopback } }
    }
}
