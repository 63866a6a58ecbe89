//! How upstreams are reached. Only recording and passing hold this; in replay it cannot be given.

use std::path::PathBuf;
use std::str::FromStr;

use mcpeak_core::secret::Secret;

use super::hosts::{HostPattern, ResolveRule, SettingError};
use crate::exchange::Headers;

/// How upstreams are reached and trusted.
#[derive(Clone, Debug, Default)]
pub struct UpstreamSettings {
    /// PEM files with further roots (`--upstream-ca`).
    pub ca_files: Vec<PathBuf>,
    /// Hosts whose certificate is not checked (`--upstream-insecure HOST`).
    pub insecure: Vec<HostPattern>,
    /// Fixed addresses (`--resolve host:port:address`).
    pub resolve: Vec<ResolveRule>,
    /// Client certificates by host.
    pub client_certificates: Vec<ClientCertificate>,
    /// The proxy in front of the upstreams, if any.
    pub proxy: Option<UpstreamProxy>,
}

impl UpstreamSettings {
    /// The fields that carry credentials to the proxy in front. They belong to no exchange, and may be echoed in any.
    pub(crate) fn proxy_credentials(&self) -> Headers {
        let proxies = self.proxy.iter().flat_map(|proxy| [&proxy.http, &proxy.https]);
        let credentials = proxies.flatten().filter_map(|address| address.authorization.as_ref());
        let field = |credentials: &Secret<String>| {
            ("Proxy-Authorization".to_owned(), credentials.expose_secret().clone().into())
        };
        credentials.map(field).collect()
    }
}

/// A certificate that this side shows to an upstream. It never gets into a recording.
#[derive(Clone, Debug)]
pub struct ClientCertificate {
    /// For which hosts.
    pub host: HostPattern,
    /// PEM file with the chain, leaf first.
    pub certificate: PathBuf,
    /// PEM file with the key.
    pub key: PathBuf,
}

/// A proxy between this one and the upstreams, as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name it.
#[derive(Clone, Debug, Default)]
pub struct UpstreamProxy {
    /// For `http` upstreams.
    pub http: Option<ProxyAddress>,
    /// For `https` upstreams.
    pub https: Option<ProxyAddress>,
    /// Hosts reached directly: names, `.suffix`, `*`, as in `NO_PROXY`.
    pub except: Vec<String>,
}

impl UpstreamProxy {
    /// Whether a host is reached without the proxy. Loopback always is.
    pub fn is_excepted(&self, host: &str) -> bool {
        let loopback =
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        loopback
            || self.except.iter().any(|entry| {
                let entry = entry.trim().trim_start_matches("*.").trim_start_matches('.');
                entry == "*"
                    || entry.eq_ignore_ascii_case(host)
                    || HostPattern::from_str(&format!("*.{entry}")).is_ok_and(|below| below.matches(host))
            })
    }
}

/// What a proxy in front of the upstreams speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    /// HTTP: requests in clear text as they are, everything else by CONNECT.
    Http,
    /// SOCKS 5, with addresses that were looked up here (`socks5://`).
    Socks5,
    /// SOCKS 5, with names that the proxy looks up (`socks5h://`).
    Socks5Names,
}

/// Who logs in at a proxy.
#[derive(Clone, Debug)]
pub struct Login {
    /// User.
    pub user: Secret<String>,
    /// Password; empty if none was given.
    pub password: Secret<String>,
}

/// Address of a proxy: `http://[user:password@]host:port`, `socks5://…` or `socks5h://…`.
#[derive(Clone, Debug)]
pub struct ProxyAddress {
    /// What it speaks.
    pub kind: ProxyKind,
    /// Host name or address.
    pub host: String,
    /// Port; 80, or 1080 for SOCKS, if none was given.
    pub port: u16,
    /// Value of `Proxy-Authorization`, if the URL had a user.
    pub authorization: Option<Secret<String>>,
    /// The user of the URL, if it had one.
    pub login: Option<Login>,
}

impl FromStr for ProxyAddress {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        use base64::Engine as _;
        // The text may hold a password, so that the error never repeats it.
        let wrong = || {
            SettingError::new(
                "the proxy address",
                "http://[user:password@]host:port, socks5://… or socks5h://…",
            )
        };
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = url::Url::parse(&with_scheme).map_err(|_| wrong())?;
        let (kind, port) = match url.scheme() {
            "http" => (ProxyKind::Http, 80),
            "socks5" => (ProxyKind::Socks5, 1080),
            "socks5h" => (ProxyKind::Socks5Names, 1080),
            _ => return Err(wrong()),
        };
        let host = url.host_str().ok_or_else(wrong)?.trim_matches(['[', ']']).to_owned();
        let decode = |part: &str| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned();
        let login = (!url.username().is_empty()).then(|| Login {
            user: Secret::new(decode(url.username())),
            password: Secret::new(decode(url.password().unwrap_or(""))),
        });
        let authorization = login.as_ref().map(|Login { user, password }| {
            let pair = format!("{}:{}", user.expose_secret(), password.expose_secret());
            Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
        });
        Ok(Self { kind, host, port: url.port().unwrap_or(port), authorization, login })
    }
}

#[cfg(test)]
mod tests {
    use super::{ProxyAddress, ProxyKind, UpstreamProxy};

    #[test]
    fn proxy_addresses() {
        let address: ProxyAddress = "http://us%40er:pa:ss@proxy.test:3128".parse().unwrap();
        assert_eq!((address.host.as_str(), address.port), ("proxy.test", 3128));
        assert_eq!(address.authorization.unwrap().expose_secret(), "Basic dXNAZXI6cGE6c3M=");
        let bare: ProxyAddress = "proxy.test:8080".parse().unwrap();
        assert!(bare.authorization.is_none() && bare.port == 8080);
        let socks: ProxyAddress = "socks5h://u:p%40ss@proxy.test".parse().unwrap();
        assert_eq!((socks.kind, socks.port), (ProxyKind::Socks5Names, 1080));
        assert_eq!(socks.login.unwrap().password.expose_secret(), "p@ss");
        assert_eq!("socks5://[::1]:9".parse::<ProxyAddress>().unwrap().host, "::1");
        let error = "ftp://u:hunter22@x".parse::<ProxyAddress>().unwrap_err();
        assert!(!error.to_string().contains("hunter22"));
    }

    #[test]
    fn exceptions() {
        let proxy = UpstreamProxy {
            except: vec![".corp.test".into(), "api.test".into()],
            ..UpstreamProxy::default()
        };
        for direct in ["localhost", "127.0.0.1", "::1", "a.corp.test", "api.test", "b.api.test"] {
            assert!(proxy.is_excepted(direct), "{direct}");
        }
        assert!(!proxy.is_excepted("example.com"));
    }
}
