//! A message that breaks the protocol, described.

use serde_json::Value;

/// How [`Violation::seen`] names a member that is not there.
pub const ABSENT: &str = "nothing";

const EXCERPT_CHARACTERS: usize = 1_000;
const SEEN_CHARACTERS: usize = 120;

/// Which message, what is wrong, what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule that is broken.
    pub rule: Rule,
    /// Where in the message, such as `result.tools[0].inputSchema`; empty for the message as a whole.
    pub path: String,
    /// What was expected, in the protocol's words.
    pub expected: String,
    /// What was seen: JSON cut at 120 characters, or [`ABSENT`].
    pub seen: String,
    /// The offending message, cut at 1,000 characters.
    pub excerpt: String,
}

impl Violation {
    /// A violation of `rule` at `path`, where `seen` stands instead of what was expected.
    pub fn new(rule: Rule, path: impl Into<String>, seen: Option<&Value>, raw: &[u8]) -> Self {
        Self {
            rule,
            path: path.into(),
            expected: rule.expected().to_owned(),
            seen: seen.map_or_else(|| ABSENT.to_owned(), |value| cut(&value.to_string(), SEEN_CHARACTERS)),
            excerpt: excerpt(raw),
        }
    }
}

/// The beginning of outside text, at most 1,000 characters; bytes that are not UTF-8 are replaced.
pub fn excerpt(raw: &[u8]) -> String {
    // Four bytes a character at most: no need to decode megabytes for a thousand characters.
    let head = raw.get(..EXCERPT_CHARACTERS * 4 + 4).unwrap_or(raw);
    cut(&String::from_utf8_lossy(head), EXCERPT_CHARACTERS)
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $expected:literal;)*) => {
        /// A rule of the protocol that a server can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Stable name, kebab-case.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the protocol wants, in its words.
            pub const fn expected(self) -> &'static str {
                match self { $(Self::$variant => $expected,)* }
            }
        }
    };
}

rules! {
    /// JSON-RPC 2.0, 5: `jsonrpc` is `"2.0"`.
    JsonRpcVersion = "jsonrpc-version", "the member `jsonrpc` with the value \"2.0\"";
    /// JSON-RPC 2.0, 5: either a result or an error.
    ResultXorError = "result-xor-error", "either `result` or `error`, and never both";
    /// MCP, base protocol: a response has the id of its request, of the same type.
    IdType = "id-type", "the id of the request in the type it was sent in, a number";
    /// JSON-RPC 2.0, 5: a response has the id of its request.
    IdUnknown = "id-unknown", "the id of a request that was sent";
    /// JSON-RPC 2.0, 5.1: `error` has an integer `code` and a text `message`.
    ErrorShape = "error-shape", "an error object with an integer `code` and a string `message`";
    /// MCP, base protocol: a result is an object.
    ResultObject = "result-object", "a JSON object as `result`";
    /// `initialize`: the version is one that exists.
    ProtocolVersion = "protocol-version", "a published protocol version (2024-11-05, 2025-03-26, 2025-06-18 or 2025-11-25)";
    /// `initialize`: `serverInfo` is an object.
    ServerInfo = "server-info", "an object `serverInfo` with the strings `name` and `version`";
    /// `initialize`: `serverInfo.name`.
    ServerInfoName = "server-info-name", "a string `serverInfo.name`";
    /// `initialize`: `serverInfo.version`.
    ServerInfoVersion = "server-info-version", "a string `serverInfo.version`";
    /// `initialize`, `server/discover`: `capabilities` is an object.
    Capabilities = "capabilities", "an object `capabilities`";
    /// `server/discover`: `supportedVersions`.
    SupportedVersions = "supported-versions", "an array `supportedVersions` of strings";
    /// 2026-07-28: `resultType` is one that is known.
    ResultType = "result-type", "`resultType` \"complete\" or \"input_required\"";
    /// `tools/list`: `tools` is an array.
    ToolsArray = "tools-array", "an array `tools`";
    /// `tools/list`: a tool is an object.
    ToolObject = "tool-object", "a JSON object for each tool";
    /// `tools/list`: `name` of a tool.
    ToolName = "tool-name", "a string `name` that is not empty for each tool";
    /// `tools/list`: `inputSchema` is there.
    InputSchemaMissing = "input-schema-missing", "an `inputSchema` for each tool, at least `{\"type\": \"object\"}`";
    /// `tools/list`: `inputSchema` is an object.
    InputSchemaObject = "input-schema-object", "a JSON object as `inputSchema`";
    /// Lists: `nextCursor` is a text.
    NextCursor = "next-cursor", "a string as `nextCursor`, or none";
    /// `tools/call`: a result has content.
    ToolContent = "tool-content", "an array `content` (or `structuredContent`) in the result of a tool";
    /// `tools/call`: `isError` is a boolean.
    IsError = "is-error", "a boolean as `isError`, or none";
    /// 2026-07-28: the rules for `x-mcp-header`; clients must drop a tool that breaks them.
    ParamHeader = "x-mcp-header", "`x-mcp-header` annotations that are unique HTTP tokens on integer, string or boolean properties";
    /// Streamable HTTP: a session id is visible ASCII.
    SessionId = "session-id", "a session id of visible ASCII characters";
    /// Streamable HTTP: events carry JSON-RPC messages.
    EventData = "event-data", "a JSON-RPC message as the data of an event";
    /// Streamable HTTP: a JSON body is one JSON-RPC message.
    BodyMessage = "body-message", "a JSON-RPC message as the body";
}
