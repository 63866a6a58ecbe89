//! The loaded session that answers requests. A hit is one hash, one look-up and one atomic exchange.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use mcpeak_core::redact::{Names, Redactor, Scanner, UnknownTokens};

use super::coding::{Codings, Decoder, content_encoding};
use super::error::SessionError;
use super::load::{Loaded, load};
use super::sink::HELD;
use super::stored::Stored;
use crate::exchange::{Headers, RequestHead};
use crate::matching::{
    BodyParts, Difference, Index, Key, Miss, MissReason, MissReport, Missed, Parts, Repeat, Rules, Taken,
    cut, difference, looks_made_up, suggest,
};
use crate::redact::{
    BodyKind, CollapsedHash, Live, Redaction, collapse, learn_request, redact_body, redact_fields,
    redact_form, redact_path,
};
use crate::report::{Counts, Mode, SessionReport, Unused, Warning};

/// Most bytes that a held body may inflate to.
const INFLATED: usize = 32 * 1024 * 1024;
/// Most recordings that a miss is compared with.
const CANDIDATES: usize = 256;

/// How a session is replayed.
#[derive(Clone, Debug, Default)]
pub struct ReplayOptions {
    /// When all recordings of a key are used.
    pub repeat: Repeat,
    /// Request headers that take part in matching, beside `range` and `soapaction`.
    pub match_headers: Vec<String>,
    /// Rules beside those of the file, as written. What is not understood is left out: the caller has refused it.
    pub rules: Vec<String>,
    /// The command that records the session again, named in hints.
    pub record_command: Option<String>,
    /// When the pieces of a stream are sent.
    pub timing: Timing,
}

/// When the pieces of a recorded stream are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// At once, one after the other.
    #[default]
    Instant,
    /// As long after the head as while recording.
    Recorded,
}

/// A session that answers requests; a handle that is cheap to clone.
#[derive(Clone)]
pub struct Replay(Arc<Inner>);

struct Inner {
    name: String,
    options: ReplayOptions,
    redaction: Redaction,
    entries: Vec<Loaded>,
    index: Index,
    rules: Rules,
    warnings: Vec<Warning>,
    replayed: AtomicU64,
    misses: Mutex<BTreeMap<(String, String, MissReason), u64>>,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Take {
    /// A recording.
    Hit(Arc<Stored>),
    /// None.
    Miss(Miss),
}

/// A request's body as far as matching needs it.
#[derive(Clone, Debug)]
pub enum RequestBody {
    /// No bytes.
    Empty,
    /// The wire bytes.
    Memory(Bytes),
    /// Too large to hold: SHA-256 of the decoded, redacted bytes.
    Streamed {
        /// The hash.
        sha256: [u8; 32],
    },
}

impl Replay {
    /// Loads and checks a file: syntax, members, hashes, side files.
    pub fn load(path: &Path, redactor: Redactor, options: ReplayOptions) -> Result<Self, SessionError> {
        let redaction = Redaction { redactor, tokens: Arc::new(UnknownTokens) };
        let (entries, rules, mut warnings) =
            load(path, &redaction, &options.match_headers, &options.rules, options.timing)?;
        let unsearched = redaction.redactor.unsearched().iter();
        warnings.extend(unsearched.map(|name| Warning::ValueNotSearched { name: name.clone() }));
        let index = Index::new(entries.iter().map(|entry| (entry.exact, entry.loose)), options.repeat);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (replayed, misses) = Default::default();
        Ok(Self(Arc::new(Inner {
            name,
            options,
            redaction,
            entries,
            index,
            rules,
            warnings,
            replayed,
            misses,
        })))
    }

    /// Reads a request's body for matching.
    pub fn request_sink(&self, head: &RequestHead) -> KeySink {
        KeySink {
            redactor: self.0.redaction.redactor.clone(),
            codings: Codings::parse(content_encoding(&head.headers).as_deref()),
            names: BodyKind::of(head.headers.get("content-type"), b"").names(),
            headers: head.headers.clone(),
            length: 0,
            state: KeyState::Held(Vec::new()),
        }
    }

