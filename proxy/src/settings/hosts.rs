//! Hosts as a person names them.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// One host, or with a leading `*.` all names below one. Letter case does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    /// Whether a host (lower-case, IPv6 without brackets) is meant.
    pub fn matches(&self, host: &str) -> bool {
        if !self.below {
            return host.eq_ignore_ascii_case(&self.name);
        }
        host.len() > self.name.len() + 1
            && host.is_char_boundary(host.len() - self.name.len())
            && host[host.len() - self.name.len()..].eq_ignore_ascii_case(&self.name)
            && host.as_bytes()[host.len() - self.name.len() - 1] == b'.'
    }
}

impl FromStr for HostPattern {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let (name, below) = match text.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
        if name.is_empty() || name.contains(['*', '/', ' ', '@']) {
            return Err(SettingError::new(text, "a host name, an address, or *.name"));
        }
        Ok(Self { name: name.to_ascii_lowercase(), below })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.below { "*." } else { "" })?;
        formatter.write_str(&self.name)
    }
}

/// `host:port:address`: an address that stands in for a look-up, as curl's `--resolve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveRule {
    /// The name asked for, lower-case.
    pub host: String,
    /// The port asked for.
    pub port: u16,
    /// Where the connection goes.
    pub address: IpAddr,
    /// The port it goes to; the one asked for unless the address carries one (`host:443:127.0.0.1:8443`).
    pub target_port: u16,
}

impl FromStr for ResolveRule {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let wrong =
            || SettingError::new(text, "host:port:address, for example api.example.com:443:127.0.0.1");
        let mut parts = text.splitn(3, ':');
        let (Some(host), Some(port), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        let port: u16 = port.parse().map_err(|_| wrong())?;
        let (address, target_port) = if let Ok(socket) = rest.parse::<std::net::SocketAddr>() {
            (socket.ip(), socket.port())
        } else {
            let bare = rest.trim_start_matches('[').trim_end_matches(']');
            (bare.parse().map_err(|_| wrong())?, port)
        };
        if host.is_empty() {
            return Err(wrong());
        }
        Ok(Self { host: host.to_ascii_lowercase(), port, address, target_port })
    }
}

/// A value that does not have its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not {expected}", mcpeak_core::escape::terminal(.given, mcpeak_core::escape::Keep::Nothing))]
pub struct SettingError {
    /// What was given.
    pub given: String,
    /// What was expected, with an example.
    pub expected: &'static str,
}

impl SettingError {
    pub(crate) fn new(given: &str, expected: &'static str) -> Self {
        Self { given: given.to_owned(), expected }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostPattern, ResolveRule};

    #[test]
    fn patterns() {
        let exact: HostPattern = "API.example.com".parse().unwrap();
        assert!(exact.matches("api.example.com") && !exact.matches("x.api.example.com"));
        let below: HostPattern = "*.example.com".parse().unwrap();
        assert!(below.matches("a.example.com") && below.matches("a.b.example.com"));
        assert!(
            !below.matches("example.com") && !below.matches("badexample.com") && !below.matches("서울.com")
        );
        assert_eq!(below.to_string(), "*.example.com");
        for bad in ["", "*", "*.", "a*b", "http://a", "a b"] {
            assert!(bad.parse::<HostPattern>().is_err(), "{bad}");
        }
    }

    #[test]
    fn resolve_rules() {
        let rule: ResolveRule = "Api.test:443:127.0.0.1".parse().unwrap();
        assert_eq!((rule.host.as_str(), rule.port, rule.target_port), ("api.test", 443, 443));
        let rule: ResolveRule = "api.test:443:127.0.0.1:8443".parse().unwrap();
        assert_eq!((rule.port, rule.target_port), (443, 8443));
        let rule: ResolveRule = "api.test:443:[::1]".parse().unwrap();
        assert_eq!(rule.address.to_string(), "::1");
        let rule: ResolveRule = "api.test:443:[::1]:9".parse().unwrap();
        assert_eq!(rule.target_port, 9);
        for bad in ["a", "a:b:c", ":1:127.0.0.1", "a:99999:127.0.0.1", "a:1:host"] {
            assert!(bad.parse::<ResolveRule>().is_err(), "{bad}");
        }
    }
}
