//! Recorded requests sent to the live origins again: does the API still answer like the recording?
//!
//! Only what is safe is sent (GET, HEAD), once for each key, one after the other, to the recorded origins and no others. Values do
//! not count, the structure does.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcpeak_core::redact::{Redactor, UnknownTokens};
use mcpeak_core::secret::Secret;
use serde::Serialize;
use tokio::time::timeout;

use crate::counts::Counters;
use crate::engine::Outgoing;
use crate::error::ProxyError;
use crate::exchange::{Framing, Headers, RequestHead, Version};
use crate::message::{Body, Piece, Response};
use crate::redact::Redaction;
use crate::session::tools::shape::Shape;
use crate::session::tools::{Drift, content, groups, shown_line};
use crate::session::{Answer, Codings, Exchange, content_encoding, split_url};
use crate::settings::{HostPattern, Limits, UpstreamSettings};
use crate::upstream::{ForwardError, Upstream};

/// Bodies are compared up to this size.
const COMPARED: usize = 32 * 1024 * 1024;
/// A body takes no longer than this.
const PATIENCE: Duration = Duration::from_mins(1);

/// How live origins are asked.
#[derive(Clone, Debug, Default)]
pub struct VerifySettings {
    /// How they are reached.
    pub upstream: UpstreamSettings,
    /// The values that pseudonyms of the recording stand for.
    pub redactor: Redactor,
    /// Further request fields, such as credentials, which no recording has.
    pub headers: Vec<(String, Secret<String>)>,
    /// Only these hosts; all if there are none.
    pub hosts: Vec<HostPattern>,
}

/// What became of the recorded requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Requests that were sent, in the order of the file.
    pub checked: Vec<Checked>,
    /// Safe requests that were not sent.
    pub skipped: Vec<Skipped>,
    /// Recordings of requests that may change something, and so are never sent.
    pub unsafe_requests: usize,
}

impl Verification {
    /// Whether an origin answers otherwise than recorded in a way that a client may stumble over.
    pub fn has_drifted(&self) -> bool {
        self.checked.iter().any(Checked::has_drifted)
    }
}

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// Method and URL, redacted.
    pub request: String,
    /// How the answer differs.
    pub drift: Vec<Drift>,
    /// Why there was none, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Checked {
    /// Whether a client may stumble over the answer, or there is none.
    pub fn has_drifted(&self) -> bool {
        self.failure.is_some() || self.drift.iter().any(Drift::breaks)
    }
}

/// A request that was not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// Method and URL, redacted.
    pub request: String,
    /// Why.
    pub why: Skip,
}

/// Why a safe request was not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Skip {
    /// The value of a pseudonym in it is not known.
    NeedsValue {
        /// The pseudonym.
        placeholder: String,
    },
    /// No answer is recorded to compare with.
    NoAnswer,
}

/// Sends the safe requests of a session, and compares.
pub async fn verify(path: &Path, settings: VerifySettings) -> Result<Verification, ProxyError> {
    let (session, groups) = groups(path)?;
    let VerifySettings { upstream, redactor, headers, hosts } = settings;
    let nowhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let upstream = Upstream::new(upstream, Limits::default(), Arc::new(Counters::default()), nowhere)?;
    let redaction = Redaction { redactor, tokens: Arc::new(UnknownTokens) };
    let verify =
        Verify { folder: path.parent().unwrap_or(Path::new("")), upstream, redaction, headers, hosts };
    let mut verification = Verification::default();
    for group in groups {
        let exchanges: Vec<&Exchange> = group.iter().map(|&index| &session.exchanges[index]).collect();
        verify.group(&exchanges, &mut verification).await?;
    }
    verify.upstream.close().await;
    Ok(verification)
}

struct Verify<'a> {
    folder: &'a Path,
    upstream: Upstream,
    redaction: Redaction,
    headers: Vec<(String, Secret<String>)>,
    hosts: Vec<HostPattern>,
}

/// What the recordings of one request say.
#[derive(Default)]
struct Recorded {
    statuses: BTreeSet<u16>,
    media_types: BTreeSet<String>,
    shape: Shape,
    /// Whether every body is JSON.
    json: bool,
}