    /// The recording that answers, taken once.
    pub fn take(&self, head: &RequestHead, body: &RequestBody) -> Take {
        let inner = &*self.0;
        let (mut parts, target) = inner.redacted(head, body);
        inner.rules.apply(&mut parts);
        let taken = match inner.index.take_exact(Key::exact(&parts)) {
            // A request with another secret, or without one, is the recorded request; one with a pseudonym that a recording
            // handed out is that request and no other.
            Taken::Unknown if !parts.has_numbered() => inner.index.take_loose(Key::loose(&parts)),
            taken => taken,
        };
        match taken {
            Taken::Hit(entry) => {
                inner.replayed.fetch_add(1, Ordering::Relaxed);
                Take::Hit(Arc::clone(&inner.entries[entry].stored))
            }
            Taken::Exhausted(count) => {
                Take::Miss(inner.miss(&parts, &target, MissReason::AllUsed { recordings: count as u64 }))
            }
            Taken::Unknown => {
                let reason = inner.explain(&parts);
                Take::Miss(inner.miss(&parts, &target, reason))
            }
        }
    }

    /// A text as reports may show it.
    pub(crate) fn shown(&self, text: &str) -> String {
        self.0.redaction.text(text)
    }

    /// What was replayed so far.
    pub fn report(&self, counts: &Counts) -> SessionReport {
        let inner = &*self.0;
        let mut report = SessionReport::new(Mode::Replay, inner.name.clone(), counts);
        report.replayed = inner.replayed.load(Ordering::Relaxed);
        let misses = inner.misses.lock().unwrap_or_else(PoisonError::into_inner);
        let miss = |((method, url, reason), count): (&(String, String, MissReason), &u64)| MissReport {
            method: method.clone(),
            url: url.clone(),
            reason: reason.clone(),
            count: *count,
        };
        report.missed = misses.iter().map(miss).collect();
        report.unused = inner.unused();
        report.warnings.extend(inner.warnings.iter().cloned());
        let idle = inner.rules.idle().map(|rule| Warning::RuleIdle { rule: rule.to_owned() });
        report.warnings.extend(idle);
        report.warnings.sort();
        report.warnings.dedup();
        report
    }
}

impl Inner {
    /// The live request, redacted like a recorded one and taken apart; and its path and query as they may be shown.
    fn redacted(&self, head: &RequestHead, body: &RequestBody) -> (Parts, String) {
        let live = Arc::new(Live::default());
        let redaction =
            &Redaction { redactor: self.redaction.redactor.clone(), tokens: Arc::clone(&live) as _ };
        learn_request(redaction, &head.headers);
        let mut query = head.query.as_deref().map(|query| redact_form(redaction, query));
        let matched = |name: &str| {
            ["range", "soapaction"].iter().any(|known| name.eq_ignore_ascii_case(known))
                || self.options.match_headers.iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        let fields = head.headers.iter().filter(|(name, _)| matched(name));
        let fields: Headers = fields.map(|(name, value)| (name.to_owned(), value.clone())).collect();
        let mut headers = redact_fields(redaction, &fields);
        let mut content = Self::content(redaction, head, body);
        let mut path = redact_path(redaction, &head.path);
        let texts = [
            head.method.as_bytes(),
            path.as_bytes(),
            query.as_deref().unwrap_or_default().as_bytes(),
            content.as_bytes(),
        ];
        let values = headers.iter().map(|(_, value)| &**value);
        if live.may_be_in(&texts.into_iter().chain(values).collect::<Vec<_>>()) {
            // As while recording: what one part tells is looked for in all.
            live.search();
            path = redaction.text(&path);
            query = query.map(|query| redaction.text(&query));
            headers = redact_fields(redaction, &headers);
            content.redact(redaction);
        }
        let further = &self.options.match_headers;
        let body = match content {
            Content::None => BodyParts::None,
            Content::Hash(hash) => BodyParts::Bytes(hash),
            Content::Bytes(bytes) => BodyParts::new(head.headers.get("content-type"), &bytes),
        };
        let method = redaction.method(&head.method);
        let parts = Parts::new(&method, &head.origin, &path, query.as_deref(), &headers, further, body);
        (parts, query.map_or_else(|| path.clone(), |query| format!("{path}?{query}")))
    }

    fn content(redaction: &Redaction, head: &RequestHead, body: &RequestBody) -> Content {
        let content_type = head.headers.get("content-type");
        let bytes = match body {
            RequestBody::Empty => return Content::None,
            RequestBody::Streamed { sha256 } => return Content::Hash(hex::encode(sha256)),
            RequestBody::Memory(bytes) => bytes,
        };
        let codings = Codings::parse(content_encoding(&head.headers).as_deref());
        let codings = codings.filter(|codings| !codings.is_identity());
        let decoded = match codings.as_ref().map(|codings| codings.decode(bytes, INFLATED)) {
            Some(Err(error)) if error.too_large => {
                let names = BodyKind::of(content_type, b"").names();
                let mut hashing = Hashing::new(redaction, codings.as_ref(), names);
                hashing.push(bytes);
                return Content::Hash(hex::encode(hashing.finish()));
            }
            // As while recording: what can be read of a damaged body counts if it holds a secret.
            Some(Err(error)) => {
                let kind = BodyKind::of(content_type, &error.partial);
                if let Some(redacted) = redact_body(redaction, &kind, &error.partial) {
                    return Content::Bytes(redacted.into());
                }
                None
            }
            decoded => decoded.and_then(Result::ok).map(Bytes::from),
        };
        let content = decoded.unwrap_or_else(|| bytes.clone());
        let redacted = redact_body(redaction, &BodyKind::of(content_type, &content), &content);
        Content::Bytes(redacted.map_or(content, Bytes::from))
    }

    fn explain(&self, parts: &Parts) -> MissReason {
        let path = collapse(parts.path.as_bytes());
        let of_host = self.entries.iter().filter(|entry| entry.parts.origin == parts.origin);
        let of_path: Vec<_> = of_host
            .clone()
            .filter(|entry| collapse(entry.parts.path.as_bytes()) == path)
            .take(CANDIDATES)
            .collect();
        let compared = of_path.into_iter().map(|entry| (entry, difference(&entry.parts, parts)));
        match compared
            .min_by_key(|(_, differences)| differences.len())
            .or_else(|| other_path(of_host.clone(), parts))
        {
            Some((entry, differences)) => {
                let rules = suggest(&entry.parts, parts, &differences);
                MissReason::NearMiss { recording: cut(&entry.line, 512), differences, rules }
            }
            None if of_host.clone().next().is_some() => MissReason::NothingForPath,
            None => MissReason::NothingForHost,
        }
    }

    fn miss(&self, parts: &Parts, target: &str, reason: MissReason) -> Miss {
        let url = format!("{}{target}", parts.origin);
        let record_command = self.options.record_command.as_deref();
        let miss = Miss::new(Missed {
            method: &parts.method,
            url: &url,
            reason,
            session: &self.name,
            record_command,
        });
        let report = miss.report();
        let key = (report.method.clone(), report.url.clone(), report.reason.clone());
        *self.misses.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
        miss
    }

    fn unused(&self) -> Vec<Unused> {
        let mut unused: BTreeSet<Unused> = BTreeSet::new();
        for group in self.index.groups() {
            let left = group.iter().filter(|&&entry| self.index.uses(entry) == 0).count();
            let Some(&first) = group.iter().find(|&&entry| self.index.uses(entry) == 0) else { continue };
            let (method, url) = self.entries[first].line.split_once(' ').unwrap_or_default();
            let (left, of) = (left as u64, group.len() as u64);
            let idle = group.iter().filter(|&&entry| self.index.uses(entry) == 0);
            let ids = idle.filter_map(|&entry| self.entries[entry].id.clone()).collect();
            unused.insert(Unused { method: method.to_owned(), url: url.to_owned(), left, of, ids });
        }
        unused.into_iter().collect()
    }
}

/// A recording that differs in nothing but segments of its path that look as if they were new each time.
fn other_path<'a>(
    mut of_host: impl Iterator<Item = &'a Loaded>,
    parts: &Parts,
) -> Option<(&'a Loaded, Vec<Difference>)> {
    of_host.find_map(|entry| {
        let segments = entry.parts.path.split('/').zip(parts.path.split('/'));
        let mut differing = segments.filter(|(recorded, actual)| recorded != actual);
        if !differing.all(|(recorded, actual)| looks_made_up(recorded) && looks_made_up(actual)) {
            return None;
        }
        let differences = difference(&entry.parts, parts);
        (!suggest(&entry.parts, parts, &differences).is_empty()).then_some((entry, differences))
    })
}

/// A live body, decoded and redacted.
enum Content {
    None,
    /// SHA-256 in hex of one that is too large to be held.
    Hash(String),
    Bytes(Bytes),
}

impl Content {
    fn as_bytes(&self) -> &[u8] {
        if let Self::Bytes(bytes) = self { bytes } else { &[] }
    }

