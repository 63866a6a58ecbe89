//! The answer out of a response: JSON or an event stream.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::timeout;

use super::transport::{Purpose, broken};
use crate::client::failure::unusable;
use crate::error::{Detail, ErrorCode, McpError};
use crate::wire::{Event, Kind, MAX_MESSAGE_BYTES, Message, Rule, SseParser, Violation};

/// How long the end of a stream is waited for once the answer is there: servers close it, and the connection is used again.
const STREAM_END: Duration = Duration::from_millis(50);

/// How a body is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    Json,
    EventStream,
}

impl BodyKind {
    /// By `Content-Type`; an error says what there is instead.
    pub(super) fn of(headers: &HeaderMap, purpose: Purpose<'_>) -> Result<Self, McpError> {
        let value = headers.get(header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let value = value.unwrap_or_default();
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Ok(Self::Json),
            "text/event-stream" => Ok(Self::EventStream),
            _ => Err(invalid(purpose, Detail::ContentType(value.into_owned()))),
        }
    }
}

/// Reads a body to its end; an error if it is over `limit` bytes.
pub(super) async fn whole(
    body: &mut Incoming,
    limit: usize,
    purpose: Purpose<'_>,
) -> Result<Bytes, McpError> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(purpose, &error))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Err(invalid(purpose, Detail::TooLarge { limit }));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}

/// The beginning of a body, at most `limit` bytes; whatever breaks after it does not matter.
pub(super) async fn beginning(body: &mut Incoming, limit: usize) -> Bytes {
    let mut bytes = BytesMut::new();
    while bytes.len() < limit
        && let Some(Ok(frame)) = body.frame().await
    {
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    bytes.truncate(limit);
    bytes.freeze()
}

/// A JSON body as messages.
pub(super) fn json_messages(body: &Bytes, purpose: Purpose<'_>) -> Result<Vec<Message>, McpError> {
    parse(body, Rule::BodyMessage, purpose).map(Message::into_singles)
}

fn parse(raw: &Bytes, rule: Rule, purpose: Purpose<'_>) -> Result<Message, McpError> {
    Message::parse(raw.clone()).map_err(|not| {
        let seen = (!raw.is_empty()).then(|| Value::String(not.excerpt));
        invalid(purpose, Detail::Protocol(Violation::new(rule, "", seen.as_ref(), raw)))
    })
}

/// An event stream, message by message.
pub(super) struct EventStream<'a> {
    body: Incoming,
    parser: SseParser,
    ready: VecDeque<Message>,
    purpose: Purpose<'a>,
}

impl<'a> EventStream<'a> {
    pub(super) fn new(body: Incoming, purpose: Purpose<'a>) -> Self {
        Self { body, parser: SseParser::new(MAX_MESSAGE_BYTES), ready: VecDeque::new(), purpose }
    }

    /// The next message; an error where the stream ends.
    pub(super) async fn next(&mut self) -> Result<Message, McpError> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(message);
            }
            let Some(frame) = self.body.frame().await else {
                let detail = Detail::StreamEnded(self.purpose.method.to_owned());
                return Err(unusable(self.purpose.phase, detail));
            };
            let frame = frame.map_err(|error| broken(self.purpose, &error))?;
            let Ok(data) = frame.into_data() else { continue };
            let events = self
                .parser
                .push(&data)
                .map_err(|over| invalid(self.purpose, Detail::TooLarge { limit: over.limit }))?;
            for event in events.into_iter().filter(Event::is_message) {
                let message = parse(&Bytes::from(event.data), Rule::EventData, self.purpose)?;
                self.ready.extend(message.into_singles());
            }
        }
    }

    /// Whether the stream ends now, so that its connection can be used again.
    pub(super) async fn ends(mut self) -> bool {
        let end = async { while let Some(Ok(_)) = self.body.frame().await {} };
        timeout(STREAM_END, end).await.is_ok()
    }
}

/// The reply among the messages of a body.
pub(super) fn reply_of(messages: Vec<Message>, purpose: Purpose<'_>) -> Result<Message, McpError> {
    messages.into_iter().find(|message| message.kind() == Kind::Response).ok_or_else(|| {
        let detail = Detail::StreamEnded(purpose.method.to_owned());
        invalid(purpose, detail)
    })
}

pub(super) fn invalid(purpose: Purpose<'_>, detail: Detail) -> McpError {
    McpError::new(ErrorCode::HttpResponseInvalid, purpose.phase, detail)
}
