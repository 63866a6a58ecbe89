//! Fields that belong to one hop (RFC 9110 section 7.6.1) and the ones that a recording must not send.

use crate::exchange::Headers;

/// Whether a field is meant for the next hop only, framing fields aside.
pub(crate) fn is_hop_by_hop(name: &str) -> bool {
    // By length first: this runs for each field of each message.
    match name.len() {
        2 => name.eq_ignore_ascii_case("te"),
        7 => name.eq_ignore_ascii_case("upgrade"),
        10 => name.eq_ignore_ascii_case("connection") || name.eq_ignore_ascii_case("keep-alive"),
        16 => name.eq_ignore_ascii_case("proxy-connection"),
        17 => name.eq_ignore_ascii_case("transfer-encoding"),
        18 => name.eq_ignore_ascii_case("proxy-authenticate"),
        19 => name.eq_ignore_ascii_case("proxy-authorization"),
        _ => false,
    }
}

/// Whether a request field makes the answer depend on what the client already holds. Dropped while recording, so that the
/// recording holds the whole answer.
pub(crate) fn is_conditional(name: &str) -> bool {
    const CONDITIONAL: [&str; 3] = ["if-none-match", "if-modified-since", "if-range"];
    // `If-Match` and `If-Unmodified-Since` guard writes: without them a request would mean something else.
    CONDITIONAL.iter().any(|field| name.eq_ignore_ascii_case(field))
}

/// The names that a `Connection` field lists.
pub(crate) struct Listed<'a>(Vec<&'a str>);

impl Listed<'_> {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|listed| listed.eq_ignore_ascii_case(name))
    }
}

/// The names that `Connection` lists, `close` and `keep-alive` left out.
pub(crate) fn listed_in_connection(headers: &Headers) -> Listed<'_> {
    Listed(
        headers
            .get_all("connection")
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|name| !matches!(name.len(), 0) && !name.eq_ignore_ascii_case("close"))
            .filter(|name| !name.eq_ignore_ascii_case("keep-alive"))
            .collect(),
    )
}

/// Whether `Connection` lists an option.
pub(crate) fn connection_has(headers: &Headers, option: &str) -> bool {
    headers
        .get_all("connection")
        .chain(headers.get_all("proxy-connection"))
        .flat_map(|value| value.split(','))
        .any(|listed| listed.trim().eq_ignore_ascii_case(option))
}

#[cfg(test)]
mod tests {
    use super::{is_conditional, is_hop_by_hop};

    #[test]
    fn names() {
        for name in ["TE", "Upgrade", "connection", "Keep-Alive", "Proxy-Authorization", "Transfer-Encoding"]
        {
            assert!(is_hop_by_hop(name), "{name}");
        }
        for name in ["trailer", "content-length", "host", "authorization", "date"] {
            assert!(!is_hop_by_hop(name), "{name}");
        }
        assert!(is_conditional("If-None-Match") && !is_conditional("if-match"));
    }
}