    /// By value and shape, once more.
    fn redact(&mut self, redaction: &Redaction) {
        if let Self::Bytes(bytes) = self
            && let Some(redacted) = redaction.bytes(bytes)
        {
            *bytes = redacted.into();
        }
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.entries.len();
        formatter
            .debug_struct("Replay")
            .field("name", &self.0.name)
            .field("entries", &entries)
            .finish_non_exhaustive()
    }
}

/// A request's body on its way into a key: held up to 4 MiB, beyond that hashed as it comes.
pub struct KeySink {
    redactor: Redactor,
    codings: Option<Codings>,
    names: Names,
    headers: Headers,
    length: usize,
    state: KeyState,
}

enum KeyState {
    Held(Vec<Bytes>),
    Hashing(Box<Hashing>),
}

struct Hashing {
    decoder: Option<Decoder>,
    scanner: Scanner,
    hash: CollapsedHash,
}

impl KeySink {
    /// Takes a chunk; never waits.
    pub fn push(&mut self, chunk: &Bytes) {
        self.length += chunk.len();
        match &mut self.state {
            KeyState::Hashing(hashing) => hashing.push(chunk),
            KeyState::Held(chunks) => {
                chunks.push(chunk.clone());
                if self.length > HELD {
                    let live = Arc::new(Live::default());
                    let redactor = self.redactor.clone();
                    let redaction = Redaction { redactor, tokens: Arc::clone(&live) as _ };
                    learn_request(&redaction, &self.headers);
                    live.search();
                    let hashing = Hashing::new(&redaction, self.codings.as_ref(), self.names.clone());
                    let mut hashing = Box::new(hashing);
                    for chunk in chunks.iter() {
                        hashing.push(chunk);
                    }
                    self.state = KeyState::Hashing(hashing);
                }
            }
        }
    }

