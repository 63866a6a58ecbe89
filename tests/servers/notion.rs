//! `@notionhq/notion-mcp-server`, which asks with axios out of an OpenAPI document.

use serde_json::{Value, json};

use crate::support::answer::{Answer, body, header, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-notion-stand-in";
const PAGE: &str = "11111111-2222-3333-4444-555555555555";

#[test]
fn notion_records_and_replays() {
    let title = json!({"type": "object", "properties": {"url": {"const": "https://www.notion.so/Weather"}}});
    Server {
        command: installed::node("@notionhq/notion-mcp-server/bin/cli.mjs"),
        key: Some(("NOTION_TOKEN", KEY)),
        apis: vec![Api::start("api.notion.com", api)],
        suite: cases::suite(&[
            cases::lists(&["API-post-search", "API-retrieve-a-page"]),
            cases::returns(
                "API-post-search",
                &json!({"query": "날씨"}),
                &json!({"type": "object", "properties": {
                    "results": {"type": "array", "minItems": 1, "items": title},
                }}),
            ),
            cases::returns("API-retrieve-a-page", &json!({"page_id": PAGE}), &title),
        ]),
        asks: &[
            "GET https://api.notion.com/v1/pages/11111111-2222-3333-4444-555555555555",
            "POST https://api.notion.com/v1/search",
        ],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "authorization") != format!("Bearer {KEY}") {
        return unauthorized();
    }
    match (asked.method.as_str(), asked.path.strip_prefix("/v1/").unwrap_or_default()) {
        ("POST", "search") if body(asked) == json!({"query": "날씨"}) => ok(&json!({
            "object": "list", "results": [page()], "next_cursor": null, "has_more": false,
        })),
        ("GET", path) if path == format!("pages/{PAGE}") => ok(&page()),
        _ => not_found(asked),
    }
}

fn page() -> Value {
    json!({
        "object": "page", "id": PAGE, "url": "https://www.notion.so/Weather", "in_trash": false,
        "created_time": "2026-01-01T00:00:00.000Z", "last_edited_time": "2026-01-02T00:00:00.000Z",
        "properties": {"title": {"id": "title", "type": "title", "title": [{"plain_text": "날씨"}]}},
    })
}
