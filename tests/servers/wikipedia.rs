//! `wikipedia-mcp`, which asks with requests.

use serde_json::json;

use crate::support::answer::{Answer, not_found, ok};
use crate::support::{Api, Asked, Server, cases, installed};

#[test]
fn wikipedia_records_and_replays() {
    Server {
        command: installed::python("wikipedia-mcp"),
        apis: vec![Api::start("en.wikipedia.org", api)],
        suite: cases::suite(&[
            cases::lists(&["search_wikipedia", "get_summary"]),
            cases::returns(
                "search_wikipedia",
                &json!({"query": "Seoul", "limit": 1}),
                &json!({"type": "object", "properties": {
                    "results": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {
                        "title": {"const": "Seoul"}, "pageid": {"const": 18948},
                    }}},
                }}),
            ),
        ]),
        asks: &["GET https://en.wikipedia.org/w/api.php"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if asked.path == "/w/api.php"
        && asked.query.contains("list=search")
        && asked.query.contains("srsearch=Seoul")
    {
        return ok(&json!({"batchcomplete": "", "query": {"searchinfo": {"totalhits": 1}, "search": [{
            "ns": 0, "title": "Seoul", "pageid": 18948, "size": 1000, "wordcount": 100,
            "snippet": "서울 is the capital of South Korea", "timestamp": "2026-01-01T00:00:00Z",
        }]}}));
    }
    not_found(asked)
}