    /// The whole body.
    pub fn finish(self) -> RequestBody {
        match self.state {
            KeyState::Hashing(hashing) => RequestBody::Streamed { sha256: hashing.finish() },
            KeyState::Held(_) if self.length == 0 => RequestBody::Empty,
            KeyState::Held(chunks) => match chunks.as_slice() {
                [one] => RequestBody::Memory(one.clone()),
                many => {
                    let mut whole = BytesMut::with_capacity(self.length);
                    for chunk in many {
                        whole.extend_from_slice(chunk);
                    }
                    RequestBody::Memory(whole.freeze())
                }
            },
        }
    }
}

impl Hashing {
    fn new(redaction: &Redaction, codings: Option<&Codings>, names: Names) -> Self {
        Self {
            decoder: codings.filter(|codings| !codings.is_identity()).map(Decoder::new),
            scanner: Scanner::new(redaction.redactor.clone(), Arc::clone(&redaction.tokens), names),
            hash: CollapsedHash::default(),
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        let mut plain = Vec::new();
        let chunk = match &mut self.decoder {
            Some(decoder) => {
                if decoder.push(chunk, &mut plain).is_err() {
                    // Such a body cannot have been recorded either; the request is a miss by its hash.
                    plain.clear();
                }
                &plain
            }
            None => chunk,
        };
        let mut out = Vec::new();
        self.scanner.push(chunk, &mut out);
        self.hash.push(&out);
    }

    fn finish(mut self) -> [u8; 32] {
        let mut rest = Vec::new();
        if let Some(decoder) = self.decoder.take() {
            // As above: what cannot be decoded was not recorded.
            let _ = decoder.finish(&mut rest);
        }
        let mut out = Vec::new();
        self.scanner.push(&rest, &mut out);
        self.scanner.finish(&mut out);
        self.hash.push(&out);
        self.hash.finish()
    }
}

impl fmt::Debug for KeySink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeySink").field("length", &self.length).finish_non_exhaustive()
    }
}
