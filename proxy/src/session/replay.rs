//! The loaded session that answers requests. A hit is one hash, one look-up and one atomic exchange.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use mcpeak_core::redact::{Redactor, Scanner, UnknownTokens};

use super::coding::{Codings, Decoder};
use super::error::SessionError;
use super::load::{Loaded, load};
use super::sink::HELD;
use super::stored::Stored;
use crate::exchange::{Headers, RequestHead};
use crate::matching::{
    BodyParts, Index, Key, Miss, MissReason, MissReport, Missed, Parts, Repeat, Rules, Taken, cut, difference,
};
use crate::redact::{
    BodyKind, CollapsedHash, Ledger, Redaction, Unnumbered, collapse, learn_request, redact_body,
    redact_fields, redact_form, redact_path, request_secrets,
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
    /// The command that records the session again, named in hints.
    pub record_command: Option<String>,
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
        let (entries, rules, mut warnings) = load(path, &redaction, &options.match_headers)?;
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
            codings: Codings::parse(head.headers.get("content-encoding")),
            members: has_members(head.headers.get("content-type")),
            length: 0,
            state: KeyState::Held(Vec::new()),
        }
    }

    /// The recording that answers, taken once.
    pub fn take(&self, head: &RequestHead, body: &RequestBody) -> Take {
        let inner = &*self.0;
        let mut parts = inner.parts(head, body);
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
                Take::Miss(inner.miss(head, &parts, MissReason::AllUsed { recordings: count as u64 }))
            }
            Taken::Unknown => {
                let reason = inner.explain(&parts);
                Take::Miss(inner.miss(head, &parts, reason))
            }
        }
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
    /// The live request, redacted like a recorded one and taken apart.
    fn parts(&self, head: &RequestHead, body: &RequestBody) -> Parts {
        let redaction = &self.redaction_of(head, body);
        let path = redact_path(redaction, &head.path);
        let query = head.query.as_deref().map(|query| redact_form(redaction, query));
        let matched = |name: &str| {
            ["range", "soapaction"].iter().any(|known| name.eq_ignore_ascii_case(known))
                || self.options.match_headers.iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        let fields = head.headers.iter().filter(|(name, _)| matched(name));
        let fields: Headers = fields.map(|(name, value)| (name.to_owned(), value.clone())).collect();
        let headers = redact_fields(redaction, &fields);
        let further = &self.options.match_headers;
        let body = Self::body_parts(redaction, head, body);
        Parts::new(&head.method, &head.origin, &path, query.as_deref(), &headers, further, body)
    }

    /// While recording, a credential of a request is also looked for in the rest of it; so it is here, where it is there.
    fn redaction_of(&self, head: &RequestHead, body: &RequestBody) -> Redaction {
        let mut secrets = request_secrets(&head.headers);
        secrets.retain(|secret| Ledger::searches_for(secret));
        let body = if let RequestBody::Memory(bytes) = body { bytes } else { &Bytes::new() };
        let encoded = head.headers.contains("content-encoding");
        let target = [head.path.as_str(), head.query.as_deref().unwrap_or_default()];
        let begins = |secret: &String| {
            // The first bytes are the same in every writing that is searched for, as long as they are plain.
            let plain = secret.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let start = &secret[..plain];
            target.iter().any(|text| text.contains(start)) || encoded || contains(body, start.as_bytes())
        };
        if !secrets.iter().any(begins) {
            return self.redaction.clone();
        }
        let redactor = self.redaction.redactor.clone();
        let redaction = Redaction { redactor, tokens: Arc::new(Unnumbered::default()) };
        learn_request(&redaction, &head.headers);
        redaction
    }

    fn body_parts(redaction: &Redaction, head: &RequestHead, body: &RequestBody) -> BodyParts {
        let content_type = head.headers.get("content-type");
        let bytes = match body {
            RequestBody::Empty => return BodyParts::None,
            RequestBody::Streamed { sha256 } => return BodyParts::Bytes(hex::encode(sha256)),
            RequestBody::Memory(bytes) => bytes,
        };
        let codings =
            Codings::parse(head.headers.get("content-encoding")).filter(|codings| !codings.is_identity());
        let decoded = match codings.as_ref().map(|codings| codings.decode(bytes, INFLATED)) {
            Some(Err(error)) if error.too_large => {
                let mut hashing =
                    Hashing::new(&redaction.redactor, codings.as_ref(), has_members(content_type));
                hashing.push(bytes);
                return BodyParts::Bytes(hex::encode(hashing.finish()));
            }
            // As while recording: what can be read of a damaged body counts if it holds a secret.
            Some(Err(error)) => {
                let kind = BodyKind::of(content_type, &error.partial);
                if let Some(redacted) = redact_body(redaction, &kind, &error.partial) {
                    return BodyParts::new(content_type, &redacted);
                }
                None
            }
            decoded => decoded.and_then(Result::ok),
        };
        let content = decoded.as_deref().unwrap_or(bytes);
        let redacted = redact_body(redaction, &BodyKind::of(content_type, content), content);
        BodyParts::new(content_type, redacted.as_deref().unwrap_or(content))
    }

    fn explain(&self, parts: &Parts) -> MissReason {
        let path = collapse(parts.path.as_bytes());
        let of_host = self.entries.iter().filter(|entry| entry.parts.origin == parts.origin);
        let of_path: Vec<_> = of_host
            .clone()
            .filter(|entry| collapse(entry.parts.path.as_bytes()) == path)
            .take(CANDIDATES)
            .collect();
        let compared = of_path.iter().map(|entry| (entry, difference(&entry.parts, parts)));
        match compared.min_by_key(|(_, differences)| differences.len()) {
            Some((entry, differences)) => {
                MissReason::NearMiss { recording: cut(&entry.line, 512), differences }
            }
            None if of_host.clone().next().is_some() => MissReason::NothingForPath,
            None => MissReason::NothingForHost,
        }
    }

    fn miss(&self, head: &RequestHead, parts: &Parts, reason: MissReason) -> Miss {
        let path = redact_path(&self.redaction, &head.path);
        let query = head.query.as_deref().map(|query| redact_form(&self.redaction, query));
        let url = query.map_or_else(
            || format!("{}{path}", parts.origin),
            |query| format!("{}{path}?{query}", parts.origin),
        );
        let record_command = self.options.record_command.as_deref();
        let miss = Miss::new(Missed {
            method: &head.method,
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
            unused.insert(Unused { method: method.to_owned(), url: url.to_owned(), left, of });
        }
        unused.into_iter().collect()
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    match needle.first() {
        None => true,
        Some(first) => {
            haystack.iter().enumerate().any(|(at, byte)| byte == first && haystack[at..].starts_with(needle))
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
    members: bool,
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
                    let hashing = Hashing::new(&self.redactor, self.codings.as_ref(), self.members);
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

/// Whether a body of this type has named members, by which a secret is known in a stream.
fn has_members(content_type: Option<&str>) -> bool {
    matches!(BodyKind::of(content_type, b""), BodyKind::Json | BodyKind::EventStream)
}

impl Hashing {
    fn new(redactor: &Redactor, codings: Option<&Codings>, members: bool) -> Self {
        Self {
            decoder: codings.filter(|codings| !codings.is_identity()).map(Decoder::new),
            scanner: Scanner::new(redactor.clone(), Arc::new(UnknownTokens), members),
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
