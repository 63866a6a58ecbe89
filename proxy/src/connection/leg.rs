//! Answers the requests of a connection.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::exchange::{RequestHead, Version};
use crate::hop;
use crate::http1::{self, RequestLine};
use crate::http2;
use crate::message::{Body, Reply, Request};
use crate::respond;
use crate::route::{Route, Target};
use crate::settings::Limits;
use crate::shared::Shared;

/// The client's side of a connection.
pub(super) struct Leg {
    shared: Arc<Shared>,
    route: Route,
}

impl Leg {
    pub(super) const fn new(shared: Arc<Shared>, route: Route) -> Self {
        Self { shared, route }
    }

    pub(super) fn into_route(self) -> Route {
        self.route
    }

    async fn exchange(&self, head: RequestHead, via: Option<Target>, body: Body) -> Reply {
        if self.shared.is_own_origin(&head.origin) {
            return respond::own_page(&head.path, self.shared.authority.certificate_pem());
        }
        self.shared.engine.exchange(Request { head, via, body }, &self.shared.counters).await
    }
}

impl http1::Served for Leg {
    async fn answer(&self, line: RequestLine, body: Body) -> Reply {
        if let Some(host) = line.headers.get("host").filter(|_| line.target.starts_with('/')) {
            self.shared.note_host(&self.route, host);
        }
        // Asked as a server and not as a proxy, on this very port: the name that the client has for it does not matter.
        let direct =
            self.route.target.is_none() && self.route.fixed.is_none() && line.target.starts_with('/');
        match self.route.place(line) {
            Ok((head, _)) if direct && head.origin.port == self.shared.address.port() => {
                respond::own_page(&head.path, self.shared.authority.certificate_pem())
            }
            Ok((head, via)) => self.exchange(head, via, body).await,
            Err(error) => respond::unroutable(error),
        }
    }

    fn is_live(&self) -> bool {
        self.shared.engine.upstream().is_some()
    }

    fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    fn stop(&self) -> &CancellationToken {
        &self.shared.stop
    }

    fn follows_upgrade(&self, line: &RequestLine) -> bool {
        self.shared.upstream_of_unread().is_some()
            && line.headers.contains("upgrade")
            && hop::connection_has(&line.headers, "upgrade")
            // HTTP/2 by upgrade is a courtesy that RFC 9113 has dropped: answered over HTTP/1.
            && line.headers.get("upgrade").is_some_and(|to| !to.eq_ignore_ascii_case("h2c"))
    }
}

impl http2::Served for Leg {
    fn is_live(&self) -> bool {
        self.shared.engine.upstream().is_some()
    }

    async fn answer(&self, parts: http::request::Parts, body: Body) -> Reply {
        if parts.method == http::Method::CONNECT {
            return respond::unsupported("CONNECT over HTTP/2 is not served");
        }
        if let Some(authority) = parts.uri.authority() {
            self.shared.note_host(&self.route, authority.as_str());
        }
        match self.route.place_h2(&parts) {
            Ok((origin, via)) => {
                let (path, query) = match parts.uri.path_and_query() {
                    Some(target) => (target.path().to_owned(), target.query().map(str::to_owned)),
                    None => ("/".to_owned(), None),
                };
                let mut headers = http2::headers(&parts.headers);
                self.route.address(&mut headers);
                let method = parts.method.as_str().to_owned();
                let head = RequestHead { method, origin, path, query, version: Version::H2, headers };
                self.exchange(head, via, body).await
            }
            Err(error) => respond::unroutable(error),
        }
    }

    fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    fn stop(&self) -> &CancellationToken {
        &self.shared.stop
    }

    fn cut(&self) -> &CancellationToken {
        &self.shared.cut
    }

    fn tracker(&self) -> &TaskTracker {
        &self.shared.tracker
    }
}
