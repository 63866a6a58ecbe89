//! `firecrawl-mcp`, which asks with the axios of its SDK.

use serde_json::json;

use crate::support::answer::{Answer, body, header, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-firecrawl-stand-in";

#[test]
fn firecrawl_records_and_replays() {
    Server {
        command: installed::node("firecrawl-mcp/dist/index.js"),
        key: Some(("FIRECRAWL_API_KEY", KEY)),
        apis: vec![Api::start("api.firecrawl.dev", api)],
        suite: cases::suite(&[
            cases::lists(&["firecrawl_scrape", "firecrawl_map"]),
            cases::returns(
                "firecrawl_scrape",
                &json!({"url": "https://pages.example/today", "formats": ["markdown"]}),
                &json!({"type": "object", "properties": {"markdown": {"const": "# 날씨\n\nClear over Seoul."}}}),
            ),
            cases::returns(
                "firecrawl_map",
                &json!({"url": "https://pages.example"}),
                &json!({"type": "object", "properties": {
                    "links": {"type": "array", "minItems": 2, "items": {"type": "object", "required": ["url"]}},
                }}),
            ),
        ]),
        asks: &["POST https://api.firecrawl.dev/v2/map", "POST https://api.firecrawl.dev/v2/scrape"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "authorization") != format!("Bearer {KEY}") {
        return unauthorized();
    }
    let url = body(asked)["url"].clone();
    match asked.path.as_str() {
        "/v2/scrape" if url == "https://pages.example/today" => ok(&json!({"success": true, "data": {
            "markdown": "# 날씨\n\nClear over Seoul.",
            "metadata": {"title": "날씨", "sourceURL": "https://pages.example/today", "statusCode": 200},
        }})),
        "/v2/map" if url == "https://pages.example" => ok(&json!({"success": true, "links": [
            {"url": "https://pages.example/today", "title": "Today"},
            {"url": "https://pages.example/tomorrow", "title": "Tomorrow"},
        ]})),
        _ => not_found(asked),
    }
}
