//! Scheme, host and port of an upstream.

use std::fmt;

/// `http` or `https`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// Clear text.
    Http,
    /// TLS.
    Https,
}

impl Scheme {
    /// As in a URL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// 80 or 443.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// The canonical origin of an upstream (RFC 6454 section 4): lower-case host, port always known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// Scheme.
    pub scheme: Scheme,
    /// Host, lower-case; IPv6 without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Origin {
    /// Makes an origin; the host is lower-cased, brackets and one trailing dot are taken off.
    pub fn new(scheme: Scheme, host: &str, port: Option<u16>) -> Self {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        Self { scheme, host, port: port.unwrap_or(scheme.default_port()) }
    }

    /// `host` or `host:port` as a `Host` header carries it.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme.as_str(), self.authority())
    }
}

#[cfg(test)]
mod tests {
    use super::{Origin, Scheme};

    #[test]
    fn normalises() {
        assert_eq!(
            Origin::new(Scheme::Https, "API.Example.com.", None).to_string(),
            "https://api.example.com"
        );
        assert_eq!(Origin::new(Scheme::Http, "[::1]", Some(8080)).to_string(), "http://[::1]:8080");
        assert_eq!(Origin::new(Scheme::Https, "a", Some(443)).authority(), "a");
    }
}
