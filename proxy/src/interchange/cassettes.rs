//! Cassettes of vcrpy (`version: 1`) and go-vcr (versions 1 and 2): YAML, or JSON, which is YAML too.

use bytes::Bytes;
use serde_json::Value;

use super::foreign::{Answer, Foreign, Request, Response};
use super::note::Lost;
use super::{ImportError, Imported, yaml};
use crate::exchange::{Headers, Version};

/// Whether a text reads like a cassette, and whose.
pub(super) fn detect(text: &str) -> Option<super::Format> {
    let listed =
        |line: &str| line.starts_with("interactions:") || line.trim_start().starts_with("\"interactions\"");
    if !text.lines().any(listed) && !text.contains("\"interactions\"") {
        return None;
    }
    let value = yaml::read(text).ok()?;
    let request = &value["interactions"][0]["request"];
    match (request.get("uri"), request.get("url")) {
        (Some(_), _) => Some(super::Format::Vcrpy),
        (None, Some(_)) => Some(super::Format::GoVcr),
        (None, None) => None,
    }
}

/// Reads a cassette of vcrpy.
pub(super) fn read_vcrpy(content: &[u8], imported: &mut Imported) -> Result<(), ImportError> {
    each(content, imported, "uri", |interaction| {
        let response = &interaction["response"];
        let body = &response["body"];
        let status = response["status"]["code"].as_u64().or_else(|| response["status_code"].as_u64());
        Some(Parts {
            status: u16::try_from(status?).ok()?,
            reason: response["status"]["message"].as_str().map(str::to_owned),
            body: yaml::bytes(body.get("string").or_else(|| body.get("base64_string")).unwrap_or(body))?,
            trailers: Headers::new(),
            version: Version::Http11,
        })
    })
}

/// Reads a cassette of go-vcr.
pub(super) fn read_go_vcr(content: &[u8], imported: &mut Imported) -> Result<(), ImportError> {
    each(content, imported, "url", |interaction| {
        let response = &interaction["response"];
        let code = response["code"].as_u64().or_else(|| response["status_code"].as_u64());
        // `200 OK`
        let status = response["status"].as_str().unwrap_or_default();
        let version = match response["proto"].as_str() {
            Some("HTTP/2.0") => Version::H2,
            Some("HTTP/1.0") => Version::Http10,
            _ => Version::Http11,
        };
        Some(Parts {
            status: u16::try_from(code?).ok()?,
            reason: status.split_once(' ').map(|(_, reason)| reason.to_owned()),
            body: yaml::bytes(&response["body"])?,
            trailers: headers(&response["trailer"]),
            version,
        })
    })
}

/// What the two have in places of their own.
struct Parts {
    status: u16,
    reason: Option<String>,
    body: Vec<u8>,
    trailers: Headers,
    version: Version,
}

fn each(
    content: &[u8],
    imported: &mut Imported,
    url_member: &str,
    parts: impl Fn(&Value) -> Option<Parts>,
) -> Result<(), ImportError> {
    let text =
        std::str::from_utf8(content).map_err(|_| ImportError::new("line 1", "the file is not UTF-8"))?;
    let cassette = yaml::read(text)?;
    let Some(interactions) = cassette["interactions"].as_array() else {
        return Err(ImportError::new("interactions", "not a list"));
    };
    for (index, interaction) in interactions.iter().enumerate() {
        let request = &interaction["request"];
        let wrong = |member: &str| {
            ImportError::new(format!("interactions[{index}].{member}"), "is missing or of another type")
        };
        let text = |member: &str| request[member].as_str().map(str::to_owned);
        let method = text("method").ok_or_else(|| wrong("request.method"))?;
        let url = text(url_member).ok_or_else(|| wrong(&format!("request.{url_member}")))?;
        let Some(Parts { status, reason, body, trailers, version }) = parts(interaction) else {
            imported.notes.add(Lost::NoAnswer, &method, &url);
            continue;
        };
        let Some(sent) = yaml::bytes(&request["body"]) else {
            imported.notes.add(Lost::BodyMissing, &method, &url);
            continue;
        };
        let response = Response {
            status,
            reason,
            headers: headers(&interaction["response"]["headers"]),
            body: Bytes::from(body),
            trailers,
            ..Response::default()
        };
        let headers = headers(&request["headers"]);
        let request = Request { method, url, version, headers, body: Bytes::from(sent) };
        imported.exchanges.extend(Foreign::new(
            request,
            Some(Answer::Response(response)),
            &mut imported.notes,
        ));
    }
    Ok(())
}

/// `name: [value, value]` or `name: value`.
fn headers(map: &Value) -> Headers {
    let mut headers = Headers::new();
    for (name, values) in map.as_object().into_iter().flatten() {
        let list = values.as_array().map_or_else(|| std::slice::from_ref(values), Vec::as_slice);
        for value in list.iter().filter_map(yaml::bytes) {
            headers.push(name.as_str(), value);
        }
    }
    headers
}
