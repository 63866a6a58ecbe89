//! `mcp-server-fetch`, which asks with httpx and refuses names that resolve to private addresses.

use serde_json::json;

use crate::support::answer::{Answer, not_found, text};
use crate::support::{Api, Asked, Server, cases, installed};

#[test]
fn fetch_records_and_replays_though_it_refuses_private_addresses() {
    Server {
        command: installed::python("mcp-server-fetch"),
        apis: vec![Api::start("pages.example", pages)],
        suite: cases::suite(&[
            cases::lists(&["fetch"]),
            cases::says(
                "fetch",
                &json!({"url": "https://pages.example/today", "raw": true}),
                &["Clear over Seoul"],
            ),
        ]),
        asks: &["GET https://pages.example/robots.txt", "GET https://pages.example/today"],
        ..Server::default()
    }
    .records_and_replays();
}

fn pages(asked: &Asked) -> Answer {
    match asked.path.as_str() {
        "/robots.txt" => text(200, "text/plain", "User-agent: *\nAllow: /\n".to_owned()),
        "/today" => text(200, "text/html; charset=utf-8", "<h1>날씨</h1><p>Clear over Seoul.</p>".to_owned()),
        _ => not_found(asked),
    }
}
