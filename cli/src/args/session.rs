//! Recording and replaying: flags shared by `test`, `run` and `proxy`, and those of upstreams, which `session verify` has too.

use std::path::PathBuf;

use clap::Args;

/// Session file, certificates, upstream.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Outbound calls")]
pub(crate) struct SessionArgs {
    /// Replay the server's outbound calls from this session file; no call that comes to the proxy leaves it
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,

    /// Record the server's outbound calls into this session file
    #[arg(long, value_name = "FILE")]
    pub(crate) record_session: Option<PathBuf>,

    /// Overwrite an existing recording
    #[arg(long)]
    pub(crate) force: bool,

    /// When the recordings of a call are used up: error, last (repeat the last) or cycle
    #[arg(long, value_name = "POLICY", default_value = "error", value_parser = ["error", "last", "cycle"])]
    pub(crate) repeat: String,

    /// A request header that becomes part of the match key (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) match_header: Vec<String>,

    /// Keep the certificate authority in this folder instead of making a new one for each run
    #[arg(long, value_name = "DIR")]
    pub(crate) ca_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) upstream: UpstreamArgs,

    /// Leave the connections to this host uninterpreted (repeatable)
    #[arg(long, value_name = "HOST")]
    pub(crate) tunnel: Vec<String>,

    /// Refuse what is not HTTP while recording, instead of passing it on unread
    #[arg(long)]
    pub(crate) strict: bool,

    /// When the pieces of a recorded stream are sent: instant, or recorded (as they came)
    #[arg(long, value_name = "WHEN", default_value = "instant", value_parser = ["instant", "recorded"])]
    pub(crate) replay_timing: String,

    /// Make the certificate authority from the secret in this environment variable: the same one on every machine
    #[arg(long, value_name = "NAME")]
    pub(crate) ca_seed_env: Option<String>,
}

/// How upstreams are reached and trusted.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct UpstreamArgs {
    /// Trust the certificates of this PEM file for upstreams, beside the system's (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) upstream_ca: Vec<PathBuf>,

    /// Do not verify the certificate of this upstream host (repeatable)
    #[arg(long, value_name = "HOST")]
    pub(crate) upstream_insecure: Vec<String>,

    /// Client certificate for an upstream host: a PEM file with certificate and key (repeatable)
    #[arg(long, value_name = "HOST=FILE")]
    pub(crate) upstream_cert: Vec<String>,

    /// Connect to ADDRESS when HOST:PORT is asked for; ADDRESS is an IP or IP:PORT (repeatable)
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub(crate) resolve: Vec<String>,
}
