//! `@upstash/context7-mcp`, which asks with Node's `fetch` through a dispatcher of its own undici.

use serde_json::json;

use crate::support::answer::{Answer, header, not_found, ok, text, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-context7-stand-in";

#[test]
fn context7_records_and_replays() {
    Server {
        command: installed::node("@upstash/context7-mcp/dist/index.js"),
        key: Some(("CONTEXT7_API_KEY", KEY)),
        apis: vec![Api::start("context7.com", api)],
        suite: cases::suite(&[
            cases::lists(&["resolve-library-id", "query-docs"]),
            cases::says(
                "resolve-library-id",
                &json!({"query": "how to ask for the weather", "libraryName": "weather"}),
                &["Title: Weather", "library ID: /example/weather", "Code Snippets: 12"],
            ),
            cases::says(
                "query-docs",
                &json!({"libraryId": "/example/weather", "query": "current weather"}),
                &["weather.now(\"서울\")"],
            ),
        ]),
        asks: &["GET https://context7.com/api/v2/context", "GET https://context7.com/api/v2/libs/search"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "authorization") != format!("Bearer {KEY}") {
        return unauthorized();
    }
    match (asked.path.as_str(), asked.query.as_str()) {
        ("/api/v2/libs/search", "query=how+to+ask+for+the+weather&libraryName=weather") => {
            ok(&json!({"results": [{
                "id": "/example/weather", "title": "Weather", "description": "Asks for the weather",
                "totalSnippets": 12, "trustScore": 8, "benchmarkScore": 75, "versions": [],
            }]}))
        }
        ("/api/v2/context", "query=current+weather&libraryId=%2Fexample%2Fweather") => {
            text(200, "text/plain; charset=utf-8", "### Now\n\n    weather.now(\"서울\")\n".to_owned())
        }
        _ => not_found(asked),
    }
}
