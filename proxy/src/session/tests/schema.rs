//! The published JSON Schema of the file. Every file that these tests record is checked against it.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use super::super::model::names;
use super::super::{Layout, Session};

const SCHEMA: &str = include_str!("../../../../docs/reference/session-file.schema.json");

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap());

/// Fails with the first place that the schema does not allow.
#[track_caller]
pub(super) fn assert_valid(text: &str) {
    let value: Value = serde_json::from_str(text).unwrap();
    if let Some(error) = VALIDATOR.iter_errors(&value).next() {
        panic!("{error} at {}", error.instance_path());
    }
}

fn file(exchange: &str) -> String {
    format!(r#"{{"format":"mcpeak-session","version":1,"exchanges":[{exchange}]}}"#)
}

/// Whether the schema and the reader take a file, which has to be the same.
fn taken(text: &str) -> (bool, bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.session.json");
    std::fs::write(&path, text).unwrap();
    (VALIDATOR.is_valid(&serde_json::from_str(text).unwrap()), Session::open(&path).is_ok())
}

#[test]
fn f3_the_schema_takes_what_the_reader_takes() {
    let request = r#""request":{"method":"GET","url":"https://h/"}"#;
    for text in [
        file(&format!(r#"{{{request},"response":{{"status":200}}}}"#)),
        file(&format!(r#"{{"id":"a#0",{request},"failure":{{"kind":"dns","afterBytes":0}}}}"#)),
        file(&format!(
            r#"{{{request},"response":{{"status":200,"headers":[["a",{{"base64":"/w=="}}]],"body":{{"events":[{{"data":"x"}}]}}}}}}"#
        )),
        file(&format!(
            r#"{{{request},"response":{{"status":200,"body":{{"json":null,"layout":"pretty","newline":true}}}}}}"#
        )),
        file(&format!(
            r#"{{{request},"response":{{"status":200,"body":{{"text":"","encoding":"gzip","wire":{{"file":"a/b"}}}}}}}}"#
        )),
    ] {
        assert_eq!(taken(&text), (true, true), "{text}");
    }
}

#[test]
fn f3_the_schema_refuses_what_the_reader_refuses() {
    let request = r#""request":{"method":"GET","url":"https://h/"}"#;
    let response = |response: &str| file(&format!(r#"{{{request},"response":{response}}}"#));
    for text in [
        "[]".to_owned(),
        r#"{"format":"mcpeak-session","version":1}"#.to_owned(),
        r#"{"format":"other","version":1,"exchanges":[]}"#.to_owned(),
        r#"{"format":"mcpeak-session","version":1,"exchanges":[],"more":1}"#.to_owned(),
        file(&format!("{{{request}}}")),
        file(&format!(r#"{{{request},"response":{{"status":200}},"failure":{{"kind":"dns"}}}}"#)),
        file(&format!(r#"{{{request},"failure":{{"kind":"odd"}}}}"#)),
        file(r#"{"request":{"method":"G T","url":"https://h/"},"response":{"status":200}}"#),
        file(r#"{"request":{"method":"GET","url":"/relative"},"response":{"status":200}}"#),
        response(r#"{"status":101}"#),
        response(r#"{"status":200,"headers":[["a"]]}"#),
        response(r#"{"status":200,"headers":[["a b","x"]]}"#),
        response(r#"{"status":200,"framing":"odd"}"#),
        response(r#"{"status":200,"body":{}}"#),
        response(r#"{"status":200,"body":{"text":"","json":1}}"#),
        response(r#"{"status":200,"body":{"text":"","layout":"pretty"}}"#),
        response(r#"{"status":200,"body":{"text":"","sha256":"00"}}"#),
        response(r#"{"status":200,"incomplete":{"cause":"upstream"}}"#),
    ] {
        assert_eq!(taken(&text), (false, false), "{text}");
    }
}

#[test]
fn f3_the_schema_names_every_value_that_the_writer_writes() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let definitions = &schema["$defs"];
    let response = &definitions["response"]["properties"];
    let listed = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&response["framing"]["enum"]), names::FRAMINGS.map(|(name, _)| name));
    let causes = &response["incomplete"]["properties"]["cause"]["enum"];
    assert_eq!(listed(causes), names::CAUSES.map(|(name, _)| name));
    let failures = &definitions["exchange"]["properties"]["failure"]["properties"]["kind"]["enum"];
    assert_eq!(listed(failures), names::FAILURES.map(|(name, _)| name));
    let layouts = &definitions["body"]["properties"]["layout"]["enum"];
    assert_eq!(listed(layouts), Layout::ALL.map(Layout::name));
}

#[test]
fn f3_the_example_of_the_documentation_is_valid() {
    assert_valid(include_str!("../../../../examples/weather/weather.session.json"));
}
