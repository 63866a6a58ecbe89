//! Requests, sessions, the end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use http_body_util::Full;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::DropGuard;

use super::answer::{BodyKind, EventStream, beginning, invalid, json_messages, reply_of, whole};
use super::status::status_error;
use super::transport::{Exchange, Purpose, Transport};
use crate::client::channel::{Call, Channel, Outcome, encode_notification, encode_reply};
use crate::client::connect::ConnectOptions;
use crate::client::connection::{Closed, ServerFacts};
use crate::client::failure::{timed_out, violated};
use crate::client::param_headers::name_header;
use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::target::HttpTarget;
use crate::wire::{
    Cancellation, Direction, Era, Kind, MAX_MESSAGE_BYTES, Message, Reply, Rule, Transcript, Version,
    Violation, judge_reply,
};

const SESSION_ID: &str = "mcp-session-id";
const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// How much of the body of an error status is read.
const ERROR_BODY_BYTES: usize = 64 * 1024;
/// How long side messages may take: replies to the server, cancellations, the end of the session.
const SIDE_MESSAGE: Duration = Duration::from_secs(2);

/// A remote endpoint.
pub(in crate::client) struct HttpChannel {
    inner: Arc<Inner>,
    closed: Mutex<Option<Closed>>,
    /// Ends connection tasks if the channel is dropped without being closed.
    _cancel: DropGuard,
}

struct Inner {
    transport: Transport,
    headers: HeaderMap,
    session: StdMutex<Option<HeaderValue>>,
    /// What was agreed on; from then on every request says it.
    version: StdMutex<Option<&'static Version>>,
    status: StdMutex<Option<u16>>,
    next_id: AtomicU64,
    transcript: Transcript,
}

/// What a POST says about itself in headers.
#[derive(Clone, Copy)]
struct Described<'a> {
    version: Option<&'static Version>,
    method: &'a str,
    name: Option<&'a str>,
    params: &'a [(String, String)],
}

impl HttpChannel {
    pub(in crate::client) fn new(target: &HttpTarget, options: &ConnectOptions) -> Self {
        let mut headers = HeaderMap::new();
        for (name, value) in &target.headers {
            // Targets are checked when they are read; what is no header all the same cannot be sent.
            if let (Ok(name), Ok(mut value)) =
                (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value.expose_secret()))
            {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        let transport =
            Transport::new(target.endpoint.clone(), options.resolver.clone(), options.extra_roots.clone());
        let cancel = transport.cancelled.clone().drop_guard();
        let inner = Inner {
            transport,
            headers,
            session: StdMutex::default(),
            version: StdMutex::default(),
            status: StdMutex::default(),
            next_id: AtomicU64::new(1),
            transcript: Transcript::default(),
        };
        Self { inner: Arc::new(inner), closed: Mutex::new(None), _cancel: cancel }
    }

    fn give_up(&self, id: u64, call: &Call<'_>) {
        let by_stream =
            call.version.is_some_and(|version| version.cancellation == Cancellation::NotificationOrStream);
        if !call.cancel || by_stream {
            return;
        }
        let params = json!({"requestId": id, "reason": "no answer in time"});
        let message = encode_notification("notifications/cancelled", Some(params));
        self.inner.post_aside(message, "notifications/cancelled".to_owned(), call.version);
    }
}

#[async_trait]
impl Channel for HttpChannel {
    async fn call(&self, call: Call<'_>) -> Result<Outcome, McpError> {
        let id = self.inner.next_id.fetch_add(1, Ordering::Relaxed);
        if let Ok(outcome) = timeout_at(call.deadline, self.inner.exchange(id, &call)).await {
            return outcome;
        }
        self.give_up(id, &call);
        Err(timed_out(call.phase, call.method, call.patience, true))
    }

    async fn notify(
        &self,
        method: &str,
        version: &'static Version,
        deadline: Instant,
    ) -> Result<(), McpError> {
        let purpose = Purpose { method, phase: Phase::Handshake, deadline };
        *self.inner.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
        let described = Described { version: Some(version), method, name: None, params: &[] };
        let sent = self.inner.post(encode_notification(method, None), described, purpose);
        let Ok(accepted) = timeout_at(deadline, sent).await else {
            let patience = deadline.saturating_duration_since(Instant::now());
            return Err(timed_out(Phase::Handshake, method, patience, true));
        };
        accepted
    }

    fn facts(&self) -> ServerFacts {
        self.inner.facts()
    }

    fn transcript(&self) -> &Transcript {
        &self.inner.transcript
    }

    fn over_http(&self) -> bool {
        true
    }

