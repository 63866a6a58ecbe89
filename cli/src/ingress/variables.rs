//! Proxy and trust variables for a process and everything it starts.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use super::trust::TrustFiles;

/// What is set and what is taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables {
    /// Name and value, in the order they are printed.
    pub(crate) set: Vec<(String, OsString)>,
    /// Inherited variables that would lead past the proxy or hide a broken trust.
    pub(crate) unset: Vec<&'static str>,
}

/// Where the proxy is, as its clients name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProxyEndpoint {
    /// Host name or address; IPv6 in brackets.
    pub(crate) host: String,
    /// TCP port.
    pub(crate) port: u16,
}

impl From<SocketAddr> for ProxyEndpoint {
    fn from(address: SocketAddr) -> Self {
        let host = match address.ip() {
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self { host, port: address.port() }
    }
}

/// What leads clients to the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ingress {
    /// Their sockets do; proxy variables would only be a detour.
    Sockets,
    /// These variables, to this place.
    Proxy(ProxyEndpoint),
    /// Their own settings.
    None,
}

/// Hosts that are never led through the proxy. `[::1]` is left out: several clients read the brackets as part of a name.
const NO_PROXY: &str = "localhost,127.0.0.1,::1";

/// Variables that send HTTP clients to the proxy.
fn proxy(endpoint: &ProxyEndpoint) -> Vec<(String, OsString)> {
    let url = format!("http://{}:{}", endpoint.host, endpoint.port);
    let mut set = Vec::new();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        set.push((name.to_owned(), OsString::from(&url)));
    }
    for name in ["NO_PROXY", "no_proxy"] {
        set.push((name.to_owned(), NO_PROXY.into()));
    }
    // Node 24 and later, Deno and Bun honour the proxy variables in node:http with it; older Node ignores it.
    set.push(("NODE_USE_ENV_PROXY".to_owned(), "1".into()));
    set.push(("PERL_LWP_ENV_PROXY".to_owned(), "1".into()));
    set
}

/// Variables that make every runtime known to us trust the proxy.
fn trust(files: &TrustFiles) -> Vec<(String, OsString)> {
    let mut set = Vec::new();
    for name in [
        "SSL_CERT_FILE",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "AWS_CA_BUNDLE",
        "GIT_SSL_CAINFO",
        "PIP_CERT",
        "HTTPLIB2_CA_CERTS",
        "PERL_LWP_SSL_CA_FILE",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
        // Wins over a `cafile` in an npmrc, which would leave npm and npx with those roots only.
        "npm_config_cafile",
    ] {
        set.push((name.to_owned(), files.bundle.clone().into()));
    }
    set.push(("SSL_CERT_DIR".to_owned(), files.folder.clone().into()));
    for name in ["NODE_EXTRA_CA_CERTS", "DENO_CERT"] {
        set.push((name.to_owned(), files.ca.clone().into()));
    }
    set.push(("WGETRC".to_owned(), files.wgetrc.clone().into()));
    let mut scan = OsString::from(":");
    scan.push(&files.php);
    set.push(("PHP_INI_SCAN_DIR".to_owned(), scan));
    set
}

/// `JAVA_TOOL_OPTIONS`: the JVM reads neither proxy nor trust variables. Options that the user had are kept in front.
fn java(proxy: Option<&ProxyEndpoint>, trust_store: &Path, inherited: Option<&str>) -> (String, OsString) {
    let mut value = OsString::from(inherited.map(|given| format!("{given} ")).unwrap_or_default());
    if let Some(ProxyEndpoint { host, port }) = proxy {
        for scheme in ["http", "https"] {
            value.push(format!("-D{scheme}.proxyHost={host} -D{scheme}.proxyPort={port} "));
        }
        // Raw sockets take the SOCKS way, which the same port speaks.
        value.push(format!("-DsocksProxyHost={host} -DsocksProxyPort={port} "));
    }
    value.push("-Djavax.net.ssl.trustStore=");
    value.push(trust_store);
    ("JAVA_TOOL_OPTIONS".to_owned(), value)
}

/// Everything together.
pub(crate) fn all(ingress: &Ingress, files: &TrustFiles, java_options: Option<&str>) -> Variables {
    let mut set = Vec::new();
    let mut unset = vec!["ALL_PROXY", "all_proxy", "FTP_PROXY", "ftp_proxy", "NODE_TLS_REJECT_UNAUTHORIZED"];
    let endpoint = match ingress {
        Ingress::Proxy(endpoint) => {
            set.extend(proxy(endpoint));
            Some(endpoint)
        }
        Ingress::Sockets => {
            unset.extend(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NODE_USE_ENV_PROXY"]);
            None
        }
        Ingress::None => None,
    };
    set.extend(trust(files));
    set.push(java(endpoint, &files.java, java_options));
    Variables { set, unset }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Ingress, TrustFiles, all};

    fn files() -> TrustFiles {
        TrustFiles {
            ca: PathBuf::from("/t/ca.pem"),
            bundle: PathBuf::from("/t/bundle.pem"),
            folder: PathBuf::from("/t/certs"),
            java: PathBuf::from("/t/trust.jks"),
            wgetrc: PathBuf::from("/t/wgetrc"),
            php: PathBuf::from("/t/php"),
        }
    }

    #[test]
    fn both_cases_of_the_proxy_variables_and_no_brackets() {
        let endpoint = "127.0.0.1:9".parse::<std::net::SocketAddr>().unwrap().into();
        let variables = all(&Ingress::Proxy(endpoint), &files(), None);
        let get = |name: &str| {
            variables
                .set
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        assert_eq!(get("https_proxy").as_deref(), Some("http://127.0.0.1:9"));
        assert_eq!(get("HTTPS_PROXY"), get("https_proxy"));
        assert_eq!(get("NO_PROXY").as_deref(), Some("localhost,127.0.0.1,::1"));
        assert!(variables.unset.contains(&"ALL_PROXY"));
    }

    #[test]
    fn java_options_of_the_user_stay() {
        let variables = all(&Ingress::Sockets, &files(), Some("-Xmx64m"));
        let (_, value) = variables.set.last().unwrap();
        assert_eq!(value, "-Xmx64m -Djavax.net.ssl.trustStore=/t/trust.jks");
        assert!(!variables.set.iter().any(|(name, _)| name == "HTTPS_PROXY"));
        assert!(variables.unset.contains(&"HTTPS_PROXY"), "a proxy of the user's would be a detour");
    }
}
