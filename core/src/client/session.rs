//! Operations on a connected server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::channel::{Call, Channel, Outcome};
use super::connection::{Closed, Connection, ServerFacts, Tool, ToolResult};
use super::failure::{phase_of, refused, timed_out, unusable, violated};
use super::handshake::Negotiated;
use super::param_headers::{ParamHeader, param_headers, values_of};
use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::wire::judge::Judged;
use crate::wire::{Era, Transcript, Violation};

/// Deepest nesting of arguments, in levels below the arguments object.
const MAX_ARGUMENT_DEPTH: usize = 100;
/// Most pages of a list.
const MAX_PAGES: usize = 1_000;

/// A connected server.
pub(super) struct Session<C> {
    channel: C,
    negotiated: Negotiated,
    /// `x-mcp-header` annotations by tool, as last listed; only kept where they are of use.
    annotations: Mutex<Option<Annotations>>,
}

type Annotations = BTreeMap<String, Result<Vec<ParamHeader>, Violation>>;

/// A deadline with its duration, for the sentence.
#[derive(Clone, Copy)]
struct Patience {
    deadline: Instant,
    whole: Duration,
}

impl Patience {
    fn new(whole: Duration) -> Self {
        Self { deadline: Instant::now() + whole, whole }
    }
}

impl<C: Channel> Session<C> {
    pub(super) fn new(channel: C, negotiated: Negotiated) -> Self {
        Self { channel, negotiated, annotations: Mutex::new(None) }
    }

    async fn send(
        &self,
        method: &str,
        params: Map<String, Value>,
        param_headers: Vec<(String, String)>,
        patience: Patience,
    ) -> Result<(Map<String, Value>, bytes::Bytes), McpError> {
        let phase = phase_of(method);
        let call = Call {
            method,
            params,
            phase,
            version: Some(self.negotiated.version),
            param_headers,
            deadline: patience.deadline,
            patience: patience.whole,
            cancel: true,
        };
        let (result, raw) = match self.channel.call(call).await? {
            Outcome::Result(result, raw) => (result, raw),
            Outcome::Error(error) => return Err(refused(phase, error)),
        };
        if self.negotiated.era() == Era::Modern {
            let judged = Judged { result: &result, raw: &raw };
            if judged.result_type().map_err(|violation| violated(phase, violation))? {
                return Err(unusable(phase, Detail::InputRequired(requested_inputs(&result))));
            }
        }
        Ok((result, raw))
    }

    async fn list(&self, patience: Patience) -> Result<Vec<Tool>, McpError> {
        let failed = |detail| McpError::new(ErrorCode::OperationFailed, Phase::ListTools, detail);
        let mut tools = Vec::new();
        // The first page is asked for without a cursor; an empty one would ask for it again.
        let mut seen = BTreeSet::from([String::new()]);
        let mut params = Map::new();
        for _ in 0..MAX_PAGES {
            let (result, raw) = self.send("tools/list", params, Vec::new(), patience).await?;
            let page = Judged { result: &result, raw: &raw }
                .tools_page()
                .map_err(|violation| violated(Phase::ListTools, violation))?;
            tools.extend(page.tools.into_iter().map(|(name, raw)| Tool { name, raw }));
            let Some(cursor) = page.next else {
                self.remember(&tools);
                return Ok(tools);
            };
            if !seen.insert(cursor.clone()) {
                let detail = Detail::Cursor(cursor);
                return Err(McpError::new(ErrorCode::PaginationCursorRepeated, Phase::ListTools, detail));
            }
            if Instant::now() >= patience.deadline {
                let over_http = self.channel.over_http();
                return Err(timed_out(Phase::ListTools, "tools/list", patience.whole, over_http));
            }
            params = Map::from_iter([("cursor".to_owned(), Value::String(cursor))]);
        }
        Err(failed(Detail::TooManyPages { limit: MAX_PAGES }))
    }

    fn needs_annotations(&self) -> bool {
        self.channel.over_http() && self.negotiated.era() == Era::Modern
    }

    fn remember(&self, tools: &[Tool]) {
        if self.needs_annotations() {
            let annotations = tools
                .iter()
                .map(|tool| (tool.name.clone(), param_headers(tool.input_schema().unwrap_or(&Value::Null))))
                .collect();
            *self.annotations.lock().unwrap_or_else(PoisonError::into_inner) = Some(annotations);
        }
    }

    /// The headers that repeat arguments. A server refuses a call without them, so the list is fetched if it was not yet.
    async fn headers_for(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        patience: Patience,
    ) -> Result<Vec<(String, String)>, McpError> {
        if !self.needs_annotations() {
            return Ok(Vec::new());
        }
        let known = self.annotations.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if !known {
            self.list(patience).await?;
        }
        let annotations = self.annotations.lock().unwrap_or_else(PoisonError::into_inner);
        match annotations.as_ref().and_then(|annotations| annotations.get(tool)) {
            None => Ok(Vec::new()),
            Some(Ok(headers)) => Ok(values_of(headers, arguments)),
            Some(Err(violation)) => Err(violated(Phase::CallTool, violation.clone())),
        }
    }
}

#[async_trait]
impl<C: Channel> Connection for Session<C> {
    async fn list_tools(&self, deadline: Duration) -> Result<Vec<Tool>, McpError> {
        self.list(Patience::new(deadline)).await
    }

    async fn call_tool(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        deadline: Duration,
    ) -> Result<ToolResult, McpError> {
        let patience = Patience::new(deadline);
        if arguments.values().any(|value| deeper_than(value, MAX_ARGUMENT_DEPTH)) {
            let detail = Detail::TooDeep { limit: MAX_ARGUMENT_DEPTH };
            return Err(McpError::new(ErrorCode::InvalidToolArguments, Phase::CallTool, detail));
        }
        let headers = self.headers_for(name, arguments, patience).await?;
        let params = Map::from_iter([
            ("name".to_owned(), json!(name)),
            ("arguments".to_owned(), Value::Object(arguments.clone())),
        ]);
        let (result, raw) = self.send("tools/call", params, headers, patience).await?;
        Judged { result: &result, raw: &raw }
            .tool_result()
            .map_err(|violation| violated(Phase::CallTool, violation))?;
        Ok(ToolResult { raw: result })
    }

    async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        deadline: Duration,
    ) -> Result<Map<String, Value>, McpError> {
        Ok(self.send(method, params, Vec::new(), Patience::new(deadline)).await?.0)
    }

    fn negotiated(&self) -> Option<&Negotiated> {
        Some(&self.negotiated)
    }

    fn transcript(&self) -> Option<&Transcript> {
        Some(self.channel.transcript())
    }

    fn facts(&self) -> ServerFacts {
        self.channel.facts()
    }

    async fn close(&self) -> Closed {
        self.channel.close().await
    }
}

fn requested_inputs(result: &Map<String, Value>) -> Vec<String> {
    let requests = result.get("inputRequests").and_then(Value::as_object);
    let methods = requests.into_iter().flat_map(Map::values).filter_map(|request| request.get("method"));
    methods.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether containers nest deeper than `levels`. Recursion ends at that level.
fn deeper_than(value: &Value, levels: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return false,
    };
    levels == 0 || inner.any(|value| deeper_than(value, levels - 1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::deeper_than;

    #[test]
    fn depth() {
        let nested = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert!(!deeper_than(&nested, 100));
        assert!(deeper_than(&json!({ "x": nested }), 100));
        assert!(!deeper_than(&json!("text"), 0));
    }
}
