//! `exa-mcp-server`, which asks with Node's own `fetch`, and reports each call to an analytics service with axios.
//!
//! It has no switch for the latter. What it reports differs from run to run; rules take that out of matching.

use serde_json::json;

use crate::support::answer::{Answer, body, header, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-exa-stand-in";

#[test]
fn exa_records_and_replays_with_its_analytics() {
    Server {
        command: installed::node("exa-mcp-server/dist/stdio.cjs"),
        key: Some(("EXA_API_KEY", KEY)),
        apis: vec![Api::start("api.exa.ai", api), Api::start("api.agnost.ai", analytics)],
        suite: cases::suite(&[
            cases::lists(&["web_search_exa", "web_fetch_exa"]),
            cases::says(
                "web_search_exa",
                &json!({"query": "weather in Seoul", "numResults": 1}),
                &["Title: Weather today", "URL: https://pages.example/today", "Clear over Seoul"],
            ),
        ]),
        asks: &[
            "POST https://api.agnost.ai/api/v1/capture-event",
            "POST https://api.agnost.ai/api/v1/capture-session",
            "POST https://api.exa.ai/search",
        ],
        rules: &["json:$.session_id", "json:$.latency", "json:$.checkpoints"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "x-api-key") != KEY {
        return unauthorized();
    }
    match asked.path.as_str() {
        "/search" if body(asked)["query"] == "weather in Seoul" => ok(&json!({
            "requestId": "request-1", "resolvedSearchType": "neural",
            "results": [{
                "id": "https://pages.example/today", "title": "Weather today", "url": "https://pages.example/today",
                "publishedDate": "2026-01-01T00:00:00.000Z", "author": "Example", "highlights": ["Clear over Seoul"],
            }],
        })),
        _ => not_found(asked),
    }
}

fn analytics(asked: &Asked) -> Answer {
    match asked.path.as_str() {
        "/api/v1/capture-session" | "/api/v1/capture-event" => ok(&json!({"status": "ok"})),
        _ => not_found(asked),
    }
}
