//! What a stand-in answers.

use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use serde_json::{Value, json};

use super::Asked;

/// An answer of an API.
pub(crate) type Answer = Response<Full<Bytes>>;

/// 200 with JSON.
pub(crate) fn ok(body: &Value) -> Answer {
    with(200, body)
}

/// JSON under any status.
pub(crate) fn with(status: u16, body: &Value) -> Answer {
    text(status, "application/json; charset=utf-8", body.to_string())
}

/// A body of any type.
pub(crate) fn text(status: u16, content_type: &str, body: impl Into<Bytes>) -> Answer {
    Response::builder()
        .status(status)
        .header("content-type", content_type)
        .body(Full::new(body.into()))
        .expect("a response")
}

/// Nothing is there. A suite whose server asks for it fails.
pub(crate) fn not_found(asked: &Asked) -> Answer {
    with(404, &json!({"message": format!("the stand-in has no {} {}", asked.method, asked.path)}))
}

/// The key is missing or another one.
pub(crate) fn unauthorized() -> Answer {
    with(401, &json!({"message": "the key is not the one of this test"}))
}

/// The value of a request header.
pub(crate) fn header<'a>(asked: &'a Asked, name: &str) -> &'a str {
    asked.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The body as JSON; null where it is none.
pub(crate) fn body(asked: &Asked) -> Value {
    serde_json::from_slice(&asked.body).unwrap_or_default()
}
