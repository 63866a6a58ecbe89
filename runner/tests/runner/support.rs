//! A connection that answers from a function.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use mcpeak_core::client::{Closed, Connection, ServerFacts, StderrTail, Tool, ToolResult};
use mcpeak_core::error::{Detail, ErrorCode, McpError, Phase};
use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;
use mcpeak_runner::{Event, Run, RunOptions, Suite, run_suite};
use serde_json::{Map, Value, json};

/// What a call gives.
pub(crate) enum Reply {
    Result(Value),
    Error(McpError),
    Hang,
}

/// Replies in the order of the calls, for tools that a list declares.
pub(crate) struct Scripted {
    pub(crate) tools: Vec<Tool>,
    pub(crate) replies: Mutex<VecDeque<Reply>>,
}

/// The golden weather server.
pub(crate) struct Weather;

#[async_trait]
impl Connection for Scripted {
    async fn list_tools(&self, _deadline: Duration) -> Result<Vec<Tool>, McpError> {
        Ok(self.tools.clone())
    }

    async fn call_tool(
        &self,
        _name: &str,
        _arguments: &Map<String, Value>,
        deadline: Duration,
    ) -> Result<ToolResult, McpError> {
        let reply = self.replies.lock().unwrap().pop_front().expect("a reply for each call");
        match reply {
            Reply::Result(value) => Ok(ToolResult { raw: value.as_object().unwrap().clone() }),
            Reply::Error(error) => Err(error),
            Reply::Hang => {
                tokio::time::sleep(deadline).await;
                Err(timeout(deadline))
            }
        }
    }

    fn facts(&self) -> ServerFacts {
        ServerFacts::Process { exit: None, stderr: StderrTail::default() }
    }

    async fn close(&self) -> Closed {
        Closed { facts: self.facts(), forced: None, error: None }
    }
}

#[async_trait]
impl Connection for Weather {
    async fn list_tools(&self, _deadline: Duration) -> Result<Vec<Tool>, McpError> {
        Ok(tools(serde_json::from_str(include_str!("../golden/weather.tools.json")).unwrap()))
    }

    async fn call_tool(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        _deadline: Duration,
    ) -> Result<ToolResult, McpError> {
        let (text, is_error) = match name {
            "get_weather" => match arguments.get("city").and_then(Value::as_str) {
                None => ("→ 'city' 는 문자열이어야 합니다. 예: { \"city\": \"서울\" }", true),
                Some("서울") => ("{\"city\":\"서울\",\"temp\":21}", false),
                Some("example") => (
                    "→ 'example' 의 날씨 데이터가 없습니다. 사용 가능한 도시: 서울, 부산, 제주\n→ 이 예제 서버는 고정 데이터만 가지고 있습니다.",
                    true,
                ),
                Some(other) => panic!("no weather for {other}"),
            },
            _ if ["a", "b"].iter().all(|key| arguments.get(*key).is_some_and(Value::is_number)) => {
                ("0", false)
            }
            _ => ("→ 'a' 와 'b' 는 모두 숫자여야 합니다.", true),
        };
        let raw = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        Ok(ToolResult { raw: raw.as_object().unwrap().clone() })
    }

    fn facts(&self) -> ServerFacts {
        let stderr = StderrTail { text: "weather ready\n".to_owned(), truncated: false };
        ServerFacts::Process { exit: None, stderr }
    }

    async fn close(&self) -> Closed {
        Closed { facts: self.facts(), forced: None, error: None }
    }
}

pub(crate) fn timeout(deadline: Duration) -> McpError {
    let after_ms = u64::try_from(deadline.as_millis()).unwrap();
    let detail = Detail::Timeout { after_ms, waiting_for: "tools/call".to_owned() };
    McpError::new(ErrorCode::OperationTimeout, Phase::CallTool, detail)
}

pub(crate) fn tools(list: Value) -> Vec<Tool> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|tool| Tool {
            name: tool["name"].as_str().unwrap().to_owned(),
            raw: tool.as_object().unwrap().clone(),
        })
        .collect()
}

/// A server with one tool `t` without declared arguments.
pub(crate) fn scripted(replies: impl IntoIterator<Item = Reply>) -> Scripted {
    let schema =
        json!({"type": "object", "properties": {"token": {"type": "string"}, "n": {"type": "number"}}});
    Scripted {
        tools: tools(json!([{"name": "t", "description": "d", "inputSchema": schema}])),
        replies: Mutex::new(replies.into_iter().collect()),
    }
}

pub(crate) fn text(text: &str, is_error: bool) -> Reply {
    Reply::Result(json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

/// A suite of calls of `t`, with the ids `c0`, `c1`, …
pub(crate) fn calls(cases: &[(Value, Value)]) -> Suite {
    let cases: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(index, (input, assertions))| {
            json!({"id": format!("c{index}"), "name": format!("case {index}"), "timeoutMs": 50,
                "operation": {"type": "callTool", "tool": "t", "input": input}, "assertions": assertions})
        })
        .collect();
    Suite::from_value(json!({"schemaVersion": 1, "id": "suite", "name": "Suite", "cases": cases})).unwrap()
}

pub(crate) fn succeeds() -> Value {
    json!([{"type": "isError", "expected": false}])
}

pub(crate) fn options(locale: Locale, secrets: &[&str]) -> RunOptions {
    let sensitive = secrets.iter().map(|secret| Secret::new((*secret).to_owned())).collect();
    RunOptions { locale, sensitive, ..RunOptions::default() }
}

pub(crate) async fn run(suite: &Suite, connection: &dyn Connection, locale: Locale) -> Run {
    run_suite(suite, connection, &options(locale, &[]), &mut |_: &Event| {}).await
}
