//! A session written as an archive.

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcpeak_core::redact::{Redactor, UnknownTokens};
use serde_json::{Map, Value, json};

use crate::exchange::{Framing, Headers};
use crate::redact::{BodyKind, Redaction, form_pairs, redact_body, redact_fields};
use crate::session::tools::{content, shown_url};
use crate::session::{
    Answer, Body, Exchange, Request, Response, Session, SessionError, check, names, split_url,
};

/// The archive of a session, redacted once more: the file may be older than a rule.
pub fn export(path: &Path) -> Result<String, SessionError> {
    let (session, _) = check(path)?;
    let redaction = Redaction { redactor: Redactor::default(), tokens: Arc::new(UnknownTokens) };
    let folder = path.parent().unwrap_or(Path::new(""));
    let export = Export { redaction, folder, session: &session };
    let entries = session.exchanges.iter().enumerate().map(|(index, exchange)| export.entry(index, exchange));
    let entries: Vec<Value> = entries.collect::<Result<_, _>>()?;
    let creator = json!({ "name": "mcpeak", "version": env!("CARGO_PKG_VERSION") });
    let archive = json!({ "log": { "version": "1.2", "creator": creator, "entries": entries } });
    Ok(format!("{archive:#}\n"))
}

struct Export<'a> {
    redaction: Redaction,
    folder: &'a Path,
    session: &'a Session,
}

impl Export<'_> {
    fn entry(&self, index: usize, exchange: &Exchange) -> Result<Value, SessionError> {
        // A session has no time for each exchange; the order is told by milliseconds after its own.
        let recorded = self.session.meta.recorded_at.as_deref().and_then(|at| at.strip_suffix('Z'));
        let recorded = recorded.filter(|at| at.len() == 19).unwrap_or("1970-01-01T00:00:00");
        let started = format!("{recorded}.{:03}{:06}Z", index / 1_000_000 % 1000, index % 1_000_000);
        let response = match &exchange.answer {
            Answer::Response(response) => self.response(response)?,
            Answer::Failure(kind) => {
                let mut none = empty_response();
                none["_error"] = names::of(&names::FAILURES, kind).into();
                none
            }
        };
        let mut entry = json!({
            "startedDateTime": started,
            "time": 0,
            "request": self.request(&exchange.request, &exchange.answer)?,
            "response": response,
            "cache": {},
            "timings": { "send": 0, "wait": 0, "receive": 0 },
        });
        let text = entry["response"]["content"]["text"].as_str().unwrap_or_default();
        if entry["response"]["content"]["mimeType"].as_str().is_some_and(is_event_stream) {
            let messages = events(text);
            entry["_eventSourceMessages"] = messages.into();
        }
        Ok(entry)
    }

    fn request(&self, request: &Request, answer: &Answer) -> Result<Value, SessionError> {
        let url = shown_url(&self.redaction, &request.url);
        let query = split_url(&url).and_then(|(_, _, query)| query).unwrap_or_default();
        let query: Vec<Value> = form_pairs(query).map(|(name, value)| pair(&name, &value)).collect();
        let version = if let Answer::Response(response) = answer { version(response) } else { "HTTP/1.1" };
        let body = self.body(&request.headers, request.body.as_ref())?;
        let mut out = json!({
            "method": self.redaction.method(&request.method),
            "url": url,
            "httpVersion": version,
            "cookies": [],
            "headers": self.headers(&request.headers),
            "queryString": query,
            "headersSize": -1,
            "bodySize": body.len(),
        });
        if !body.is_empty() {
            let media_type = request.headers.get("content-type").unwrap_or("application/octet-stream");
            let mut post = json!({ "mimeType": media_type });
            put_text(&mut post, &body);
            out["postData"] = post;
        }
        Ok(out)
    }

    fn response(&self, response: &Response) -> Result<Value, SessionError> {
        let body = self.body(&response.headers, response.body.as_ref())?;
        let mut content = json!({
            "size": body.len(),
            "mimeType": response.headers.get("content-type").unwrap_or("x-unknown"),
        });
        put_text(&mut content, &body);
        let location = response.headers.get("location").unwrap_or_default();
        let mut own = json!({ "framing": names::of(&names::FRAMINGS, &response.framing) });
        if response.reason.is_none() {
            own["reason"] = false.into();
        }
        if !response.trailers.is_empty() {
            own["trailers"] = self.headers(&response.trailers);
        }
        if let Some(stop) = response.incomplete {
            let cause = names::of(&names::CAUSES, &stop.cause);
            own["incomplete"] = json!({ "afterBytes": stop.after_bytes, "cause": cause });
        }
        let reason = response.reason.as_deref().unwrap_or_default();
        Ok(json!({
            "status": response.status,
            "statusText": self.redaction.text(reason),
            "httpVersion": version(response),
            "cookies": self.cookies(&response.headers),
            "headers": self.headers(&response.headers),
            "content": content,
            "redirectURL": shown_url(&self.redaction, location),
            "headersSize": -1,
            "bodySize": -1,
            "_mcpeak": own,
        }))
    }

    fn headers(&self, headers: &Headers) -> Value {
        let redacted = redact_fields(&self.redaction, headers);
        redacted.iter().map(|(name, value)| pair(name, &String::from_utf8_lossy(value))).collect()
    }

    fn cookies(&self, headers: &Headers) -> Value {
        let redacted = redact_fields(&self.redaction, headers);
        let cookie = |field: &str| {
            let (first, attributes) = field.split_once(';').unwrap_or((field, ""));
            let (name, value) = first.split_once('=')?;
            let mut cookie = Map::new();
            cookie.insert("name".to_owned(), name.trim().into());
            cookie.insert("value".to_owned(), value.trim().into());
            for attribute in attributes.split(';') {
                let (name, value) = attribute.split_once('=').unwrap_or((attribute, ""));
                match name.trim().to_ascii_lowercase().as_str() {
                    "path" => cookie.insert("path".to_owned(), value.trim().into()),
                    "domain" => cookie.insert("domain".to_owned(), value.trim().into()),
                    "httponly" => cookie.insert("httpOnly".to_owned(), true.into()),
                    "secure" => cookie.insert("secure".to_owned(), true.into()),
                    "samesite" => cookie.insert("sameSite".to_owned(), value.trim().into()),
                    _ => None,
                };
            }
            Some(Value::Object(cookie))
        };
        redacted.get_all("set-cookie").filter_map(cookie).collect()
    }

    fn body(&self, headers: &Headers, body: Option<&Body>) -> Result<Bytes, SessionError> {
        let Some(body) = body else { return Ok(Bytes::new()) };
        let bytes = content(self.folder, body)?;
        let kind = BodyKind::of(headers.get("content-type"), &bytes);
        Ok(redact_body(&self.redaction, &kind, &bytes).map_or(bytes, Bytes::from))
    }
}

