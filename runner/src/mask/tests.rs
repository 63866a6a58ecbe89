use mcpeak_core::secret::Secret;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Masker, REPLACEMENT};
use crate::schema::Segment;

fn masker(values: &[&str]) -> Masker {
    let values: Vec<_> = values.iter().map(|value| Secret::new((*value).to_owned())).collect();
    Masker::new(&values)
}

#[test]
fn names_hide_whole_values() {
    let value =
        json!({"city": "서울", "apiKey": {"a": 1}, "list": [{"__proto__": 1, "refresh_tokens": ["x"]}]});
    assert_eq!(
        masker(&[]).value(&value),
        json!({"city": "서울", "apiKey": REPLACEMENT, "list": [{"__proto__": 1, "refresh_tokens": REPLACEMENT}]})
    );
}

#[test]
fn json_inside_a_text_is_seen() {
    let masker = masker(&[]);
    assert_eq!(masker.text(r#"{"token": "abc", "n": 1.0}"#), r#"{"token":"[REDACTED]","n":1}"#);
    assert_eq!(masker.text(r#"{ "n" : 1 }"#), r#"{ "n" : 1 }"#);
    assert_eq!(
        masker.text(r#"got {"a":{"password":"p"}} and [1] and {"x": "#),
        r#"got {"a":{"password":"[REDACTED]"}} and [1] and {"x": "#
    );
    assert_eq!(masker.text(r#"{"secret": "cut of"#), r#"{"secret": "[REDACTED]""#);
    assert_eq!(masker.text(r#"{"a": {"secret": 12, "b"#), r#"{"a": {"secret": "[REDACTED]", "b"#);
    let nested = json!({"text": "{\"token\":\"abc\"}"}).to_string();
    assert!(!masker.text(&nested).contains("abc"));
}

#[test]
fn literal_values_go_in_every_spelling() {
    let masker = masker(&["p@ss/wörd \"x\"", "12345"]);
    let value = json!({"a": "say p@ss/wörd \"x\"!", "b": 12345, "p@ss/wörd \"x\"": 1, "c": "u=p%40ss%2Fw%C3%B6rd%20%22x%22"});
    let line = masker.line(&value);
    for leak in ["wörd", "12345", "p%40ss"] {
        assert!(!line.contains(leak), "{line}");
    }
    assert_eq!(masker.text("Basic cEBzcy93w7ZyZCAieCI="), "Basic [REDACTED]");
}

#[test]
fn ancestors_hide_and_schemas_keep_their_shape() {
    let masker = masker(&[]);
    let path = [Segment::Key("credentials"), Segment::Index(0), Segment::Key("id")];
    assert_eq!(masker.at(&path, &json!(7)), json!(REPLACEMENT));
    assert_eq!(masker.at(&path[1..], &json!(7)), json!(7));
    let schema = json!({"type": "object", "properties": {
        "token": {"type": "object", "properties": {"v": {"enum": ["s3"]}}}, "n": {"const": 1}}});
    assert_eq!(
        masker.schema(&schema),
        json!({"type": "object", "properties": {
            "token": {"type": "object", "properties": {"v": {"enum": [REPLACEMENT]}}}, "n": {"const": 1}}})
    );
}

fn wrap(secret: &str, shape: u8) -> Value {
    match shape % 6 {
        0 => json!({"token": secret}),
        1 => json!([{"deep": {"client_secret": [secret]}}]),
        2 => json!({"text": format!("log {{\"password\": \"{secret}\"}} end")}),
        3 => json!({"text": json!({"apiKey": secret}).to_string()}),
        4 => json!({"note": format!("x{secret}y"), "token": secret}),
        _ => json!({secret: 1}),
    }
}

proptest! {
    #[test]
    fn a_secret_never_survives(secret in "[A-Za-z0-9_=/+.-]{6,40}", shape in any::<u8>()) {
        let line = masker(&[&secret]).line(&wrap(&secret, shape));
        prop_assert!(!line.contains(&secret), "{}", line);
    }

    #[test]
    fn masking_twice_is_masking_once(text in "[\\[\\]{}\":,a-c tokensecret0-9\\\\]{0,60}") {
        let masker = masker(&["secret-value"]);
        let once = masker.text(&text);
        prop_assert_eq!(masker.text(&once), once.clone());
    }
}
