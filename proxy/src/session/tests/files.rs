use std::path::Path;

use mcpeak_core::locale::Locale;
use mcpeak_core::redact::Redactor;

use super::super::{Session, SessionError, check};
use super::{Place, Replay, ReplayOptions, bytes, get, gzip, hit, response};
use crate::report::{Counts, Warning};

fn plain() -> Redactor {
    Redactor::default()
}

async fn recorded() -> Place {
    let place = Place::new();
    let fields = [("Content-Type", "application/json"), ("ETag", "\"1\""), ("Content-Encoding", "gzip")];
    let encoded = get("/g", "").answered(&fields, gzip(b"{\"city\":\"seoul\"}"));
    let tagged = get("/p", "")
        .answered(&[("Content-Type", "application/json"), ("ETag", "\"1\"")], "{\"city\":\"seoul\"}");
    let binary = get("/s", "").answered(&[("Content-Type", "image/png")], vec![7; 70_000]);
    place.record(plain(), false, &[encoded, tagged, binary]).await;
    place
}

fn load_error(place: &Place) -> SessionError {
    Replay::load(&place.path(), plain(), ReplayOptions::default()).expect_err("the file is bad")
}

fn edit(place: &Place, from: &str, to: &str) {
    let text = place.text();
    assert!(text.contains(from), "{from} in {text}");
    std::fs::write(place.path(), text.replacen(from, to, 1)).unwrap();
}

#[track_caller]
fn at(error: &SessionError) -> (usize, usize, &str) {
    match error {
        SessionError::Invalid { place, problem, .. } => (place.line, place.column, problem),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn an_edited_body_is_encoded_again_without_its_validators() {
    let place = recorded().await;
    let text = place.text().replace("\"city\": \"seoul\"", "\"city\": \"busan\"");
    std::fs::write(place.path(), text).unwrap();
    let replay = place.replay(plain());
    for path in ["/g", "/p"] {
        let stored = hit(&replay, &get(path, ""));
        let body = bytes(&stored);
        let response = response(&stored);
        assert!(!response.headers.contains("etag"), "{path}");
        assert_eq!(response.headers.get("content-length"), Some(body.len().to_string().as_str()));
        let encoded = response.headers.get("content-encoding").is_some();
        let codings = super::super::coding::Codings::parse(Some("gzip")).unwrap();
        let plain = if encoded { codings.decode(&body, 1 << 20).unwrap() } else { body };
        assert_eq!(plain, b"{\"city\":\"busan\"}");
    }
    let edited = replay.report(&Counts::default()).warnings;
    assert_eq!(edited.iter().filter(|warning| matches!(warning, Warning::Edited { .. })).count(), 2);
}

#[tokio::test]
async fn b7_damage_is_refused_at_start() {
    let place = recorded().await;
    let (name, _) = place
        .files()
        .into_iter()
        .find(|(name, _)| Path::new(name).extension().is_some_and(|extension| extension == "png"))
        .unwrap();
    let side = place.folder.path().join(&name);
    std::fs::write(&side, vec![8; 70_000]).unwrap();
    let error = load_error(&place);
    assert!(at(&error).2.contains("the hash of"), "{error}");
    std::fs::remove_file(side).unwrap();
    let error = load_error(&place);
    assert!(at(&error).2.contains("is missing"), "{error}");
}

#[tokio::test]
async fn f1_conflicts_duplicates_and_unknown_members_are_refused_with_their_place() {
    let place = recorded().await;
    let good = place.text();
    let line_of = |needle: &str, text: &str| text[..text.find(needle).unwrap()].matches('\n').count() + 1;

    edit(&place, "      \"request\": {\n", "<<<<<<< HEAD\n      \"request\": {\n");
    let error = load_error(&place);
    assert_eq!((at(&error).0, at(&error).1), (line_of("<<<<<<<", &place.text()), 1));
    assert!(at(&error).2.contains("merge conflict"));

    std::fs::write(place.path(), &good).unwrap();
    edit(&place, "\"method\": \"GET\"", "\"methode\": \"GET\"");
    let error = load_error(&place);
    assert_eq!((at(&error).0, at(&error).1), (line_of("\"methode\"", &place.text()), 9));
    assert!(at(&error).2.contains("unknown member `methode`"));

    let from = good.find("    {\n      \"id\"").unwrap();
    let to = good.find("    },\n    {").unwrap() + "    },\n".len();
    let doubled = format!("{}{}{}", &good[..to], &good[from..to], &good[to..]);
    std::fs::write(place.path(), doubled).unwrap();
    assert!(at(&load_error(&place)).2.contains("is there twice"));

    std::fs::write(place.path(), &good[..good.len() / 2]).unwrap();
    let error = load_error(&place);
    assert!(error.message(Locale::En).contains("weather.session.json:"), "{}", error.message(Locale::En));
    assert!(!error.hint(Locale::En).is_empty() && error.hint(Locale::Ko) != error.hint(Locale::En));
}

#[tokio::test]
async fn f3_newer_minor_versions_are_read_and_newer_major_ones_refused() {
    let place = recorded().await;
    edit(&place, "\"version\": 1,", "\"version\": \"1.7\", \"novelty\": true,");
    edit(&place, "\"method\": \"GET\"", "\"method\": \"GET\", \"novelty\": [1]");
    hit(&place.replay(plain()), &get("/p", ""));
    edit(&place, "\"version\": \"1.7\"", "\"version\": 2");
    assert!(matches!(load_error(&place), SessionError::NewerVersion { version, .. } if version == "2"));
}

#[test]
fn a_file_written_by_hand_needs_little() {
    let text = r#"{"format":"mcpeak-session","version":1,"exchanges":[
        {"request":{"method":"GET","url":"https://api.example.com/x"},
         "response":{"status":200,"headers":[["content-type","application/json"],["content-length","99"]],"body":{"json":{"a":1}}}},
        {"request":{"method":"GET","url":"https://api.example.com/e"},
         "response":{"status":200,"framing":"chunked","body":{"events":[{"at":0,"data":"data: 1\n\n"},{"at":12,"data":"data: 2\n\n"}]}}},
        {"request":{"method":"GET","url":"https://api.example.com/f"},"failure":{"kind":"dns"}}]}"#;
    let place = Place::new();
    std::fs::write(place.path(), text).unwrap();
    let replay = place.replay(plain());
    let stored = hit(&replay, &get("/x", ""));
    assert_eq!(bytes(&stored), b"{\"a\":1}");
    assert_eq!(response(&stored).headers.get("content-length"), Some("7"));
    assert_eq!(bytes(&hit(&replay, &get("/e", ""))), b"data: 1\n\ndata: 2\n\n");
    let session = Session::open(&place.path()).unwrap();
    assert_eq!(Session::from_text(&session.to_text(), Path::new("x")).unwrap(), session);
}