fn pair(name: &str, value: &str) -> Value {
    json!({ "name": name, "value": value })
}

fn put_text(into: &mut Value, body: &Bytes) {
    if let Ok(text) = std::str::from_utf8(body) {
        into["text"] = text.into();
    } else {
        into["text"] = STANDARD.encode(body).into();
        into["encoding"] = "base64".into();
    }
}

fn version(response: &Response) -> &'static str {
    if response.framing == Framing::H2 || response.reason.is_none() { "HTTP/2.0" } else { "HTTP/1.1" }
}

fn empty_response() -> Value {
    json!({
        "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
        "content": { "size": 0, "mimeType": "x-unknown" },
        "redirectURL": "", "headersSize": -1, "bodySize": -1,
    })
}

fn is_event_stream(media_type: &str) -> bool {
    media_type
        .split(';')
        .next()
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// The events of a stream, as browsers list them.
fn events(text: &str) -> Vec<Value> {
    let (mut list, mut name, mut id, mut data) = (Vec::new(), String::new(), String::new(), Vec::new());
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for line in text.split('\n') {
        if line.is_empty() {
            if !data.is_empty() {
                let event_name = if name.is_empty() { "message" } else { name.as_str() };
                let data = data.join("\n");
                list.push(json!({ "time": 0, "eventName": event_name, "eventId": id, "data": data }));
            }
            name.clear();
            data.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "id" => value.clone_into(&mut id),
            "data" => data.push(value.to_owned()),
            _ => {}
        }
    }
    list
}