impl Verify<'_> {
    async fn group(&self, exchanges: &[&Exchange], into: &mut Verification) -> Result<(), ProxyError> {
        let Some(first) = exchanges.first() else { return Ok(()) };
        let request = &first.request;
        let Some((origin, ..)) = split_url(&request.url) else { return Ok(()) };
        if !self.hosts.is_empty() && !self.hosts.iter().any(|pattern| pattern.matches(&origin.host)) {
            return Ok(());
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") || request.body.is_some() {
            into.unsafe_requests += exchanges.len();
            return Ok(());
        }
        let line = shown_line(&self.redaction, request);
        let Some(recorded) = self.recorded(exchanges)? else {
            into.skipped.push(Skipped { request: line, why: Skip::NoAnswer });
            return Ok(());
        };
        let head = match self.head(first) {
            Ok(head) => head,
            Err(placeholder) => {
                into.skipped.push(Skipped { request: line, why: Skip::NeedsValue { placeholder } });
                return Ok(());
            }
        };
        let (drift, failure) = match self.send(&head).await {
            Ok(answer) => (self.compare(&head, &recorded, answer).await, None),
            Err(words) => (Vec::new(), Some(self.redaction.text(&words))),
        };
        into.checked.push(Checked { request: line, drift, failure });
        Ok(())
    }

    fn recorded(&self, exchanges: &[&Exchange]) -> Result<Option<Recorded>, ProxyError> {
        let mut recorded = Recorded { json: true, ..Recorded::default() };
        for exchange in exchanges {
            let Answer::Response(response) = &exchange.answer else { continue };
            recorded.statuses.insert(response.status);
            recorded.media_types.extend(media_type(&response.headers));
            if response.framing == Framing::None || response.incomplete.is_some() {
                recorded.json = false;
                continue;
            }
            let body = response.body.as_ref().map(|body| content(self.folder, body)).transpose()?;
            let text = body.as_deref().and_then(|body| std::str::from_utf8(body).ok());
            recorded.json &= text.is_some_and(|text| recorded.shape.add(text));
        }
        Ok((!recorded.statuses.is_empty()).then_some(recorded))
    }

    /// The request with its secrets put back; the pseudonym that nobody knows the value of otherwise.
    fn head(&self, exchange: &Exchange) -> Result<RequestHead, String> {
        let restore = |text: &[u8]| -> Result<Bytes, String> {
            let restored = self.redaction.redactor.restore(text).unwrap_or_else(|| text.to_vec());
            match placeholder(&restored) {
                Some(placeholder) => Err(placeholder),
                None => Ok(Bytes::from(restored)),
            }
        };
        let request = &exchange.request;
        let url = String::from_utf8_lossy(&restore(request.url.as_bytes())?).into_owned();
        let (origin, path, query) = split_url(&url).ok_or_else(|| url.clone())?;
        let mut headers = Headers::new();
        for (name, value) in request.headers.iter() {
            headers.push(name, restore(value)?);
        }
        for (name, value) in &self.headers {
            headers.push(name.as_str(), value.expose_secret().clone());
        }
        Ok(RequestHead {
            method: request.method.clone(),
            path: path.to_owned(),
            query: query.map(str::to_owned),
            origin,
            version: Version::Http11,
            headers,
        })
    }

    async fn send(&self, head: &RequestHead) -> Result<Response, String> {
        let lease = self.upstream.connect(&head.origin, None, head.version).await.map_err(words)?;
        let sent = self.upstream.forward(lease, Outgoing::as_asked(head), None, Body::Empty).await;
        sent.map_err(words)
    }

    async fn compare(&self, head: &RequestHead, recorded: &Recorded, answer: Response) -> Vec<Drift> {
        let live = answer.head.status;
        if !recorded.statuses.contains(&live) {
            // The body of another status is another body.
            return vec![Drift::Status { recorded: recorded.statuses.iter().copied().collect(), live }];
        }
        let mut drift = Vec::new();
        let live = media_type(&answer.head.headers).unwrap_or_default();
        if !recorded.media_types.is_empty() && !recorded.media_types.contains(&live) {
            drift.push(Drift::MediaType { recorded: recorded.media_types.iter().cloned().collect(), live });
        }
        if !recorded.json || head.method == "HEAD" {
            return drift;
        }
        let encoding = content_encoding(&answer.head.headers);
        let body = timeout(PATIENCE, read(answer.body)).await.unwrap_or_default();
        let body = match Codings::parse(encoding.as_deref()).filter(|codings| !codings.is_identity()) {
            Some(codings) => codings.decode(&body, COMPARED).unwrap_or_default(),
            None => body,
        };
        let mut now = Shape::default();
        if std::str::from_utf8(&body).is_ok_and(|text| now.add(text)) {
            drift.extend(recorded.shape.drift(&now));
        } else {
            drift.push(Drift::NotJson);
        }
        drift
    }
}

/// As much of a body as is compared; nothing of one that is larger or broke off.
async fn read(mut body: Body) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(piece) = body.piece().await {
        match piece {
            Ok(Piece::Data(data)) if whole.len() + data.len() <= COMPARED => whole.extend_from_slice(&data),
            Ok(Piece::Trailers(_)) => {}
            Ok(Piece::Data(_)) | Err(_) => return Vec::new(),
        }
    }
    whole
}

fn media_type(headers: &Headers) -> Option<String> {
    let essence = headers.get("content-type")?.split(';').next()?.trim().to_ascii_lowercase();
    Some(essence).filter(|essence| !essence.is_empty())
}

/// The first pseudonym in a text.
fn placeholder(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let from = ["{{secret:", "{{token"].iter().filter_map(|opening| text.find(opening)).min()?;
    let end = text[from..].find("}}")? + 2;
    Some(text[from..from + end].to_owned())
}

fn words(error: ForwardError) -> String {
    match error {
        ForwardError::Upstream { kind, detail } => format!("{kind:?}: {detail}").to_lowercase(),
        ForwardError::Closed | ForwardError::Request => "reset".to_owned(),
    }
}
