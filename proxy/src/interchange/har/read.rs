//! An archive read.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use regex::Regex;
use serde_json::Value;

use super::super::foreign::{Answer, Foreign, Request, Response};
use super::super::note::Lost;
use super::super::{ImportError, Imported};
use crate::exchange::{FailureKind, Headers, Incomplete, Version};
use crate::session::names;

/// A pseudonym with its final number.
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{token:([0-9]+)\}\}").expect("a constant pattern compiles"));

/// Reads an archive, in the order in which the requests were made.
pub(crate) fn read(content: &[u8], imported: &mut Imported) -> Result<(), ImportError> {
    let text = std::str::from_utf8(content).map_err(|_| ImportError::new("log", "the file is not UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');
    let parse = |text: &str| -> Result<Value, ImportError> {
        serde_json::from_str(text).map_err(|error| {
            ImportError::new(format!("line {}, column {}", error.line(), error.column()), error.to_string())
        })
    };
    let mut archive = parse(text)?;
    // Our own pseudonyms are numbered again, with those of secrets that are found only now.
    imported.own = archive["log"]["creator"]["name"] == "mcpeak";
    if imported.own {
        archive = parse(&NUMBERED.replace_all(text, "{{token:~$1}}"))?;
    }
    let Some(entries) = archive["log"]["entries"].as_array() else {
        return Err(ImportError::new("log.entries", "not a list"));
    };
    let mut entries: Vec<(usize, &Value)> = entries.iter().enumerate().collect();
    entries.sort_by_key(|(_, entry)| entry["startedDateTime"].as_str().unwrap_or_default());
    for (index, entry) in entries {
        let wrong = |member: &str| {
            ImportError::new(format!("log.entries[{index}].{member}"), "is missing or of another type")
        };
        let (method, url) = (entry["request"]["method"].as_str(), entry["request"]["url"].as_str());
        let method = method.ok_or_else(|| wrong("request.method"))?.to_owned();
        let url = url.ok_or_else(|| wrong("request.url"))?.to_owned();
        let (request, response) = (&entry["request"], &entry["response"]);
        if has_messages(entry) {
            imported.notes.add(Lost::Frames, &method, &url);
            continue;
        }
        if entry["_eventSourceMessages"].as_array().is_some_and(|list| !list.is_empty()) {
            imported.notes.add(Lost::EventTimes, &method, &url);
        }
        let Some(body) = response_body(entry) else {
            imported.notes.add(Lost::BodyMissing, &method, &url);
            continue;
        };
        let version = version(request["httpVersion"].as_str(), response["httpVersion"].as_str());
        let headers = request_headers(request);
        let body_sent = request_body(&request["postData"]);
        let answer = answer(entry, body);
        let request = Request { method, url, version, headers, body: body_sent };
        imported.exchanges.extend(Foreign::new(request, answer, &mut imported.notes));
    }
    Ok(())
}

fn has_messages(entry: &Value) -> bool {
    entry["_webSocketMessages"].as_array().is_some() || entry["_resourceType"] == "websocket"
}

fn answer(entry: &Value, body: Bytes) -> Option<Answer> {
    let response = &entry["response"];
    let status = u16::try_from(response["status"].as_u64().unwrap_or_default()).unwrap_or_default();
    if status == 0 {
        let words = [&response["_error"], &entry["_error"], &response["statusText"]];
        return words.iter().filter_map(|word| word.as_str()).find_map(failure).map(Answer::Failure);
    }
    let own = &response["_mcpeak"];
    let framing = own["framing"].as_str();
    let framing = framing.and_then(|name| names::FRAMINGS.iter().find(|(known, _)| *known == name));
    let cause = own["incomplete"]["cause"].as_str();
    let cause = cause.and_then(|name| names::CAUSES.iter().find(|(known, _)| *known == name));
    let after_bytes = own["incomplete"]["afterBytes"].as_u64();
    let incomplete =
        cause.zip(after_bytes).map(|((_, cause), after_bytes)| Incomplete { after_bytes, cause: *cause });
    let reason = response["statusText"].as_str().map(str::to_owned);
    Some(Answer::Response(Response {
        status,
        reason: reason.filter(|_| own["reason"] != false),
        headers: response_headers(response),
        body,
        trailers: pairs(&own["trailers"]),
        framing: framing.map(|(_, framing)| *framing),
        incomplete,
    }))
}

/// Why there is no answer, in our words or in those of browsers.
fn failure(word: &str) -> Option<FailureKind> {
    let known = names::FAILURES.iter().find(|(name, _)| *name == word);
    let word = word.to_ascii_uppercase();
    let reads = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    known.map(|(_, kind)| *kind).or_else(|| {
        Some(match () {
            () if reads(&["NAME_NOT_RESOLVED", "UNKNOWN_HOST", "ENOTFOUND"]) => FailureKind::Dns,
            () if reads(&["CONNECTION_REFUSED", "ECONNREFUSED"]) => FailureKind::Refused,
            () if reads(&["CERT", "SSL", "TLS"]) => FailureKind::Tls,
            () if reads(&["TIMED_OUT", "TIMEOUT", "ETIMEDOUT"]) => FailureKind::Timeout,
            () if reads(&["RESET", "CONNECTION_CLOSED", "EMPTY_RESPONSE"]) => FailureKind::Reset,
            () => return None,
        })
    })
}

fn version(request: Option<&str>, response: Option<&str>) -> Version {
    let text = response.filter(|text| !text.is_empty()).or(request).unwrap_or_default().to_ascii_lowercase();
    match text.as_str() {
        "http/1.0" => Version::Http10,
        h2 if h2.contains('2') || h2.contains('3') => Version::H2,
        _ => Version::Http11,
    }
}

fn pairs(list: &Value) -> Headers {
    let field = |field: &Value| {
        let name = field["name"].as_str().filter(|name| !name.starts_with(':'))?.to_owned();
        Some((name, Bytes::from(field["value"].as_str()?.to_owned())))
    };
    list.as_array().into_iter().flatten().filter_map(field).collect()
}

/// Some tools have cookies in the list of cookies only.
fn request_headers(request: &Value) -> Headers {
    let mut headers = pairs(&request["headers"]);
    let cookie = |cookie: &Value| Some(format!("{}={}", cookie["name"].as_str()?, cookie["value"].as_str()?));
    let cookies: Vec<String> =
        request["cookies"].as_array().into_iter().flatten().filter_map(cookie).collect();
    if !headers.contains("cookie") && !cookies.is_empty() {
        headers.push("Cookie", cookies.join("; "));
    }
    headers
}

fn response_headers(response: &Value) -> Headers {
    let mut headers = Headers::new();
    for (name, value) in pairs(&response["headers"]).iter() {
        // Browsers join fields of one name with line feeds.
        for value in value.split(|byte| *byte == b'\n') {
            headers.push(name, Bytes::copy_from_slice(value));
        }
    }
    if !headers.contains("set-cookie") {
        for cookie in response["cookies"].as_array().into_iter().flatten() {
            let (Some(name), Some(value)) = (cookie["name"].as_str(), cookie["value"].as_str()) else {
                continue;
            };
            let mut field = vec![format!("{name}={value}")];
            for (member, attribute) in [("path", "Path"), ("domain", "Domain"), ("sameSite", "SameSite")] {
                let value = cookie[member].as_str().filter(|value| !value.is_empty());
                field.extend(value.map(|value| format!("{attribute}={value}")));
            }
            for (member, attribute) in [("httpOnly", "HttpOnly"), ("secure", "Secure")] {
                field.extend((cookie[member] == true).then(|| attribute.to_owned()));
            }
            headers.push("Set-Cookie", field.join("; "));
        }
    }
    headers
}

fn request_body(post: &Value) -> Bytes {
    let text = post["text"].as_str().filter(|text| !text.is_empty());
    if let Some(text) = text {
        let decoded = (post["encoding"] == "base64").then(|| STANDARD.decode(text).ok()).flatten();
        return decoded.map_or_else(|| Bytes::copy_from_slice(text.as_bytes()), Bytes::from);
    }
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    for parameter in post["params"].as_array().into_iter().flatten() {
        if let Some(name) = parameter["name"].as_str() {
            form.append_pair(name, parameter["value"].as_str().unwrap_or_default());
        }
    }
    Bytes::from(form.finish())
}

/// `None` where the file says that there was a body and does not have it.
fn response_body(entry: &Value) -> Option<Bytes> {
    let content = &entry["response"]["content"];
    if let Some(text) = content["text"].as_str() {
        let base64 = content["encoding"].as_str().is_some_and(|name| name.eq_ignore_ascii_case("base64"));
        return if base64 {
            STANDARD.decode(text).ok().map(Bytes::from)
        } else {
            Some(text.to_owned().into())
        };
    }
    if let Some(messages) = entry["_eventSourceMessages"].as_array().filter(|list| !list.is_empty()) {
        return Some(Bytes::from(messages.iter().map(event).collect::<String>()));
    }
    let size = content["size"].as_i64().unwrap_or_default();
    (size <= 0 || entry["request"]["method"] == "HEAD").then(Bytes::new)
}

/// An event as it is written in a stream.
fn event(message: &Value) -> String {
    let mut lines = Vec::new();
    for (member, field) in [("eventId", "id"), ("eventName", "event")] {
        let value = message[member].as_str().filter(|value| !value.is_empty());
        let value = value.filter(|value| (member, *value) != ("eventName", "message"));
        lines.extend(value.map(|value| format!("{field}: {value}\n")));
    }
    let data = message["data"].as_str().unwrap_or_default();
    lines.extend(data.split('\n').map(|line| format!("data: {line}\n")));
    lines.concat() + "\n"
}