#[test]
fn side_files_outside_the_folder_are_refused() {
    for name in ["../secret", "/etc/passwd", "a/../../b"] {
        let text = format!(
            r#"{{"format":"mcpeak-session","version":1,"exchanges":[{{"request":{{"method":"GET","url":"https://a/"}},"response":{{"status":200,"body":{{"file":"{name}"}}}}}}]}}"#
        );
        let error = Session::from_text(&text, Path::new("x.session.json")).unwrap_err();
        assert!(at(&error).2.contains("below"), "{error}");
    }
}

#[tokio::test]
async fn m4_the_canonical_form_never_reaches_the_answer() {
    const ODD: &str = "{ \"b\":1.0,\"a\" : 12345678901234567890123,\n\t\"b\": 2e0, \"e\": \"\\u0041\" }\r\n";
    let place = Place::new();
    let asked = super::post("/q", "application/json", "{\"x\": 1, \"y\": 2}", ODD);
    place.record(plain(), false, &[asked]).await;
    let reordered = super::post("/q", "application/json", "{\"y\":2,\"x\":1}", "");
    assert_eq!(bytes(&hit(&place.replay(plain()), &reordered)), ODD.as_bytes());
}

#[tokio::test]
async fn f1_values_that_no_message_can_carry_are_refused_with_their_place() {
    let place = recorded().await;
    let good = place.text();
    let cases = [
        ("\"reason\": \"OK\"", "\"reason\": \"OK\\r\\nX-Evil: 1\"", "control character"),
        ("\"reason\": \"OK\"", "\"reason\": \"\\ud800\"", "surrogate"),
        ("\"image/png\"]", "\"image/png\\r\\nX: 1\"]", "control character"),
        ("\"image/png\"]", "\"a\\u0000b\"]", "control character"),
        ("[\"Content-Type\", \"image/png\"]", "[\"\", \"image/png\"]", "name of a header field"),
        ("[\"Content-Type\", \"image/png\"]", "[\"Content Type:\", \"image/png\"]", "name of a header field"),
        ("[\"Content-Type\", \"image/png\"]", "[\"A\", { \"base64\": \"DQo=\" }]", "control character"),
        ("\"method\": \"GET\"", "\"method\": \"GE T\"", "HTTP method"),
        ("\"method\": \"GET\"", "\"method\": \"\"", "HTTP method"),
        ("example.com/g\"", "example.com/g h\"", "`url`"),
        ("\"status\": 200", "\"status\": 100", "`status`"),
        ("\"sha256\": \"", "\"sha256\": \"x", "`sha256`"),
        ("\"json\": {", "\"newline\": 1, \"json\": {", "true or false"),
        ("\"json\": {", "\"charset\": \"utf-8\", \"json\": {", "`charset`"),
        ("\"encoding\": \"gzip\",", "", "`wire`"),
        ("\"rules\": []", "\"rules\": [\"foo:bar\"]", "a rule is"),
    ];
    for (from, to, problem) in cases {
        std::fs::write(place.path(), &good).unwrap();
        edit(&place, from, to);
        let error = load_error(&place);
        let (line, column, said) = at(&error);
        assert!(said.contains(problem), "{to}: {said}");
        assert!(line > 1 && column > 1, "{to}: {line}:{column}");
        assert!(Session::open(&place.path()).is_err() && check(&place.path()).is_err(), "{to}");
    }
}