    async fn close(&self) -> Closed {
        let mut closed = self.closed.lock().await;
        if let Some(closed) = &*closed {
            return closed.clone();
        }
        let facts = self.inner.facts();
        // The server may not know how to end a session (405), and nobody is left to care.
        let _ = timeout(SIDE_MESSAGE, self.inner.delete_session()).await;
        self.inner.transport.forget_idle();
        self.inner.transport.cancelled.cancel();
        self.inner.transport.tasks.close();
        self.inner.transport.tasks.wait().await;
        closed.insert(Closed { facts, forced: None, error: None }).clone()
    }
}

impl Inner {
    fn facts(&self) -> ServerFacts {
        let session = self.session();
        ServerFacts::Http {
            url: self.transport.endpoint().to_string(),
            status: *self.status.lock().unwrap_or_else(PoisonError::into_inner),
            session_id: session.and_then(|id| id.to_str().ok().map(str::to_owned)),
        }
    }

    fn session(&self) -> Option<HeaderValue> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn exchange(self: &Arc<Self>, id: u64, call: &Call<'_>) -> Result<Outcome, McpError> {
        let purpose = Purpose { method: call.method, phase: call.phase, deadline: call.deadline };
        let name = name_header(call.method, &call.params);
        let described = Described {
            version: call.version,
            method: call.method,
            name: name.as_deref(),
            params: &call.param_headers,
        };
        let body = call.encode(id);
        self.transcript.push(Direction::Sent, &body);
        let in_session = self.session().is_some();
        let request = self.request(Method::POST, body, Some(described), purpose)?;
        let Exchange { response, sender } = self.transport.send(request, purpose).await?;
        let (parts, mut body) = response.into_parts();
        self.note_status(&parts);
        if !parts.status.is_success() {
            let beginning = beginning(&mut body, ERROR_BODY_BYTES).await;
            return self.refusal(id, call, &parts, beginning, in_session);
        }
        if call.method == "initialize" {
            self.keep_session(&parts, purpose)?;
        }
        let message = match BodyKind::of(&parts.headers, purpose)? {
            BodyKind::Json => {
                let bytes = whole(&mut body, MAX_MESSAGE_BYTES, purpose).await?;
                self.transport.give_back(sender);
                self.transcript.push(Direction::Received, &bytes);
                reply_of(json_messages(&bytes, purpose)?, purpose)?
            }
            BodyKind::EventStream => {
                let mut stream = EventStream::new(body, purpose);
                let reply = self.reply_on(&mut stream, call.version).await?;
                if stream.ends().await {
                    self.transport.give_back(sender);
                }
                reply
            }
        };
        match judge_reply(&message, id).map_err(|violation| violated(call.phase, violation))? {
            Reply::Result(result) => Ok(Outcome::Result(result, message.raw().clone())),
            Reply::Error(error) => Ok(Outcome::Error(error)),
        }
    }

    /// Reads a stream until the reply. A stream has one reply, so whatever reply comes is judged as it.
    async fn reply_on(
        self: &Arc<Self>,
        stream: &mut EventStream<'_>,
        version: Option<&'static Version>,
    ) -> Result<Message, McpError> {
        loop {
            let message = stream.next().await?;
            self.transcript.push(Direction::Received, message.raw());
            match message.kind() {
                Kind::Response => return Ok(message),
                Kind::Request => {
                    if let (Some(id), Some(method)) = (message.id(), message.method()) {
                        self.post_aside(encode_reply(id, method), String::new(), version);
                    }
                }
                Kind::Notification | Kind::Batch | Kind::Invalid => {}
            }
        }
    }

    /// A status that is no success: in the modern era its body may hold the JSON-RPC error that it stands for.
    fn refusal(
        &self,
        id: u64,
        call: &Call<'_>,
        parts: &Parts,
        body: Bytes,
        in_session: bool,
    ) -> Result<Outcome, McpError> {
        let error = status_error(call.phase, parts, &body, self.transport.endpoint(), in_session);
        self.transcript.push(Direction::Received, &body);
        if call.is_modern()
            && parts.status.is_client_error()
            && error.code != ErrorCode::HttpUnauthorized
            && let Ok(message) = Message::parse(body)
            && let Ok(Reply::Error(error)) = judge_reply(&message, id)
        {
            return Ok(Outcome::Error(error));
        }
        Err(error)
    }

    fn note_status(&self, parts: &Parts) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = Some(parts.status.as_u16());
    }

