//! The example MCP server inside the binary: stdio, two tools, and its weather from an HTTPS API.
//!
//! It is an ordinary program as far as the recorder is concerned: it reads `HTTPS_PROXY` and `SSL_CERT_FILE` like most
//! HTTP clients do and knows nothing of mcpeak.

use std::io;

use mcpeak_core::exit::ExitCode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::client;

/// Name of the API that the server calls.
pub(super) const API_HOST: &str = "api.weather.example";

/// Serves stdin and stdout until stdin ends.
pub(super) async fn serve() -> ExitCode {
    match answer_lines().await {
        Ok(()) => ExitCode::Passed,
        Err(_) => ExitCode::Failed,
    }
}

async fn answer_lines() -> io::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut stdout = tokio::io::stdout();
    while let Some(line) = lines.next_line().await? {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id") else { continue };
        let mut answer = answer(&message).await;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = id.clone();
        stdout.write_all(format!("{answer}\n").as_bytes()).await?;
        stdout.flush().await?;
    }
    Ok(())
}

async fn answer(message: &Value) -> Value {
    match message["method"].as_str() {
        Some("initialize") => json!({"result": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "mcpeak-demo", "version": env!("CARGO_PKG_VERSION")},
        }}),
        Some("ping") => json!({"result": {}}),
        Some("tools/list") => json!({"result": {"tools": [
            {"name": "get_weather", "description": "Current weather of a city",
             "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
            {"name": "add", "description": "Adds two numbers",
             "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                             "required": ["a", "b"]}},
        ]}}),
        Some("tools/call") => json!({"result": call(&message["params"]).await}),
        _ => json!({"error": {"code": -32601, "message": "method not found"}}),
    }
}

async fn call(params: &Value) -> Value {
    let arguments = &params["arguments"];
    match params["name"].as_str() {
        Some("get_weather") => match arguments["city"].as_str() {
            Some(city) => weather(city).await,
            None => tool_error("'city' must be a text, as in {\"city\": \"Seoul\"}"),
        },
        Some("add") => match (arguments["a"].as_f64(), arguments["b"].as_f64()) {
            (Some(left), Some(right)) => text_result(&(left + right).to_string()),
            _ => tool_error("'a' and 'b' must both be numbers"),
        },
        _ => tool_error("there is no such tool"),
    }
}

async fn weather(city: &str) -> Value {
    let query: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("city", city).finish();
    match client::get(API_HOST, &format!("/v1/weather?{query}")).await {
        Ok((200, body)) => text_result(&body),
        Ok((status, body)) => tool_error(&format!("the weather API answered {status}: {}", body.trim())),
        Err(error) => tool_error(&format!("the weather API cannot be reached: {error}")),
    }
}

fn text_result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn tool_error(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}
