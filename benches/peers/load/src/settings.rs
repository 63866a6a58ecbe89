//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

const USAGE: &str = "usage: load --proxy ADDRESS (--ca PEM | --plain) [--http2] [--new-connections] \
[--connections N] [--paths K] [--length BYTES] [--host NAME] [--warm-up SECONDS] [--seconds S] [--threads N]";

/// What is sent, how, and for how long.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The proxy's listener.
    pub(crate) proxy: SocketAddr,
    /// The CA that the proxy signs with; `None` for plain HTTP in absolute form.
    pub(crate) ca: Option<PathBuf>,
    /// HTTP/2 is the one protocol offered, instead of HTTP/1.1.
    pub(crate) http2: bool,
    /// Every request gets a TCP connection, a tunnel and a full handshake of its own.
    pub(crate) new_connections: bool,
    /// How many workers send at the same time, each on its own connection.
    pub(crate) connections: usize,
    /// How many distinct URLs, `/items/0` and so on.
    pub(crate) paths: usize,
    /// The body length of a right answer, in bytes.
    pub(crate) length: usize,
    /// The origin's name.
    pub(crate) host: String,
    /// Not counted.
    pub(crate) warm_up: Duration,
    /// Counted.
    pub(crate) measured: Duration,
    /// Threads of the load itself.
    pub(crate) threads: usize,
}

impl Settings {
    pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Self, lexopt::Error> {
        use lexopt::prelude::*;

        let mut proxy = None;
        let mut plain = false;
        let mut settings = Self {
            proxy: SocketAddr::from(([127, 0, 0, 1], 0)),
            ca: None,
            http2: false,
            new_connections: false,
            connections: 16,
            paths: 1_000,
            length: 200,
            host: "api.example.test".to_owned(),
            warm_up: Duration::from_millis(500),
            measured: Duration::from_secs(5),
            threads: 2,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("proxy") => proxy = Some(parser.value()?.parse()?),
                Long("ca") => settings.ca = Some(parser.value()?.into()),
                Long("plain") => plain = true,
                Long("http2") => settings.http2 = true,
                Long("new-connections") => settings.new_connections = true,
                Long("connections") => settings.connections = parser.value()?.parse()?,
                Long("paths") => settings.paths = parser.value()?.parse()?,
                Long("length") => settings.length = parser.value()?.parse()?,
                Long("host") => settings.host = parser.value()?.parse()?,
                Long("warm-up") => settings.warm_up = seconds(&mut parser)?,
                Long("seconds") => settings.measured = seconds(&mut parser)?,
                Long("threads") => settings.threads = parser.value()?.parse()?,
                _ => return Err(USAGE.into()),
            }
        }
        settings.proxy = proxy.ok_or(USAGE)?;
        if plain != settings.ca.is_none() || (plain && settings.http2) {
            return Err("either --plain over HTTP/1.1, or --ca\n".into());
        }
        if settings.connections == 0 || settings.paths == 0 || settings.threads == 0 {
            return Err("--connections, --paths and --threads are at least 1".into());
        }
        Ok(settings)
    }
}

fn seconds(parser: &mut lexopt::Parser) -> Result<Duration, lexopt::Error> {
    use lexopt::ValueExt;
    parser.value()?.parse_with(|text| {
        text.parse()
            .map_err(|_| "not a number")
            .and_then(|value| Duration::try_from_secs_f64(value).map_err(|_| "not a length of time"))
    })
}
