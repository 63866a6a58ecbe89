//! A server started by `uvx`: `perplexity-mcp`, which asks with aiohttp and needs an older SDK than the others.

use serde_json::json;

use crate::support::answer::{Answer, body, header, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-perplexity-stand-in";

#[test]
fn uvx_starts_a_package_of_its_cache_without_its_index() {
    let (uvx, cache, python) =
        (installed::path("venv/bin/uvx"), installed::path("uv-cache"), installed::path("venv/bin/python"));
    let line = [
        &*uvx,
        "--offline",
        "--cache-dir",
        &cache,
        "--python",
        &python,
        "--with",
        "mcp<2",
        "perplexity-mcp@0.1.7",
    ];
    Server {
        command: line.map(str::to_owned).to_vec(),
        key: Some(("PERPLEXITY_API_KEY", KEY)),
        apis: vec![Api::start("api.perplexity.ai", api)],
        suite: cases::suite(&[
            cases::lists(&["perplexity_search_web"]),
            cases::says(
                "perplexity_search_web",
                &json!({"query": "서울의 날씨", "recency": "day"}),
                &["Clear over Seoul", "[1] https://pages.example/today"],
            ),
        ]),
        asks: &["POST https://api.perplexity.ai/chat/completions"],
        ..Server::default()
    }
    .records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "authorization") != format!("Bearer {KEY}") {
        return unauthorized();
    }
    let body = body(asked);
    if asked.path != "/chat/completions" || body["messages"][1]["content"] != "서울의 날씨" {
        return not_found(asked);
    }
    ok(&json!({
        "id": "1", "model": body["model"], "object": "chat.completion",
        "citations": ["https://pages.example/today"],
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": "Clear over Seoul"}}],
    }))
}
