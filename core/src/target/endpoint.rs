//! The rules for server URLs.

use std::fmt;

use url::Url;

use super::error::TargetError;

/// An `http` or `https` URL without user information and fragment.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Reads a URL.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let url = Url::parse(text.trim()).map_err(|error| TargetError::Url { reason: error.to_string() })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetError::UrlScheme { scheme: url.scheme().to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::UrlUserInfo);
        }
        if url.fragment().is_some() {
            return Err(TargetError::UrlFragment);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(TargetError::Url { reason: "it has no host".to_owned() });
        }
        Ok(Self(url))
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// Whether it wants TLS.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        let host = self.0.host_str().unwrap_or_default();
        host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(80)
    }

    /// `host:port`, as `Host` and error sentences want it.
    pub fn authority(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        match self.0.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Endpoint({self})")
    }
}

impl fmt::Display for Endpoint {
    /// The URL without its query, whose values may be secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.0.clone();
        let had_query = url.query().is_some();
        url.set_query(None);
        write!(formatter, "{url}{}", if had_query { "?…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, TargetError};

    #[test]
    fn rules() {
        let endpoint = Endpoint::parse("https://[::1]:8443/mcp?key=hunter2").unwrap();
        assert_eq!((endpoint.host(), endpoint.port()), ("::1", 8443));
        assert_eq!(endpoint.to_string(), "https://[::1]:8443/mcp?…");
        assert!(!format!("{endpoint:?}").contains("hunter2"));
        assert_eq!(Endpoint::parse("http://localhost").unwrap().port(), 80);
        assert!(matches!(Endpoint::parse("ftp://x"), Err(TargetError::UrlScheme { .. })));
        assert!(matches!(Endpoint::parse("http://u:p@x/"), Err(TargetError::UrlUserInfo)));
        assert!(matches!(Endpoint::parse("http://u@x/"), Err(TargetError::UrlUserInfo)));
        assert!(matches!(Endpoint::parse("http://x/#a"), Err(TargetError::UrlFragment)));
        assert!(matches!(Endpoint::parse("nonsense"), Err(TargetError::Url { .. })));
    }
}
