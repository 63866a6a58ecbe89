//! `duckduckgo-mcp-server`, which asks with httpx, reads HTML, and fetches only what resolves to public addresses.

use serde_json::json;

use crate::support::answer::{Answer, not_found, text};
use crate::support::{Api, Asked, Server, cases, installed};

#[test]
fn duckduckgo_records_and_replays() {
    Server {
        command: installed::python("duckduckgo-mcp-server"),
        apis: vec![Api::start("html.duckduckgo.com", api), Api::start("pages.example", page)],
        suite: cases::suite(&[
            cases::lists(&["search", "fetch_content"]),
            cases::says(
                "search",
                &json!({"query": "서울 weather", "max_results": 1}),
                &["1. Weather today", "URL: https://pages.example/today", "Summary: Clear over Seoul"],
            ),
            cases::says(
                "fetch_content",
                &json!({"url": "https://pages.example/today"}),
                &["Clear over Seoul all day"],
            ),
        ]),
        asks: &["GET https://pages.example/today", "POST https://html.duckduckgo.com/html"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    let form = String::from_utf8_lossy(&asked.body);
    if asked.path != "/html" || !form.contains("q=%EC%84%9C%EC%9A%B8+weather") {
        return not_found(asked);
    }
    let result = r#"<div class="result">
          <h2 class="result__title"><a href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fpages.example%2Ftoday&rut=1">Weather today</a></h2>
          <a class="result__snippet">Clear over Seoul</a>
        </div>"#;
    text(200, "text/html; charset=UTF-8", format!("<!doctype html><html><body>{result}</body></html>"))
}

fn page(asked: &Asked) -> Answer {
    if asked.path != "/today" {
        return not_found(asked);
    }
    text(200, "text/html; charset=utf-8", "<h1>날씨</h1><p>Clear over Seoul all day.</p>".to_owned())
}
