//! A secret in any answer or input reaches no output.

use std::fmt::Write as _;

use mcpeak_core::client::{Connection as _, ServerFacts, StderrTail};
use mcpeak_core::locale::Locale;
use mcpeak_runner::report::{human, junit};
use mcpeak_runner::{Event, Run, ServerDiagnostics, Style, Suite, bundle, compare, run_suite};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Reply, Scripted, calls, options, scripted, succeeds, text};

/// Everything that can be printed or written about a run.
fn outputs(run: &Run, server: &Scripted, stderr: &str) -> String {
    let mut report = run.report();
    report.determinism = compare(run, run, true).ok();
    let facts =
        ServerFacts::Process { exit: None, stderr: StderrTail { text: stderr.to_owned(), truncated: false } };
    let diagnostics = ServerDiagnostics {
        locale: Locale::En,
        stderr_lines: 20,
        connect_failed: false,
        masker: run.masker(),
    };
    [
        report.to_json(),
        human::render(&report, Locale::En, Style::default()),
        junit::render(&[&report], &[], Locale::En),
        bundle(run, &facts, "mcpeak 0").map(|bundle| bundle.to_json()).unwrap_or_default(),
        bundle(run, &server.facts(), "mcpeak 0").map(|bundle| bundle.to_json()).unwrap_or_default(),
        diagnostics.render(&facts).unwrap_or_default(),
    ]
    .concat()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn everywhere(secret: &str) -> (Suite, Vec<Reply>) {
    let schema = json!([
        {"type": "bodyMatchesSchema", "schema": {"type": "object", "required": ["q"], "properties": {
            "token": {"const": "other"}, "plain": {"type": "number"}, "text": {"type": "string", "maxLength": 1}}}},
        {"type": "isError", "expected": true}]);
    let body =
        json!({"token": secret, "plain": format!("is {secret}"), "text": secret, secret: 1}).to_string();
    let suite = calls(&[
        (json!({"token": secret, "n": {"password": [secret]}}), succeeds()),
        (json!({"n": format!("bearer {secret}")}), schema.clone()),
        (json!({}), json!([{"type": "isError", "expected": true}])),
        (
            json!({}),
            json!([{"type": "structuredContentMatchesSchema", "schema": {"type": "object", "required": ["z"]}}]),
        ),
    ]);
    let replies = vec![
        text(&format!("refused {secret}\n{{\"apiKey\": \"{secret}\"}}"), true),
        text(&body, false),
        text(&format!("Basic {secret}"), true),
        Reply::Result(json!({"content": [], "structuredContent": {"a": secret, "deep": [{"b": secret}]}})),
    ];
    (suite, replies)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_value_of_env_never_appears(secret in "[A-Z0-9][A-Za-z0-9_=/+.!\"\\\\-]{7,230}") {
        let (suite, replies) = everywhere(&secret);
        let server = scripted(replies);
        let mut events = String::new();
        let options = options(Locale::En, &[&secret]);
        let mut sink = |event: &Event| {
            let _ = write!(events, "{event:?}");
        };
        let run = block_on(run_suite(&suite, &server, &options, &mut sink));
        let all = outputs(&run, &server, &format!("key={secret}\n")) + &events;
        prop_assert!(!all.contains(&secret), "{all}");
        let escaped = Value::from(secret.clone()).to_string();
        prop_assert!(!all.contains(escaped.trim_matches('"')), "{all}");
        // No part of it either, as cutting before masking would leave.
        let half: String = secret.chars().take(secret.chars().count().max(16) / 2).collect();
        prop_assert!(half.chars().count() < 8 || !all.contains(&half), "{half}\n{all}");
    }

    #[test]
    fn a_value_under_a_sensitive_name_never_appears(secret in "[A-Z0-9]{12,40}") {
        let body = json!({"token": secret, "list": [{"client_secret": {"v": secret}}]}).to_string();
        let schema = json!([{"type": "bodyMatchesSchema", "schema": {"type": "object", "required": ["q"],
            "properties": {"token": {"const": "a"}, "list": {"type": "array", "items": {"type": "object",
                "properties": {"client_secret": {"type": "object", "properties": {"v": {"enum": [secret, 1], "type": "number"}}}}}}}}}]);
        let suite = calls(&[
            (json!({"token": secret}), succeeds()),
            (json!({"n": json!({"apiKey": secret}).to_string()}), schema),
        ]);
        let server = scripted([text(&format!("said {body} twice {body}"), true), text(&body, false)]);
        let run = block_on(run_suite(&suite, &server, &options(Locale::Ko, &[]), &mut |_: &Event| {}));
        let all = outputs(&run, &server, &format!("log {body}\n"));
        prop_assert!(!all.contains(&secret), "{all}");
    }
}
