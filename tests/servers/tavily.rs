//! `tavily-mcp`, which asks with axios.

use serde_json::json;

use crate::support::answer::{Answer, body, header, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-tavily-stand-in";

#[test]
fn tavily_records_and_replays() {
    Server {
        command: installed::node("tavily-mcp/build/index.js"),
        key: Some(("TAVILY_API_KEY", KEY)),
        apis: vec![Api::start("api.tavily.com", api)],
        suite: cases::suite(&[
            cases::lists(&["tavily_search", "tavily_extract"]),
            cases::says(
                "tavily_search",
                &json!({"query": "weather in Seoul", "max_results": 1}),
                &["Title: Weather today", "URL: https://pages.example/today", "Content: Clear over Seoul"],
            ),
            cases::says(
                "tavily_extract",
                &json!({"urls": ["https://pages.example/today"]}),
                &["URL: https://pages.example/today", "Clear over Seoul all day"],
            ),
        ]),
        asks: &["POST https://api.tavily.com/extract", "POST https://api.tavily.com/search"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "authorization") != format!("Bearer {KEY}") {
        return unauthorized();
    }
    let body = body(asked);
    match asked.path.as_str() {
        "/search" if body["query"] == "weather in Seoul" => ok(&json!({
            "query": "weather in Seoul", "answer": null, "images": [], "response_time": 0.5,
            "results": [{
                "title": "Weather today", "url": "https://pages.example/today", "content": "Clear over Seoul",
                "score": 0.875, "raw_content": null,
            }],
        })),
        "/extract" if body["urls"] == json!(["https://pages.example/today"]) => ok(&json!({
            "results": [{
                "url": "https://pages.example/today", "raw_content": "Clear over Seoul all day", "images": [],
            }],
            "failed_results": [], "response_time": 0.25,
        })),
        _ => not_found(asked),
    }
}
