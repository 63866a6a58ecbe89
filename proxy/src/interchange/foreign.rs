//! An exchange of another tool, as it would have gone by on the wire.

use bytes::Bytes;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::note::{Lost, Notes};
use crate::exchange::{
    FailureKind, Framing, Headers, Incomplete, Outcome, RequestHead, ResponseHead, Version,
};
use crate::session::{BodySink, Codings, Recorder, split_url};

/// Encoded bodies are looked into up to this size.
const INFLATED: usize = 64 * 1024 * 1024;
/// Bodies are handed over in pieces of this size.
const PIECE: usize = 64 * 1024;
/// What no URL on a wire has, beside what is not ASCII.
const ABSENT: &AsciiSet = &CONTROLS.add(b' ');

/// An exchange.
#[derive(Debug)]
pub(crate) struct Foreign {
    head: RequestHead,
    body: Bytes,
    answer: Answer,
}

/// What became of the request.
#[derive(Debug)]
pub(crate) enum Answer {
    Response(Response),
    Failure(FailureKind),
}

/// An answer as another tool has it.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) reason: Option<String>,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    pub(crate) trailers: Headers,
    /// Known where the file is one of ours.
    pub(crate) framing: Option<Framing>,
    pub(crate) incomplete: Option<Incomplete>,
}

/// A request as another tool has it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) version: Version,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
}

impl Foreign {
    /// Makes an exchange of what a file says; a note instead where it cannot be one.
    pub(crate) fn new(request: Request, answer: Option<Answer>, notes: &mut Notes) -> Option<Self> {
        let Request { method, url, version, headers, body } = request;
        let absolute = url.split('#').next().unwrap_or_default();
        let is_token = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_graphic());
        let Some((origin, path, query)) = split_url(absolute).filter(|_| is_token && method != "CONNECT")
        else {
            notes.add(Lost::NotHttp, &method, &url);
            return None;
        };
        // What a URL cannot hold was never on the wire like this.
        let written = |text: &str| utf8_percent_encode(text, ABSENT).to_string();
        let (path, query) = (written(path), query.map(written));
        let head = RequestHead { method, origin, path, query, version, headers: fields(&headers) };
        let answer = match answer {
            Some(Answer::Response(response)) if response.status == 101 => {
                notes.add(Lost::Frames, &head.method, &url);
                return None;
            }
            Some(Answer::Response(response)) if (200..=999).contains(&response.status) => {
                Answer::Response(response.made_true(&head, notes))
            }
            Some(Answer::Failure(kind)) => Answer::Failure(kind),
            _ => {
                notes.add(Lost::NoAnswer, &head.method, &url);
                return None;
            }
        };
        Some(Self { head, body, answer })
    }

    /// Hands the exchange to a recorder.
    pub(crate) async fn record(self, recorder: &Recorder) {
        let pending = recorder.begin(&self.head);
        let mut sink = pending.request_sink();
        feed(&mut sink, &self.body).await;
        let request = sink.finish();
        let outcome = match self.answer {
            Answer::Failure(kind) => Outcome::Failure(kind),
            Answer::Response(response) => {
                let head = ResponseHead {
                    status: response.status,
                    reason: response.reason,
                    version: self.head.version,
                    headers: response.headers,
                    framing: response.framing.unwrap_or(Framing::Chunked),
                };
                let mut sink = pending.response_sink(&head);
                feed(&mut sink, &response.body).await;
                let (body, trailers, incomplete) = (sink.finish(), response.trailers, response.incomplete);
                Outcome::Response { head, body, trailers, incomplete }
            }
        };
        pending.finish(request, outcome).await;
    }
}

impl Response {
    /// Framing and encoding made true: other tools store bodies decoded, and leave the fields that described them.
    fn made_true(mut self, request: &RequestHead, notes: &mut Notes) -> Self {
        self.headers = fields(&self.headers);
        if matches!(request.version, Version::H2) {
            self.reason = None;
        }
        let encoding = self.headers.get("content-encoding").map(str::to_owned);
        let codings = Codings::parse(encoding.as_deref());
        let encoded = codings.is_some_and(|codings| {
            codings.is_identity() || self.body.is_empty() || codings.decode(&self.body, INFLATED).is_ok()
        });
        if encoding.is_some() && !encoded {
            self.headers.remove("content-encoding");
            notes.add(Lost::ContentEncoding, &request.method, &request.url());
        }
        let bodiless = request.method == "HEAD" || matches!(self.status, 204 | 304);
        let chunked = self.headers.get("transfer-encoding").is_some();
        let framing = self.framing.unwrap_or(match request.version {
            _ if bodiless => Framing::None,
            Version::H2 => Framing::H2,
            _ if self.headers.contains("content-length") && !chunked => Framing::ContentLength,
            Version::Http10 => Framing::Close,
            Version::Http11 => Framing::Chunked,
        });
        if framing == Framing::None {
            self.body = Bytes::new();
        } else {
            if framing != Framing::Chunked {
                self.headers.remove("transfer-encoding");
            }
            if self.incomplete.is_none() {
                self.headers.replace("content-length", &self.body.len().to_string());
            }
        }
        self.framing = Some(framing);
        self
    }
}

/// Fields that can be on a wire: names that are tokens, values without line breaks.
fn fields(headers: &Headers) -> Headers {
    let token = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    let sound = |value: &Bytes| !value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    let kept = headers.iter().filter(|(name, value)| token(name) && sound(value));
    kept.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

async fn feed(sink: &mut BodySink, body: &Bytes) {
    for piece in body.chunks(PIECE) {
        sink.ready().await;
        sink.push(&body.slice_ref(piece));
    }
}