#[tokio::test]
async fn f1_a_request_that_its_id_does_not_fit_is_edited_and_said_so() {
    let place = recorded().await;
    let warnings = |place: &Place| place.replay(plain()).report(&Counts::default()).warnings;
    assert_eq!(warnings(&place), [], "as recorded");
    assert_eq!(check(&place.path()).unwrap().1, []);
    let options = ReplayOptions { match_headers: vec!["accept".to_owned()], ..ReplayOptions::default() };
    let matching = Replay::load(&place.path(), plain(), options).unwrap();
    assert_eq!(matching.report(&Counts::default()).warnings, [], "what takes part now changes no id");

    edit(&place, "\"method\": \"GET\"", "\"method\": \"PUT\"");
    let request = "PUT https://api.example.com/g".to_owned();
    let edited = [Warning::RequestEdited { request }];
    assert_eq!(warnings(&place), edited);
    assert_eq!(check(&place.path()).unwrap().1, edited);
    let mut put = get("/g", "");
    put.head.method = "PUT".to_owned();
    hit(&place.replay(plain()), &put);
}

#[tokio::test]
async fn b7_a_check_looks_at_side_files() {
    let place = recorded().await;
    assert_eq!(check(&place.path()).unwrap().0.exchanges.len(), 3);
    let files = place.files();
    let is_side = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "png");
    let (name, _) = files.iter().find(|(name, _)| is_side(name)).unwrap();
    std::fs::write(place.folder.path().join(name), vec![8; 70_000]).unwrap();
    assert!(Session::open(&place.path()).is_ok(), "the file itself is good");
    assert!(at(&check(&place.path()).unwrap_err()).2.contains("the hash of"));
}

#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_refused_and_not_waited_for() {
    let place = Place::new();
    let status = std::process::Command::new("mkfifo").arg(place.path()).status().unwrap();
    assert!(status.success());
    for path in [place.path(), place.folder.path().to_owned(), "/dev/zero".into()] {
        let error = Session::open(&path).unwrap_err();
        assert!(
            matches!(&error, SessionError::Io { source, .. } if source.to_string().contains("regular")),
            "{error}"
        );
        assert!(check(&path).is_err() && Replay::load(&path, plain(), ReplayOptions::default()).is_err());
    }
}
