//! Why a request has no recording, and the answer that says so.

use bytes::Bytes;
use serde::Serialize;

use super::parts::{BodyParts, Part, Parts};
use crate::json::{Kind, Node, parse, quote};
use crate::redact::{collapse, has_numbered};

/// Most bytes of a miss body.
const MAX_BODY: usize = 16 * 1024;
/// Most differences of a miss.
const MAX_DIFFERENCES: usize = 16;
/// Most characters of a value in a miss.
const MAX_VALUE: usize = 160;
/// Most characters of a URL in a miss.
const MAX_URL: usize = 1024;

/// A request without a recording, as reports give it: redacted and cut.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissReport {
    /// Method.
    pub method: String,
    /// URL.
    pub url: String,
    /// Why.
    pub reason: MissReason,
    /// How often this very request was missed.
    pub count: u64,
}

/// Why a request has no recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum MissReason {
    /// Nothing is recorded for the origin.
    NothingForHost,
    /// Nothing is recorded for the path on this origin.
    NothingForPath,
    /// Recordings of the path exist; this is the nearest.
    NearMiss {
        /// Its request line.
        recording: String,
        /// What differs.
        differences: Vec<Difference>,
        /// Rules that would make the request match, where what differs looks as if it were new each time.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rules: Vec<String>,
    },
    /// All recordings of this key were used.
    AllUsed {
        /// How many there are.
        recordings: u64,
    },
}

/// One field in which a request differs from a recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// `method`, `path`, `query city`, `header range`, `json $.a[0]`, `form name`, `part name`, `body sha256`, …
    pub field: String,
    /// In the recording; `None` where it is not there.
    pub recorded: Option<String>,
    /// In the request; `None` where it is not there.
    pub actual: Option<String>,
}

/// A request without a recording.
#[derive(Clone, Debug)]
pub struct Miss {
    report: MissReport,
    body: Bytes,
}

/// What a miss is made of.
pub(crate) struct Missed<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) reason: MissReason,
    pub(crate) session: &'a str,
    pub(crate) record_command: Option<&'a str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    kind: &'static str,
    message: String,
    request: Request<'a>,
    reason: &'a MissReason,
    fix: String,
}

#[derive(Serialize)]
struct Request<'a> {
    method: &'a str,
    url: &'a str,
}

impl Miss {
    /// The status it is answered with.
    pub const STATUS: u16 = 599;
    /// The media type of [`Miss::body`].
    pub const CONTENT_TYPE: &'static str = "application/json";

    /// The answer's body: at most 16 KiB of JSON.
    pub fn body(&self) -> Bytes {
        self.body.clone()
    }

    /// What the report says about it.
    pub const fn report(&self) -> &MissReport {
        &self.report
    }

    pub(crate) fn new(missed: Missed<'_>) -> Self {
        let Missed { method, url, reason, session, record_command } = missed;
        let mut report = MissReport { method: cut(method, 64), url: cut(url, MAX_URL), reason, count: 1 };
        let fix = record_command.map_or_else(
            || {
                format!(
                    "record the session again: the same command with `--record-session {session} --force`"
                )
            },
            |command| format!("record the session again: {command}"),
        );
        let fix = match &report.reason {
            MissReason::NearMiss { rules, .. } if !rules.is_empty() => {
                format!("if that is new in each run, add to {session}: {}; otherwise {fix}", as_member(rules))
            }
            _ => fix,
        };
        let fix = cut(&fix, MAX_URL);
        loop {
            let answer = Answer {
                kind: "mcpeak-replay-miss",
                message: message(&report.reason, session),
                request: Request { method: &report.method, url: &report.url },
                reason: &report.reason,
                fix: fix.clone(),
            };
            let body = serde_json::to_vec(&answer).unwrap_or_default();
            if body.len() <= MAX_BODY || !shrink(&mut report) {
                return Self { report, body: Bytes::from(body) };
            }
        }
    }
}