    fn keep_session(&self, parts: &Parts, purpose: Purpose<'_>) -> Result<(), McpError> {
        let Some(id) = parts.headers.get(SESSION_ID) else { return Ok(()) };
        if id.is_empty() || !id.as_bytes().iter().all(|byte| (0x21..0x7f).contains(byte)) {
            let seen = json!(String::from_utf8_lossy(id.as_bytes()));
            let violation = Violation::new(Rule::SessionId, SESSION_ID, Some(&seen), id.as_bytes());
            return Err(invalid(purpose, Detail::Protocol(violation)));
        }
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
        Ok(())
    }

    fn request(
        &self,
        method: Method,
        body: Bytes,
        described: Option<Described<'_>>,
        purpose: Purpose<'_>,
    ) -> Result<Request<Full<Bytes>>, McpError> {
        let endpoint = self.transport.endpoint();
        let url = endpoint.url();
        let target =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        // What the user gives comes first: the protocol's own headers replace it.
        let mut headers = self.headers.clone();
        headers.entry(header::USER_AGENT).or_insert(HeaderValue::from_static("mcpeak"));
        if let Some(described) = described {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
            described.write(&mut headers).map_err(|error| unsendable(purpose, &error))?;
        } else if let Some(version) = *self.version.lock().unwrap_or_else(PoisonError::into_inner)
            && version.http_headers.contains(&PROTOCOL_VERSION)
        {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(version.name));
        }
        if let Some(session) = self.session() {
            headers.insert(SESSION_ID, session);
        }
        let host =
            HeaderValue::try_from(endpoint.authority()).map_err(|error| unsendable(purpose, &error))?;
        headers.insert(header::HOST, host);
        let mut request = Request::builder()
            .method(method)
            .uri(target)
            .body(Full::new(body))
            .map_err(|error| unsendable(purpose, &error))?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Posts what has no answer: a notification or a reply.
    async fn post(
        &self,
        message: Bytes,
        described: Described<'_>,
        purpose: Purpose<'_>,
    ) -> Result<(), McpError> {
        self.transcript.push(Direction::Sent, &message);
        let in_session = self.session().is_some();
        let request = self.request(Method::POST, message, Some(described), purpose)?;
        let Exchange { response, sender } = self.transport.send(request, purpose).await?;
        let (parts, mut body) = response.into_parts();
        self.note_status(&parts);
        let beginning = beginning(&mut body, ERROR_BODY_BYTES).await;
        if !parts.status.is_success() {
            let endpoint = self.transport.endpoint();
            return Err(status_error(purpose.phase, &parts, &beginning, endpoint, in_session));
        }
        if http_body::Body::is_end_stream(&body) {
            self.transport.give_back(sender);
        }
        Ok(())
    }

    /// The same without waiting. Nobody is there to hear of a failure: the server will miss the message.
    fn post_aside(self: &Arc<Self>, message: Bytes, method: String, version: Option<&'static Version>) {
        let inner = Arc::clone(self);
        let cancelled = self.transport.cancelled.clone();
        self.transport.tasks.spawn(async move {
            let deadline = Instant::now() + SIDE_MESSAGE;
            let purpose = Purpose { method: &method, phase: Phase::Transport, deadline };
            let described = Described { version, method: &method, name: None, params: &[] };
            tokio::select! {
                sent = timeout_at(deadline, inner.post(message, described, purpose)) => {
                    if let Ok(Err(error)) = sent {
                        tracing::debug!(code = error.code.as_str(), "a side message was not accepted");
                    }
                }
                () = cancelled.cancelled() => {}
            }
        });
    }

    async fn delete_session(&self) {
        if self.session().is_none() {
            return;
        }
        let deadline = Instant::now() + SIDE_MESSAGE;
        let purpose = Purpose { method: "DELETE", phase: Phase::Close, deadline };
        if let Ok(request) = self.request(Method::DELETE, Bytes::new(), None, purpose) {
            let _ = self.transport.send(request, purpose).await;
        }
    }
}

fn unsendable(purpose: Purpose<'_>, error: &dyn std::error::Error) -> McpError {
    let detail = Detail::Unsendable(error.to_string());
    McpError::new(ErrorCode::OperationFailed, purpose.phase, detail)
}

impl Described<'_> {
    /// The headers that the version has.
    fn write(self, headers: &mut HeaderMap) -> Result<(), http::Error> {
        let Some(version) = self.version else { return Ok(()) };
        for &name in version.http_headers {
            let value = match name {
                PROTOCOL_VERSION => Some(version.name),
                "mcp-method" => Some(self.method),
                "mcp-name" => self.name,
                // The session id comes from the server.
                _ => None,
            };
            if let Some(value) = value {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value)?);
            }
        }
        if version.era == Era::Modern {
            for (name, value) in self.params {
                headers.insert(HeaderName::try_from(name)?, HeaderValue::from_str(value)?);
            }
        }
        Ok(())
    }
}
