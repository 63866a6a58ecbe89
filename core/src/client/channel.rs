//! One request to one answer, whatever the transport.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::connection::{Closed, ServerFacts};
use crate::error::{McpError, Phase};
use crate::wire::version::{META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_PROTOCOL_VERSION};
use crate::wire::{Era, RpcError, Transcript, Version};

/// A request to send.
pub(super) struct Call<'a> {
    /// `method`.
    pub(super) method: &'a str,
    /// `params`, without what the era adds.
    pub(super) params: Map<String, Value>,
    /// What is being done.
    pub(super) phase: Phase,
    /// The version to speak; `None` before it is known.
    pub(super) version: Option<&'static Version>,
    /// `Mcp-Param-*` headers.
    pub(super) param_headers: Vec<(String, String)>,
    /// When the answer is no longer waited for.
    pub(super) deadline: Instant,
    /// The same as a duration, for the sentence.
    pub(super) patience: Duration,
    /// Whether to tell the server when it passes. Never for the opening request.
    pub(super) cancel: bool,
}

impl Call<'_> {
    /// Whether it describes itself.
    pub(super) fn is_modern(&self) -> bool {
        self.version.is_some_and(|version| version.era == Era::Modern)
    }

    /// The message.
    pub(super) fn encode(&self, id: u64) -> Bytes {
        let mut params = self.params.clone();
        if let Some(version) = self.version.filter(|version| version.era == Era::Modern) {
            describe(&mut params, version);
        }
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": self.method});
        if !params.is_empty() {
            message["params"] = Value::Object(params);
        }
        Bytes::from(message.to_string())
    }
}

/// The client as it presents itself.
pub(super) fn client_info() -> Value {
    json!({"name": "mcpeak", "version": "0.0.0"})
}

fn describe(params: &mut Map<String, Value>, version: &Version) {
    let meta = params.entry("_meta").or_insert_with(|| json!({}));
    if let Some(meta) = meta.as_object_mut() {
        for &key in version.meta {
            let value = match key {
                META_PROTOCOL_VERSION => json!(version.name),
                META_CLIENT_CAPABILITIES => json!({}),
                META_CLIENT_INFO => client_info(),
                _ => continue,
            };
            meta.insert(key.to_owned(), value);
        }
    }
}

/// A notification as a message.
pub(super) fn encode_notification(method: &str, params: Option<Value>) -> Bytes {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if let Some(params) = params {
        message["params"] = params;
    }
    Bytes::from(message.to_string())
}

/// What a server gets that asks something of us: we have no capabilities, but we are alive.
pub(super) fn encode_reply(id: &Value, method: &str) -> Bytes {
    let reply = if method == "ping" {
        json!({"jsonrpc": "2.0", "id": id, "result": {}})
    } else {
        let error = json!({"code": -32601, "message": "mcpeak declares no client capabilities"});
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    };
    Bytes::from(reply.to_string())
}

/// An answer whose envelope keeps to the protocol.
pub(super) enum Outcome {
    /// A result and the message that it came in.
    Result(Map<String, Value>, Bytes),
    /// An error.
    Error(RpcError),
}

/// One request to one answer.
#[async_trait]
pub(super) trait Channel: Send + Sync {
    /// Sends a request and waits for its answer until its deadline.
    async fn call(&self, call: Call<'_>) -> Result<Outcome, McpError>;

    /// Sends a notification of the legacy era.
    async fn notify(
        &self,
        method: &str,
        version: &'static Version,
        deadline: Instant,
    ) -> Result<(), McpError>;

    /// What is known about the server now.
    fn facts(&self) -> ServerFacts;

    /// The last bytes in both directions.
    fn transcript(&self) -> &Transcript;

    /// Whether `Mcp-*` headers are of use.
    fn over_http(&self) -> bool;

    /// Ends the connection in order. Idempotent.
    async fn close(&self) -> Closed;
}