/// Rules as a session file holds them: `"rules": ["query:ts"]`.
pub(crate) fn as_member(rules: &[String]) -> String {
    let quoted: Vec<_> = rules.iter().map(|rule| quote(rule)).collect();
    format!("\"rules\": [{}]", quoted.join(", "))
}

/// What differs between a recorded request and another, the plainest first, each value cut.
pub(crate) fn difference(recorded: &Parts, actual: &Parts) -> Vec<Difference> {
    let mut list = List(Vec::new());
    list.compare("method", Some(&recorded.method), Some(&actual.method));
    list.compare("origin", Some(&recorded.origin), Some(&actual.origin));
    list.compare("path", Some(&recorded.path), Some(&actual.path));
    list.pairs("query", &recorded.query, &actual.query);
    list.pairs("header", &recorded.headers, &actual.headers);
    list.bodies(&recorded.body, &actual.body);
    list.0
}

/// Reads one field of a part.
type Field = fn(&Part) -> &str;

struct List(Vec<Difference>);

impl List {
    fn compare(&mut self, field: &str, recorded: Option<&str>, actual: Option<&str>) {
        if recorded != actual && !same_but_secrets(recorded, actual) && self.0.len() < MAX_DIFFERENCES {
            let cut = |value: &str| cut(value, MAX_VALUE);
            let (recorded, actual) = (recorded.map(cut), actual.map(cut));
            self.0.push(Difference { field: self::cut(field, MAX_VALUE), recorded, actual });
        }
    }

    fn pairs(&mut self, what: &str, recorded: &[(String, String)], actual: &[(String, String)]) {
        let mut names: Vec<&str> = recorded.iter().chain(actual).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let values = |pairs: &[(String, String)]| -> Vec<String> {
                pairs.iter().filter(|(other, _)| other == name).map(|(_, value)| value.clone()).collect()
            };
            let (recorded, actual) = (values(recorded), values(actual));
            for at in 0..recorded.len().max(actual.len()) {
                let value = |values: &[String]| values.get(at).cloned();
                self.compare(
                    &format!("{what} {name}"),
                    value(&recorded).as_deref(),
                    value(&actual).as_deref(),
                );
            }
        }
    }

    fn bodies(&mut self, recorded: &BodyParts, actual: &BodyParts) {
        match (recorded, actual) {
            (BodyParts::Json(recorded), BodyParts::Json(actual)) => self.json("json $", recorded, actual),
            (BodyParts::Form(recorded), BodyParts::Form(actual)) => self.pairs("form", recorded, actual),
            (BodyParts::Multipart(recorded), BodyParts::Multipart(actual)) => {
                self.multipart(recorded, actual);
            }
            (BodyParts::Bytes(recorded), BodyParts::Bytes(actual)) => {
                self.compare("body sha256", Some(recorded), Some(actual));
            }
            (
                BodyParts::Graphql { operation, query, rest },
                BodyParts::Graphql { operation: actual_operation, query: actual_query, rest: actual_rest },
            ) => {
                self.compare("graphql operationName", operation.as_deref(), actual_operation.as_deref());
                self.compare("graphql query", Some(query), Some(actual_query));
                self.json("graphql ", rest, actual_rest);
            }
            _ => self.compare("body kind", Some(kind(recorded)), Some(kind(actual))),
        }
    }

    fn multipart(&mut self, recorded: &[Part], actual: &[Part]) {
        for at in 0..recorded.len().max(actual.len()) {
            let (recorded, actual) = (recorded.get(at), actual.get(at));
            let name = recorded.or(actual).map(|part| part.name.clone()).unwrap_or_default();
            let fields: [(&str, Field); 4] = [
                ("name", |part| &part.name),
                ("filename", |part| &part.filename),
                ("content-type", |part| &part.content_type),
                ("sha256", |part| &part.sha256),
            ];
            for (field, of) in fields {
                self.compare(&format!("part {at} {name} {field}"), recorded.map(of), actual.map(of));
            }
        }
    }

    fn json(&mut self, path: &str, recorded: &str, actual: &str) {
        match (parse(recorded), parse(actual)) {
            (Ok(recorded), Ok(actual)) => self.nodes(path, &recorded, &actual),
            _ => self.compare(path, Some(recorded), Some(actual)),
        }
    }

    fn nodes(&mut self, path: &str, recorded: &Node<'_>, actual: &Node<'_>) {
        if recorded.raw == actual.raw || self.0.len() >= MAX_DIFFERENCES {
            return;
        }
        match (&recorded.kind, &actual.kind) {
            (Kind::Array(left), Kind::Array(right)) => {
                for at in 0..left.len().max(right.len()) {
                    self.either(&format!("{path}[{at}]"), left.get(at), right.get(at));
                }
            }
            (Kind::Object(left), Kind::Object(right)) => {
                let mut names: Vec<_> = left.iter().chain(right).map(|(name, _)| name.raw).collect();
                names.sort_unstable();
                names.dedup();
                for raw in names {
                    let name = raw.trim_matches('"');
                    let of = |members: &[(Node<'_>, Node<'_>)]| -> Vec<usize> {
                        (0..members.len()).filter(|&at| members[at].0.raw == raw).collect()
                    };
                    let (lefts, rights) = (of(left), of(right));
                    for at in 0..lefts.len().max(rights.len()) {
                        let left = lefts.get(at).map(|&at| &left[at].1);
                        let right = rights.get(at).map(|&at| &right[at].1);
                        self.either(&format!("{path}.{name}"), left, right);
                    }
                }
            }
            _ => self.compare(path, Some(recorded.raw), Some(actual.raw)),
        }
    }

    fn either(&mut self, path: &str, recorded: Option<&Node<'_>>, actual: Option<&Node<'_>>) {
        match (recorded, actual) {
            (Some(recorded), Some(actual)) => self.nodes(path, recorded, actual),
            _ => self.compare(path, recorded.map(|node| node.raw), actual.map(|node| node.raw)),
        }
    }
}

