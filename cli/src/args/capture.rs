//! How outbound calls are led to the recorder: flags shared by `test` and `run`.

use clap::{Args, ValueEnum};
use mcpeak_sandbox::capture::AddressPool;

/// The way, and what goes past it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Outbound calls")]
pub(crate) struct CaptureArgs {
    /// How outbound calls are led to the recorder
    #[arg(long, value_enum, default_value_t, value_name = "WAY")]
    pub(crate) capture: CaptureArg,

    /// Let connections to loopback ports of other programs through: to this PORT, or to all (repeatable)
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "all", value_parser = loopback_port)]
    pub(crate) pass_loopback: Vec<LoopbackPort>,

    /// Range of the private addresses that captured programs get for names
    #[arg(long, value_name = "CIDR", default_value_t)]
    pub(crate) name_pool: AddressPool,
}

/// How a server that mcpeak starts is led to the proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaptureArg {
    /// Sockets where that works, else proxy variables
    #[default]
    Auto,
    /// Sockets: any language, without the program's cooperation (Linux)
    Socket,
    /// Proxy and trust variables: only clients that honour them
    Env,
    /// Trust variables only
    Off,
}

/// Loopback ports that are let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopbackPort {
    All,
    One(u16),
}

fn loopback_port(text: &str) -> Result<LoopbackPort, String> {
    match text {
        "all" => Ok(LoopbackPort::All),
        port => match port.parse() {
            Ok(0) | Err(_) => Err("expected a port from 1 to 65535".to_owned()),
            Ok(port) => Ok(LoopbackPort::One(port)),
        },
    }
}
