//! Where the requests of a connection go.

use std::net::IpAddr;

use crate::exchange::{Headers, Origin, RequestHead, Scheme, Version};
use crate::http1::RequestLine;

/// A host (name or address, lower-case, IPv6 without brackets) and a port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) host: String,
    pub(crate) port: u16,
}

/// What is known about a connection beside its requests.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// `https` once TLS was taken off.
    pub(crate) scheme: Scheme,
    /// Where the connection was meant to go: the authority of a CONNECT, a captured destination; `None` on a plain listener.
    pub(crate) target: Option<Target>,
    /// The name in the ClientHello.
    pub(crate) server_name: Option<String>,
    /// The program that connected, if known.
    pub(crate) program: Option<String>,
    /// Whether `target` is where a captured socket was connected to, rather than what a client asked a proxy for.
    pub(crate) captured: bool,
    /// The origin of all requests of a reverse listener, whatever they name.
    pub(crate) fixed: Option<Origin>,
}

/// A request that names no place to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RouteError {
    /// Origin-form without a usable `Host`.
    #[error("the request names no host")]
    NoHost,
    /// A target that is no URL, or a URL of another scheme.
    #[error("the request target is not an http or https URL")]
    BadTarget,
}

impl Target {
    /// Reads `host:port`, the authority-form of CONNECT (RFC 9112 section 3.2.3).
    pub(crate) fn from_authority(text: &str, default_port: Option<u16>) -> Option<Self> {
        let authority: http::uri::Authority = text.parse().ok()?;
        let host = normal_host(authority.host());
        let port = authority.port_u16().or(default_port)?;
        (!host.is_empty() && port != 0).then_some(Self { host, port })
    }

    /// As reports name it where what is spoken there is not HTTP.
    pub(crate) fn url(&self) -> String {
        format!("tcp://{}", self.authority())
    }