/// Whether two values differ in secrets only, which do not count unless a recording handed the secret out.
fn same_but_secrets(recorded: Option<&str>, actual: Option<&str>) -> bool {
    recorded.zip(actual).is_some_and(|(recorded, actual)| {
        !has_numbered(actual.as_bytes()) && collapse(recorded.as_bytes()) == collapse(actual.as_bytes())
    })
}

const fn kind(body: &BodyParts) -> &'static str {
    match body {
        BodyParts::None => "none",
        BodyParts::Json(_) => "JSON",
        BodyParts::Form(_) => "form",
        BodyParts::Multipart(_) => "multipart",
        BodyParts::Graphql { .. } => "GraphQL",
        BodyParts::Bytes(_) => "bytes",
    }
}

/// The answer's sentence. It is read by programs and logs of the server under test, so it has one language.
fn message(reason: &MissReason, session: &str) -> String {
    match reason {
        MissReason::NothingForHost => format!("{session} holds nothing for this host"),
        MissReason::NothingForPath => format!("{session} holds nothing for this path on this host"),
        MissReason::NearMiss { differences, .. } => {
            let fields: Vec<_> = differences.iter().map(|difference| difference.field.as_str()).collect();
            cut(&format!("no recording matches; the nearest differs in {}", fields.join(", ")), MAX_URL)
        }
        MissReason::AllUsed { recordings } => {
            format!(
                "all {recordings} recordings of this request were used: it was sent more often than while recording"
            )
        }
    }
}

/// Halves what a report carries; false if there is nothing left to halve.
fn shrink(report: &mut MissReport) -> bool {
    match &mut report.reason {
        MissReason::NearMiss { differences, .. } if !differences.is_empty() => {
            differences.truncate(differences.len() / 2);
            true
        }
        _ if report.url.len() > 64 => {
            report.url = cut(&report.url, 63);
            true
        }
        _ => false,
    }
}

/// At most `limit` characters, the cut marked.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
