//! Files linted, compared and pruned.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcpeak_core::redact::Redactor;

use super::super::tools::{Comparison, Difference, SecretKind, Selection, diff, lint, prune};
use super::{Call, Place, get, gzip, post, secrets, take};
use crate::report::Counts;

const JWT: &str =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

async fn recorded(calls: &[Call]) -> Place {
    let place = Place::new();
    place.record(Redactor::default(), false, calls).await;
    place
}

fn edit(place: &Place, from: &str, to: &str) {
    let text = place.text();
    assert!(text.contains(from), "{from} is in\n{text}");
    std::fs::write(place.path(), text.replace(from, to)).unwrap();
}

fn found(place: &Place, redactor: Redactor) -> Vec<(String, SecretKind)> {
    let (findings, _) = lint(&place.path(), redactor).unwrap();
    let written = serde_json::to_string(&findings).unwrap();
    for secret in ["hunter2", JWT, "v4lue-of-the-variable"] {
        assert!(!written.contains(secret), "{written}");
    }
    findings.into_iter().map(|finding| (finding.place, finding.secret)).collect()
}

#[tokio::test]
async fn r11_lint_finds_what_was_recorded_before_a_rule_existed() {
    let place = recorded(&[
        get("/a?q=QUERY", r#"{"list":[{"note":"PLAIN","other":"x"}]}"#),
        post("/b", "application/x-www-form-urlencoded", "user=me&field=FORM", "text PLAIN"),
    ])
    .await;
    assert_eq!(found(&place, Redactor::default()), []);
    edit(&place, "\"note\": \"PLAIN\"", "\"password\": \"hunter2\"");
    edit(&place, "\"other\": \"x\"", &format!("\"other\": \"{JWT}\""));
    edit(&place, "text PLAIN", "text v4lue-of-the-variable");
    edit(&place, "q=QUERY", "token=hunter2");
    edit(&place, "field=FORM", "client_secret=hunter2");
    edit(&place, "[\"Accept\", \"application/json\"]", "[\"Authorization\", \"Bearer hunter2\"]");
    let place_of = |text: &str| text.to_owned();
    let value = SecretKind::Value { variable: "API_VALUE".to_owned() };
    assert_eq!(
        found(&place, secrets(&[("API_VALUE", "v4lue-of-the-variable")])),
        [
            (place_of("exchanges[0].request.url"), SecretKind::Name),
            (place_of("exchanges[0].request.headers[0]"), SecretKind::Name),
            (place_of("exchanges[0].response.body.json.list[0].password"), SecretKind::Name),
            (place_of("exchanges[0].response.body.json.list[0].other"), SecretKind::Shape),
            (place_of("exchanges[1].request.headers[0]"), SecretKind::Name),
            (place_of("exchanges[1].request.body"), SecretKind::Name),
            (place_of("exchanges[1].response.body"), value),
        ]
    );
}

#[tokio::test]
async fn r11_lint_looks_into_encoded_bytes_and_side_files_that_nobody_names() {
    let body = r#"{"note":"hunter2","n":1}"#;
    let mut call = get("/gzip", "").answered(&[("Content-Type", "application/json")], gzip(body.as_bytes()));
    call.response.headers.push("Content-Encoding", "gzip");
    let big = format!("{{\"big\":\"{}\"}}", "b".repeat(70_000));
    let place = recorded(&[call, get("/side", &big)]).await;
    assert_eq!(found(&place, Redactor::default()), []);
    let variable = || secrets(&[("PIN", "hunter2-hunter2"), ("NOTE", "big-secret-in-a-file")]);
    edit(&place, "\"note\": \"hunter2\"", "\"note\": \"{{secret:PIN}}\"");
    assert_eq!(found(&place, variable()), []);
    // The readable part is clean, the bytes that would be replayed are not.
    let wire = gzip(br#"{"password":"hunter2","n":1}"#);
    let text = place.text();
    let (before, rest) = text.split_once("\"wire\": \"").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    let wire = STANDARD.encode(wire);
    std::fs::write(place.path(), format!("{before}\"wire\": \"{wire}\"{after}")).unwrap();
    let at = |text: &str| text.to_owned();
    assert_eq!(
        found(&place, variable()),
        [(at("exchanges[0].response.body.wire.json.password"), SecretKind::Name)]
    );
    let folder = place.folder.path().join("weather.session.files");
    std::fs::write(folder.join("left-over.txt"), "see big-secret-in-a-file").unwrap();
    assert_eq!(
        found(&place, variable()).last().unwrap(),
        &(at("weather.session.files/left-over.txt"), SecretKind::Value { variable: "NOTE".to_owned() })
    );
}

#[tokio::test]
async fn f1_lint_refuses_a_damaged_file_with_its_place() {
    let place = recorded(&[get("/a", "{}")]).await;
    edit(&place, "\"status\": 200", "<<<<<<< HEAD\n        \"status\": 200");
    let error = lint(&place.path(), Redactor::default()).unwrap_err();
    assert_eq!(error.code(), "SESSION_INVALID");
    assert!(error.to_string().contains("weather.session.json:"), "{error}");
}

fn compared(left: &Place, right: &Place, comparison: &Comparison) -> Difference {
    diff(&left.path(), &right.path(), comparison).unwrap()
}

#[tokio::test]
async fn f8_two_recordings_are_compared_by_request() {
    let left = recorded(&[
        get("/same", r#"{"a":1,"b":2}"#),
        get("/gone", "{}"),
        get("/changed?x=1&y=2", r#"{"t":1,"list":[1,2]}"#),
        get("/twice", "1"),
    ])
    .await;
    let mut status = get("/changed?y=2&x=1", r#"{"t":2,"list":[1]}"#);
    status.response.status = 404;
    let same = get("/same", r#"{"b":2, "a":1}"#).request_header("Authorization", "Bearer hunter2-hunter2-x1");
    let right = recorded(&[status, same, get("/new", "{}"), get("/twice", "1"), get("/twice", "2")]).await;
    let difference = compared(&left, &right, &Comparison::default());
    assert_eq!(difference.only_left, ["GET https://api.example.com/gone"]);
    assert_eq!(
        difference.only_right,
        ["GET https://api.example.com/new", "GET https://api.example.com/twice"]
    );
    assert_eq!(difference.same, 2);
    let [changed] = difference.changed.as_slice() else { panic!("{difference:?}") };
    assert_eq!(changed.request, "GET https://api.example.com/changed?x=1&y=2");
    let places: Vec<&str> = changed.changes.iter().map(|change| change.place.as_str()).collect();
    assert_eq!(places, ["status", "body.t", "body.list[1]"]);
    assert!(compared(&left, &left, &Comparison::default()).is_empty());
}

#[tokio::test]
async fn d3_a_comparison_by_shape_knows_no_values() {
    let left = recorded(&[get("/a", r#"{"at":"2026-01-01","items":[{"id":1}]}"#)]).await;
    let right = recorded(&[get("/a", r#"{"at":"2027-01-01","items":[{"id":2},{"id":3}]}"#)]).await;
    assert_eq!(compared(&left, &right, &Comparison::default()).changed[0].changes.len(), 3);
    assert!(compared(&left, &right, &Comparison { shape: true, ..Comparison::default() }).is_empty());
    let ignored = ["body.at", "body.items[*]"].map(str::to_owned).to_vec();
    assert!(compared(&left, &right, &Comparison { ignored, ..Comparison::default() }).is_empty());
}

#[tokio::test]
async fn f6_prune_takes_out_what_the_last_replay_did_not_use() {
    let big = "x".repeat(70_000);
    let calls = [
        post("/q", "application/json", r#"{"page":1}"#, "{}"),
        post("/q", "application/json", r#"{"page":2}"#, &big),
        get("/twice", "1"),
        get("/twice", "2"),
    ];
    let place = recorded(&calls).await;
    let replay = place.replay(Redactor::default());
    for call in [&calls[0], &calls[2]] {
        take(&replay, call);
    }
    let report = serde_json::to_value(replay.report(&Counts::default())).unwrap();
    let unused = serde_json::from_value(report["unused"].clone()).unwrap();
    let before = place.text();
    let pruned = prune(&place.path(), &Selection { unused, ..Selection::default() }).unwrap();
    assert_eq!(pruned.removed, ["POST https://api.example.com/q", "GET https://api.example.com/twice"]);
    assert_eq!((pruned.left(), place.text() == before), (2, true), "nothing is written yet");
    assert_eq!(place.files().len(), 2);
    pruned.write(&place.path()).unwrap();
    assert_eq!(place.files().len(), 1, "the side file is gone with the exchange that named it");
    let replay = place.replay(Redactor::default());
    assert!(replay.report(&Counts::default()).warnings.is_empty());
    for (call, hit) in calls.iter().zip([true, false, true, false]) {
        assert_eq!(matches!(take(&replay, call), super::Take::Hit(_)), hit, "{}", call.head.path);
    }
}

#[tokio::test]
async fn e3_prune_takes_out_failures_and_hosts() {
    let mut busy = get("/a", "");
    busy.response.status = 429;
    let mut other = get("/t", "{}");
    other.head.origin.host = "telemetry.example".to_owned();
    let place = recorded(&[busy, get("/a", "{}"), other]).await;
    let errors = Selection { errors: true, ..Selection::default() };
    let pruned = prune(&place.path(), &errors).unwrap();
    pruned.write(&place.path()).unwrap();
    assert_eq!(
        (pruned.removed.len(), place.text().contains("#0\""), place.text().contains("#1\"")),
        (1, true, false)
    );
    let hosts = Selection { hosts: vec!["*.example".parse().unwrap()], ..Selection::default() };
    assert_eq!(prune(&place.path(), &hosts).unwrap().removed, ["GET https://telemetry.example/t"]);
}