    /// As a request line and a `Host` field carry it.
    pub(crate) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl Route {
    pub(crate) const fn listener() -> Self {
        Self {
            scheme: Scheme::Http,
            target: None,
            server_name: None,
            program: None,
            captured: false,
            fixed: None,
        }
    }

    /// A listener in front of one origin.
    pub(crate) fn reverse(origin: Origin) -> Self {
        Self { fixed: Some(origin), ..Self::listener() }
    }

    /// The host that a captured socket was connected to.
    pub(crate) fn captured_host(&self) -> Option<&str> {
        self.target.as_ref().filter(|_| self.captured).map(|target| target.host.as_str())
    }

    /// Where the connection was meant to go, by the name in the ClientHello where only an address is known otherwise.
    pub(crate) fn named_target(&self) -> Option<Target> {
        let target = self.target.clone()?;
        let name = self.server_name.clone().filter(|_| target.host.parse::<IpAddr>().is_ok());
        Some(Target { host: name.unwrap_or(target.host), port: target.port })
    }

    /// Where the connection was meant to go, if that is a name that was resolved, and `authority` names another host.
    pub(crate) fn contradicted_by(&self, authority: &str) -> Option<Origin> {
        let host = self.captured_host().filter(|host| host.parse::<IpAddr>().is_err())?;
        let authority = authority.trim().parse::<http::uri::Authority>().ok()?;
        let origin = Origin::new(self.scheme, host, self.target.as_ref().map(|target| target.port));
        (normal_host(authority.host()) != host).then_some(origin)
    }

    /// The name that a certificate for this connection must carry, if anything says it.
    pub(crate) fn certificate_name(&self) -> Option<&str> {
        self.server_name.as_deref().or_else(|| self.target.as_ref().map(|target| target.host.as_str()))
    }

    /// Places an HTTP/1 request. Second: where to connect, where the origin does not say it.
    pub(crate) fn place(&self, line: RequestLine) -> Result<(RequestHead, Option<Target>), RouteError> {
        let RequestLine { method, target, version, mut headers } = line;
        if let Some(origin) = &self.fixed {
            let rest = if target.contains("://") { absolute(&target)?.1 } else { &target };
            let (path, query) = split(rest);
            self.address(&mut headers);
            return Ok((RequestHead { method, origin: origin.clone(), path, query, version, headers }, None));
        }
        let (origin, via, rest) = if target.starts_with('/') || target == "*" {
            let host = headers.get("host").map(str::trim).filter(|host| !host.is_empty());
            let (origin, via) = self.origin(host)?;
            (origin, via, target.as_str())
        } else {
            let (origin, rest) = absolute(&target)?;
            (origin, None, rest)
        };
        let (path, query) = split(rest);
        let head = RequestHead { method, origin, path, query, version, headers };
        Ok((head, via))
    }

    /// Places an HTTP/2 request.
    pub(crate) fn place_h2(
        &self,
        parts: &http::request::Parts,
    ) -> Result<(Origin, Option<Target>), RouteError> {
        if let Some(origin) = &self.fixed {
            return Ok((origin.clone(), None));
        }
        let authority = parts.uri.authority().map(http::uri::Authority::as_str);
        let host = authority.or_else(|| parts.headers.get("host").and_then(|host| host.to_str().ok()));
        // Prior knowledge on a plain listener: the scheme pseudo-field tells http from https.
        let scheme = match parts.uri.scheme_str() {
            Some("https") if self.target.is_none() => Scheme::Https,
            _ => self.scheme,
        };
        Self { scheme, ..self.clone() }.origin(host)
    }

    /// Addresses a request of a reverse listener: its client names the listener, and the origin must be named.
    pub(crate) fn address(&self, headers: &mut Headers) {
        if let Some(origin) = &self.fixed {
            headers.replace("host", &origin.authority());
        }
    }

    fn origin(&self, host: Option<&str>) -> Result<(Origin, Option<Target>), RouteError> {
        let named = host.and_then(|host| host.parse::<http::uri::Authority>().ok());
        let Some(target) = &self.target else {
            let (name, port) = match (&named, &self.server_name) {
                (Some(authority), _) => (authority.host().to_owned(), authority.port_u16()),
                (None, Some(name)) => (name.clone(), None),
                (None, None) => return Err(RouteError::NoHost),
            };
            return Ok((Origin::new(self.scheme, &name, port), None));
        };
        // A client that resolved by itself asks for an address; its name is the one that tells origins apart.
        let is_address = target.host.parse::<IpAddr>().is_ok();
        let name = named
            .as_ref()
            .map(http::uri::Authority::host)
            .filter(|_| is_address)
            .or(self.server_name.as_deref().filter(|_| is_address))
            .unwrap_or(&target.host);
        let origin = Origin::new(self.scheme, name, Some(target.port));
        let via = (origin.host != target.host).then(|| target.clone());
        Ok((origin, via))
    }
}

fn absolute(target: &str) -> Result<(Origin, &str), RouteError> {
    let (scheme, rest) = target.split_once("://").ok_or(RouteError::BadTarget)?;
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => Scheme::Http,
        "https" | "wss" => Scheme::Https,
        _ => return Err(RouteError::BadTarget),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority: http::uri::Authority = rest[..end].parse().map_err(|_| RouteError::BadTarget)?;
    if authority.host().is_empty() {
        return Err(RouteError::BadTarget);
    }
    Ok((Origin::new(scheme, authority.host(), authority.port_u16()), &rest[end..]))
}

fn split(target: &str) -> (String, Option<String>) {
    let target = target.split('#').next().unwrap_or_default();
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    (if path.is_empty() { "/".to_owned() } else { path.to_owned() }, query)
}

fn normal_host(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// The origin-form of a request (RFC 9112 section 3.2.1).
pub(crate) fn origin_form(head: &RequestHead) -> String {
    match &head.query {
        Some(query) => format!("{}?{query}", head.path),
        None => head.path.clone(),
    }
}

/// Whether a leg speaks HTTP/2, whose names are in lower case and whose messages have no reason.
pub(crate) const fn is_h2(version: Version) -> bool {
    matches!(version, Version::H2)
}

#[cfg(test)]
mod tests {
    use super::{Headers, Origin, RequestLine, Route, RouteError, Scheme, Target, Version};

    fn line(target: &str, host: Option<&str>) -> RequestLine {
        let mut headers = Headers::new();
        if let Some(host) = host {
            headers.push("Host", host.to_owned());
        }
        RequestLine { method: "GET".into(), target: target.into(), version: Version::Http11, headers }
    }

    fn url(route: &Route, target: &str, host: Option<&str>) -> Result<String, RouteError> {
        route.place(line(target, host)).map(|(head, via)| match via {
            Some(via) => format!("{} via {}", head.url(), via.authority()),
            None => head.url(),
        })
    }

    #[test]
    fn forms_of_targets() {
        let plain = Route::listener();
        assert_eq!(url(&plain, "http://A.test/x?y", Some("other")).unwrap(), "http://a.test/x?y");
        assert_eq!(url(&plain, "https://a.test", None).unwrap(), "https://a.test/");
        assert_eq!(url(&plain, "http://a.test:8080?q#f", None).unwrap(), "http://a.test:8080/?q");
        assert_eq!(url(&plain, "/p", Some("b.test:81")).unwrap(), "http://b.test:81/p");
        assert_eq!(url(&plain, "/p", None), Err(RouteError::NoHost));
        assert_eq!(url(&plain, "ftp://a/", None), Err(RouteError::BadTarget));
        assert_eq!(url(&plain, "nonsense", None), Err(RouteError::BadTarget));
    }

    #[test]
    fn m19_the_name_counts_and_not_the_address() {
        let target = Target { host: "192.0.2.7".into(), port: 443 };
        let tunnel = Route {
            scheme: Scheme::Https,
            target: Some(target),
            server_name: Some("api.test".into()),
            program: None,
            captured: true,
            fixed: None,
        };
        assert_eq!(url(&tunnel, "/p", Some("api.test")).unwrap(), "https://api.test/p via 192.0.2.7:443");
        assert_eq!(url(&tunnel, "/p", None).unwrap(), "https://api.test/p via 192.0.2.7:443");
        let named = Route { target: Some(Target { host: "api.test".into(), port: 8443 }), ..tunnel };
        assert_eq!(url(&named, "/p", Some("evil.test")).unwrap(), "https://api.test:8443/p");
    }

    #[test]
    fn a_reverse_listener_has_one_origin_whatever_is_asked() {
        let reverse = Route::reverse(Origin::new(Scheme::Https, "api.test", None));
        for target in ["/p?q", "http://localhost:9000/p?q", "https://evil.test/p?q"] {
            assert_eq!(url(&reverse, target, Some("localhost:9000")).unwrap(), "https://api.test/p?q");
        }
        assert_eq!(url(&reverse, "/p", None).unwrap(), "https://api.test/p");
        let (head, _) = reverse.place(line("/p", Some("localhost:9000"))).unwrap();
        assert_eq!(head.headers.get("host"), Some("api.test"));
    }

    #[test]
    fn authorities() {
        assert_eq!(Target::from_authority("[::1]:443", None).unwrap().authority(), "[::1]:443");
        assert_eq!(Target::from_authority("A.test.:80", None).unwrap().host, "a.test");
        assert!(Target::from_authority("a.test", None).is_none());
        assert!(Target::from_authority("a.test:0", None).is_none());
        assert!(Target::from_authority("a b:1", None).is_none());
    }
}
