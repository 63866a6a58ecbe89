//! A message: raw bytes next to the parsed value.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::violation::excerpt;

/// A JSON-RPC message (or batch) as it was received: nothing is lost, not even spelling of numbers or duplicate members.
#[derive(Clone, Debug)]
pub struct Message {
    raw: Bytes,
    value: Value,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has a method and an id.
    Request,
    /// It has a method and no id.
    Notification,
    /// It has an id, a result or an error, and no method.
    Response,
    /// An array of messages.
    Batch,
    /// JSON, but none of these.
    Invalid,
}

/// Bytes where a message belongs that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// A banner or log line.
    Text,
    /// Begins like a JSON-RPC message and is no JSON.
    BrokenJson,
    /// JSON that is not JSON-RPC, such as a structured log line.
    NotJsonRpc,
    /// Not UTF-8.
    NotUtf8,
    /// Over [`MAX_MESSAGE_BYTES`](super::MAX_MESSAGE_BYTES).
    TooLong,
    /// Nested deeper than 128 levels.
    TooDeep,
}

/// Why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAMessage {
    /// What they are.
    pub noise: Noise,
    /// Their beginning.
    pub excerpt: String,
}

impl Message {
    /// Reads a message.
    pub fn parse(raw: Bytes) -> Result<Self, NotAMessage> {
        let not = |noise| NotAMessage { noise, excerpt: excerpt(&raw) };
        let Ok(text) = std::str::from_utf8(&raw) else { return Err(not(Noise::NotUtf8)) };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let looks_like_json = text.trim_start().starts_with(['{', '[']);
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value) => value,
            // serde_json gives this case no category of its own.
            Err(error) if error.to_string().starts_with("recursion limit") => {
                return Err(not(Noise::TooDeep));
            }
            Err(_) if looks_like_json => return Err(not(Noise::BrokenJson)),
            Err(_) => return Err(not(Noise::Text)),
        };
        let message = Self { raw, value };
        match message.kind() {
            Kind::Invalid if looks_like_json => {
                Err(NotAMessage { noise: Noise::NotJsonRpc, excerpt: excerpt(&message.raw) })
            }
            Kind::Invalid => Err(NotAMessage { noise: Noise::Text, excerpt: excerpt(&message.raw) }),
            _ => Ok(message),
        }
    }

    /// The bytes as they came.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// The parsed value, members in the server's order.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        classify(&self.value)
    }

    /// The messages of a batch, or the message itself.
    pub fn into_singles(self) -> Vec<Self> {
        match self.value {
            Value::Array(items) => {
                items.into_iter().map(|value| Self { raw: Bytes::from(value.to_string()), value }).collect()
            }
            value => vec![Self { raw: self.raw, value }],
        }
    }

    /// The object of a single message.
    pub fn object(&self) -> Option<&Map<String, Value>> {
        self.value.as_object()
    }

    /// `id`, whatever it is.
    pub fn id(&self) -> Option<&Value> {
        self.value.get("id")
    }

    /// `method`, if it is a text.
    pub fn method(&self) -> Option<&str> {
        self.value.get("method").and_then(Value::as_str)
    }
}

fn classify(value: &Value) -> Kind {
    let object = match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => return Kind::Batch,
        Value::Object(object) => object,
        _ => return Kind::Invalid,
    };
    let has_id = object.get("id").is_some_and(|id| !id.is_null());
    if object.get("method").is_some_and(Value::is_string) {
        return if has_id { Kind::Request } else { Kind::Notification };
    }
    // A structured log line may well have an `error` or an `id`; a reply that forgot `jsonrpc` has id and outcome.
    let outcome = object.contains_key("result") || object.contains_key("error");
    let marked = object.contains_key("jsonrpc");
    if (marked && (outcome || has_id)) || (outcome && object.contains_key("id")) {
        return Kind::Response;
    }
    Kind::Invalid
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{Kind, Message, Noise};

    fn kind(text: &'static str) -> Kind {
        Message::parse(Bytes::from_static(text.as_bytes())).unwrap().kind()
    }

    fn noise(raw: &'static [u8]) -> Noise {
        Message::parse(Bytes::from_static(raw)).unwrap_err().noise
    }

    #[test]
    fn classifies_messages() {
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Kind::Request);
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"x"}"#), Kind::Notification);
        assert_eq!(kind(r#"{"id":1,"result":{}}"#), Kind::Response);
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#), Kind::Response);
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":3}"#), Kind::Response);
        assert_eq!(kind(r#"[{"jsonrpc":"2.0","id":3,"result":{}}]"#), Kind::Batch);
    }

    #[test]
    fn names_what_is_no_message() {
        assert_eq!(noise(b"Server starting up!"), Noise::Text);
        assert_eq!(noise(b"42"), Noise::Text);
        assert_eq!(noise(b"{not json"), Noise::BrokenJson);
        assert_eq!(noise(b"[INFO] ready"), Noise::BrokenJson);
        assert_eq!(noise(br#"{"level":"info","msg":"up"}"#), Noise::NotJsonRpc);
        assert_eq!(noise(b"\xff\xfe{}"), Noise::NotUtf8);
        assert_eq!(noise("[".repeat(500).leak().as_bytes()), Noise::TooDeep);
    }

    #[test]
    fn keeps_the_bytes() {
        let raw = r#"{"jsonrpc": "2.0","id":1.0,"result":{"n":1e2,"n":2}}"#;
        let message = Message::parse(Bytes::from_static(raw.as_bytes())).unwrap();
        assert_eq!(message.raw(), raw);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(raw in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Message::parse(Bytes::from(raw));
        }
    }
}
