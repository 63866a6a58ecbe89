//! `@modelcontextprotocol/server-github`, which asks with Node's own `fetch`.

use serde_json::{Value, json};

use crate::support::answer::{Answer, header, not_found, ok, unauthorized};
use crate::support::{Api, Asked, Server, cases, installed};

const KEY: &str = "dummy-key-for-the-github-stand-in";

/// The server; how it is started may differ.
pub(crate) fn server(command: Vec<String>) -> Server {
    Server {
        command,
        key: Some(("GITHUB_PERSONAL_ACCESS_TOKEN", KEY)),
        apis: vec![Api::start("api.github.com", api)],
        suite: cases::suite(&[
            cases::lists(&["search_repositories", "get_issue"]),
            cases::returns(
                "search_repositories",
                &json!({"query": "weather", "perPage": 1}),
                &json!({"type": "object", "properties": {
                    "items": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {
                        "full_name": {"const": "example/weather"},
                        "owner": {"type": "object", "properties": {"login": {"const": "example"}}},
                    }}},
                }}),
            ),
            cases::returns(
                "get_issue",
                &json!({"owner": "example", "repo": "weather", "issue_number": 7}),
                &json!({"type": "object", "properties": {"title": {"const": "서울 is spelled two ways"}}}),
            ),
        ]),
        asks: &[
            "GET https://api.github.com/repos/example/weather/issues/7",
            "GET https://api.github.com/search/repositories",
        ],
        ..Server::default()
    }
}

#[test]
fn github_records_and_replays() {
    server(installed::node("@modelcontextprotocol/server-github/dist/index.js")).records_and_replays();
}

fn api(asked: &Asked) -> Answer {
    if header(asked, "authorization") != format!("Bearer {KEY}") {
        return unauthorized();
    }
    match (asked.path.as_str(), asked.query.as_str()) {
        ("/search/repositories", "q=weather&page=1&per_page=1") => {
            ok(&json!({"total_count": 1, "incomplete_results": false, "items": [repository()]}))
        }
        ("/repos/example/weather/issues/7", "") => ok(&issue()),
        _ => not_found(asked),
    }
}

fn repository() -> Value {
    json!({
        "id": 1, "node_id": "R_1", "name": "weather", "full_name": "example/weather", "private": false,
        "owner": user(), "html_url": "https://github.com/example/weather", "description": null, "fork": false,
        "url": "https://api.github.com/repos/example/weather",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z", "pushed_at": "2026-01-02T00:00:00Z",
        "git_url": "git://github.com/example/weather.git", "ssh_url": "git@github.com:example/weather.git",
        "clone_url": "https://github.com/example/weather.git", "default_branch": "main",
    })
}

fn issue() -> Value {
    json!({
        "number": 7, "state": "open", "title": "서울 is spelled two ways", "user": user(), "labels": [],
        "html_url": "https://github.com/example/weather/issues/7", "body": "The tool knows one of them.",
    })
}

fn user() -> Value {
    json!({
        "login": "example", "id": 2, "node_id": "U_2", "avatar_url": "https://avatars.example/2",
        "url": "https://api.github.com/users/example", "html_url": "https://github.com/example", "type": "User",
    })
}
