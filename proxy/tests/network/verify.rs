//! Recorded requests sent to live origins again.

use mcpeak_core::redact::Redactor;
use mcpeak_core::secret::Secret;
use mcpeak_proxy::session::tools::Drift;
use mcpeak_proxy::verify::{Skip, Verification, VerifySettings, verify};

use crate::support::{Asked, Harness, Reaction, TestCa, Upstream, within};

const JSON: &str = r#"[["content-type","application/json; charset=utf-8"]]"#;

fn exchange(method: &str, target: &str, status: u16, headers: &str, body: &str) -> String {
    let framing = if method == "HEAD" { "none" } else { "chunked" };
    format!(
        r#"{{"request":{{"method":"{method}","url":"https://api.example.com{target}","headers":[["accept","application/json"]],"body":null}},
        "response":{{"status":{status},"reason":"OK","headers":{headers},"framing":"{framing}","body":{body}}}}}"#
    )
}

fn answer(status: &str, fields: &str, body: &str) -> Reaction {
    let length = body.len();
    Reaction::Keep(
        format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\n\r\n{body}").into_bytes(),
    )
}

async fn verified(
    exchanges: &[String],
    settings: VerifySettings,
    react: impl Fn(Asked) -> Reaction + Send + Sync + 'static,
) -> (Verification, usize) {
    let ca = TestCa::new();
    let api = Upstream::tls(&ca, "api.example.com", react).await;
    let harness = Harness::new().trusting(&ca).resolving("api.example.com", api.port);
    let list = exchanges.join(",");
    let file =
        format!(r#"{{"format":"mcpeak-session","version":1,"rules":[],"exchanges":[{list}],"meta":{{}}}}"#);
    std::fs::write(harness.session(), file).unwrap();
    let settings = VerifySettings { upstream: harness.upstream.clone(), ..settings };
    let verification = within(verify(&harness.session(), settings)).await.unwrap();
    (verification, api.hits())
}

#[tokio::test]
async fn d5_drift_in_status_type_and_structure_is_told_and_values_are_none() {
    let json = |text: &str| format!(r#"{{"json":{text}}}"#);
    let exchanges = [
        exchange("GET", "/same", 200, JSON, &json(r#"{"t":1,"l":[{"id":1}]}"#)),
        exchange("GET", "/gone", 200, JSON, &json("{}")),
        exchange("GET", "/shape", 200, JSON, &json(r#"{"id":1,"name":"a"}"#)),
        exchange("GET", "/html", 200, JSON, &json("{}")),
        exchange("HEAD", "/head", 200, JSON, "null"),
        exchange("POST", "/order", 201, JSON, &json("{}")),
        exchange("GET", "/reset", 200, JSON, &json("{}")),
    ];
    let fields = "Content-Type: application/json\r\n";
    let (verification, hits) =
        verified(&exchanges, VerifySettings::default(), move |asked| match asked.target() {
            "/same" => answer("200 OK", fields, r#"{"l":[{"id":7},{"id":8}],"t":2.5,"more":true}"#),
            "/shape" => answer("200 OK", fields, r#"{"id":"1"}"#),
            "/html" => answer("200 OK", "Content-Type: text/html\r\n", "<p>"),
            "/head" => {
                Reaction::Keep(format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 9\r\n\r\n").into_bytes())
            }
            "/reset" => Reaction::Reset(Vec::new()),
            _ => answer("404 Not Found", fields, "{}"),
        })
        .await;
    let place = |place: &str| place.to_owned();
    let drift: Vec<&[Drift]> = verification.checked.iter().map(|checked| checked.drift.as_slice()).collect();
    assert_eq!(drift[0], [Drift::Added { place: place("body.more") }]);
    assert_eq!(drift[1], [Drift::Status { recorded: vec![200], live: 404 }]);
    assert_eq!(
        drift[2],
        [
            Drift::Missing { place: place("body.name") },
            Drift::Type { place: place("body.id"), recorded: vec!["number"], live: vec!["string"] },
        ]
    );
    let media_type = Drift::MediaType { recorded: vec![place("application/json")], live: place("text/html") };
    assert_eq!(drift[3], [media_type, Drift::NotJson]);
    assert!(drift[4].is_empty() && !verification.checked[4].has_drifted());
    assert!(verification.checked[5].failure.is_some(), "{:?}", verification.checked[5]);
    // A reset on a kept connection says nothing about the request, which goes out once more.
    assert_eq!((verification.unsafe_requests, hits, verification.has_drifted()), (1, 7, true));
}

#[tokio::test]
async fn d5_secrets_are_put_back_for_the_origin_and_stay_out_of_what_is_told() {
    let redactor = || Redactor::new([("KEY".to_owned(), Secret::new("v4lue-of-the-key".to_owned()))]);
    let exchanges = [
        exchange("GET", "/a?key={{secret:KEY}}", 200, JSON, r#"{"json":{}}"#),
        exchange("GET", "/b?key={{token:1}}", 200, JSON, r#"{"json":{}}"#),
    ];
    let headers = vec![("authorization".to_owned(), Secret::new("Bearer v4lue-of-the-key".to_owned()))];
    let settings = VerifySettings { redactor: redactor(), headers, ..VerifySettings::default() };
    let (verification, _) = verified(&exchanges, settings, |asked| {
        let known = asked.field("authorization") == Some("Bearer v4lue-of-the-key")
            && asked.target() == "/a?key=v4lue-of-the-key";
        let fields = "Content-Type: application/json\r\n";
        if known { answer("200 OK", fields, "{}") } else { answer("401 No", fields, "{}") }
    })
    .await;
    assert!(!verification.has_drifted(), "{verification:?}");
    assert_eq!(verification.checked.len(), 1);
    assert_eq!(verification.skipped[0].why, Skip::NeedsValue { placeholder: "{{token:1}}".to_owned() });
    assert!(!serde_json::to_string(&verification).unwrap().contains("v4lue"));
}

#[tokio::test]
async fn only_the_hosts_that_are_asked_for_are_asked() {
    let hosts = vec!["other.example".parse().unwrap()];
    let exchanges = [exchange("GET", "/a", 200, JSON, r#"{"json":{}}"#)];
    let settings = VerifySettings { hosts, ..VerifySettings::default() };
    let (verification, hits) = verified(&exchanges, settings, |_| Reaction::Hang).await;
    assert_eq!((verification, hits), (Verification::default(), 0));
}
