//! MCP, the legacy era (2024-11-05 to 2025-11-25): one JSON-RPC message in, one answer or none out.

use serde_json::{Map, Value, json};

use crate::tools::Tools;

const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

struct ProtocolError {
    code: i32,
    message: String,
}

impl ProtocolError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    fn with_id(&self, id: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": self.code, "message": self.message}})
    }
}

/// The answer to one message; `None` where the protocol wants none.
pub(crate) async fn answer(tools: &Tools, line: &[u8]) -> Option<Value> {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return Some(ProtocolError::new(PARSE_ERROR, "Parse error").with_id(&Value::Null));
    };
    let invalid = ProtocolError::new(INVALID_REQUEST, "Invalid Request");
    if message["jsonrpc"] != "2.0" {
        return Some(invalid.with_id(&Value::Null));
    }
    let id = message.get("id");
    let Some(method) = message["method"].as_str() else {
        let is_answer = message.get("result").or(message.get("error")).is_some();
        return (!is_answer).then(|| invalid.with_id(id.unwrap_or(&Value::Null)));
    };
    let id = id?;
    let empty = Value::Object(Map::new());
    let reply = match message.get("params").unwrap_or(&empty) {
        Value::Object(params) => result(tools, method, params).await,
        _ => Err(ProtocolError::new(INVALID_PARAMS, "\"params\" must be an object")),
    };
    Some(match reply {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => error.with_id(id),
    })
}

async fn result(tools: &Tools, method: &str, params: &Map<String, Value>) -> Result<Value, ProtocolError> {
    match method {
        "initialize" => Ok(initialize(params)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools.definitions()})),
        "tools/call" => call_tool(tools, params).await,
        _ => Err(ProtocolError::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))),
    }
}

fn initialize(params: &Map<String, Value>) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version = VERSIONS.into_iter().find(|known| *known == asked).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "weather", "version": "1.0.0"},
    })
}

async fn call_tool(tools: &Tools, params: &Map<String, Value>) -> Result<Value, ProtocolError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let empty = Map::new();
    let input = match params.get("arguments") {
        None => &empty,
        Some(Value::Object(input)) => input,
        Some(_) => return Err(ProtocolError::new(INVALID_PARAMS, "\"arguments\" must be an object")),
    };
    let Some(outcome) = tools.call(name, input).await else {
        return Err(ProtocolError::new(INVALID_PARAMS, format!("Unknown tool: {name}")));
    };
    let (text, is_error) = match outcome {
        Ok(text) => (text, false),
        Err(text) => (text, true),
    };
    Ok(json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}
