//! Listeners in front of one origin, for clients that cannot use a proxy.

use std::net::SocketAddr;
use std::str::FromStr;

use super::hosts::SettingError;
use crate::exchange::{Origin, Scheme};

/// `[ADDRESS:]PORT=URL`: what comes in at the address goes to the origin of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReverseRule {
    /// Where to listen, or only the port: then the address is the proxy's own.
    pub listen: ReverseListen,
    /// Where every request goes.
    pub origin: Origin,
}

/// Where a reverse listener is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReverseListen {
    /// A port at the proxy's address.
    Port(u16),
    /// An address of its own.
    Address(SocketAddr),
}

impl ReverseListen {
    /// The whole address, beside a proxy at `proxy`.
    pub const fn beside(self, proxy: SocketAddr) -> SocketAddr {
        match self {
            Self::Port(port) => SocketAddr::new(proxy.ip(), port),
            Self::Address(address) => address,
        }
    }
}

impl FromStr for ReverseRule {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        // The URL may hold a password by mistake, and is not repeated.
        let given = text.split('=').next().unwrap_or_default();
        let wrong = || {
            SettingError::new(given, "PORT=URL or ADDRESS:PORT=URL, for example 9000=https://api.example.com")
        };
        let (listen, url) = text.split_once('=').ok_or_else(wrong)?;
        let listen = match listen.parse::<u16>() {
            Ok(port) => ReverseListen::Port(port),
            Err(_) => ReverseListen::Address(listen.parse().map_err(|_| wrong())?),
        };
        let url = url::Url::parse(url).map_err(|_| wrong())?;
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(wrong()),
        };
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !bare || !url.username().is_empty() || url.password().is_some() {
            return Err(wrong());
        }
        let host = url.host_str().ok_or_else(wrong)?;
        Ok(Self { listen, origin: Origin::new(scheme, host, url.port()) })
    }
}

#[cfg(test)]
mod tests {
    use super::{ReverseListen, ReverseRule};

    #[test]
    fn rules_name_a_port_and_an_origin() {
        let rule: ReverseRule = "9000=https://API.example.com".parse().unwrap();
        assert_eq!(
            (rule.listen, rule.origin.to_string()),
            (ReverseListen::Port(9000), "https://api.example.com".into())
        );
        assert_eq!(rule.listen.beside("0.0.0.0:8080".parse().unwrap()).to_string(), "0.0.0.0:9000");
        let rule: ReverseRule = "[::1]:9000=http://10.0.0.1:81/".parse().unwrap();
        assert_eq!(rule.listen.beside("0.0.0.0:8080".parse().unwrap()).to_string(), "[::1]:9000");
        assert_eq!(rule.origin.to_string(), "http://10.0.0.1:81");
    }

    #[test]
    fn what_is_no_origin_is_refused_and_not_repeated() {
        for bad in [
            "9000",
            "=https://a.test",
            "99999=https://a.test",
            "9000=a.test",
            "9000=ftp://a.test",
            "9000=https://a.test/v1",
            "9000=https://a.test?key=hunter22",
            "9000=https://u:hunter22@a.test",
        ] {
            let error = bad.parse::<ReverseRule>().unwrap_err();
            assert!(!error.to_string().contains("hunter22"), "{error}");
        }
    }
}
