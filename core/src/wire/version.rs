//! What each protocol version has, as data.

/// Whether there is a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize`, sessions, requests in both directions (until 2025-11-25).
    Legacy,
    /// Every request describes itself (from 2026-07-28).
    Modern,
}

/// A published protocol version.
#[derive(Debug, PartialEq, Eq)]
pub struct Version {
    /// Its date.
    pub name: &'static str,
    /// Its era.
    pub era: Era,
    /// The request that opens the conversation.
    pub opening: &'static str,
    /// Whether messages may come as batches.
    pub batches: bool,
    /// HTTP headers that every request after the opening one carries, lower-case.
    pub http_headers: &'static [&'static str],
    /// Members of `params._meta` that every request carries.
    pub meta: &'static [&'static str],
    /// Members that results must have, by method; `*` stands for every method.
    pub required_results: &'static [(&'static str, &'static [&'static str])],
    /// Error codes with a meaning of their own.
    pub error_codes: &'static [(i64, &'static str)],
    /// How a request is given up.
    pub cancellation: Cancellation,
}

/// How a request is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// By `notifications/cancelled` on every transport.
    Notification,
    /// By `notifications/cancelled` on stdio, by closing the stream over HTTP.
    NotificationOrStream,
}

/// The newest version with `initialize`.
pub const LATEST_LEGACY: &str = "2025-11-25";
/// The newest version without it.
pub const LATEST_MODERN: &str = "2026-07-28";

/// Key of `_meta` for the protocol version.
pub(crate) const META_PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Key of `_meta` for the client's capabilities.
pub(crate) const META_CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Key of `_meta` for the client's name.
pub(crate) const META_CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Key of `_meta` for the server's name.
pub(crate) const META_SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// -32020: a header does not match the body.
pub(crate) const HEADER_MISMATCH: i64 = -32020;
/// -32021: the client lacks a capability.
pub(crate) const CAPABILITY_MISSING: i64 = -32021;
/// -32022: the version is not supported.
pub(crate) const VERSION_UNSUPPORTED: i64 = -32022;

const JSON_RPC_CODES: &[(i64, &str)] = &[
    (-32700, "parse error"),
    (-32600, "invalid request"),
    (-32601, "method not found"),
    (-32602, "invalid params"),
    (-32603, "internal error"),
];
const LEGACY_RESULTS: &[(&str, &[&str])] = &[
    ("initialize", &["protocolVersion", "capabilities", "serverInfo"]),
    ("tools/list", &["tools"]),
    ("tools/call", &["content"]),
];

const fn legacy(name: &'static str, batches: bool, http_headers: &'static [&'static str]) -> Version {
    Version {
        name,
        era: Era::Legacy,
        opening: "initialize",
        batches,
        http_headers,
        meta: &[],
        required_results: LEGACY_RESULTS,
        error_codes: JSON_RPC_CODES,
        cancellation: Cancellation::Notification,
    }
}

/// Every published version, oldest first.
pub static VERSIONS: [Version; 5] = [
    legacy("2024-11-05", false, &[]),
    legacy("2025-03-26", true, &["mcp-session-id"]),
    legacy("2025-06-18", false, &["mcp-session-id", "mcp-protocol-version"]),
    legacy("2025-11-25", false, &["mcp-session-id", "mcp-protocol-version"]),
    Version {
        name: LATEST_MODERN,
        era: Era::Modern,
        opening: "server/discover",
        batches: false,
        http_headers: &["mcp-protocol-version", "mcp-method", "mcp-name"],
        meta: &[META_PROTOCOL_VERSION, META_CLIENT_CAPABILITIES, META_CLIENT_INFO],
        required_results: &[
            ("server/discover", &["supportedVersions", "capabilities"]),
            ("tools/list", &["tools"]),
            ("tools/call", &["content"]),
        ],
        error_codes: &[
            (-32700, "parse error"),
            (-32600, "invalid request"),
            (-32601, "method not found"),
            (-32602, "invalid params"),
            (-32603, "internal error"),
            (HEADER_MISMATCH, "header mismatch"),
            (CAPABILITY_MISSING, "client capability missing"),
            (VERSION_UNSUPPORTED, "protocol version not supported"),
        ],
        cancellation: Cancellation::NotificationOrStream,
    },
];

/// A version by its date.
pub fn find_version(name: &str) -> Option<&'static Version> {
    VERSIONS.iter().find(|version| version.name == name)
}

/// The meaning of an error code in any version.
pub(crate) fn error_code_meaning(code: i64) -> Option<&'static str> {
    VERSIONS
        .iter()
        .flat_map(|version| version.error_codes)
        .find_map(|&(known, meaning)| (known == code).then_some(meaning))
}

#[cfg(test)]
mod tests {
    use super::{Era, LATEST_LEGACY, LATEST_MODERN, VERSIONS, find_version};

    #[test]
    fn the_table_is_ordered_and_the_latest_are_in_it() {
        assert!(VERSIONS.is_sorted_by_key(|version| version.name));
        assert_eq!(find_version(LATEST_LEGACY).unwrap().era, Era::Legacy);
        assert_eq!(find_version(LATEST_MODERN).unwrap().era, Era::Modern);
        assert_eq!(find_version("1.0"), None);
        assert_eq!(VERSIONS.iter().filter(|version| version.batches).count(), 1);
    }
}
