//! Recordings made, written, read and replayed through the public types, on a real disk.

mod archives;
mod cassettes;
mod files;
mod large;
mod planted;
mod records;
mod replays;
mod schema;
mod secrets;
mod tools;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use mcpeak_core::redact::Redactor;
use mcpeak_core::secret::Secret;
use tempfile::TempDir;

use super::{Recorder, Replay, ReplayOptions, Stored, StoredBody, StoredResponse, Take};
use crate::exchange::{
    Captured, Framing, Headers, Incomplete, Origin, Outcome, RequestHead, ResponseHead, Scheme, Version,
};
use crate::report::{Counts, SessionReport};

/// One exchange of a test.
#[derive(Clone, Debug)]
struct Call {
    head: RequestHead,
    body: Bytes,
    response: ResponseHead,
    answer: Bytes,
    trailers: Headers,
    incomplete: Option<Incomplete>,
}

fn fields(list: &[(&str, &str)]) -> Headers {
    list.iter().map(|(name, value)| ((*name).to_owned(), Bytes::copy_from_slice(value.as_bytes()))).collect()
}

/// A GET of a URL on https://api.example.com answered with JSON.
fn get(target: &str, answer: &str) -> Call {
    let (path, query) =
        target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query.to_owned())));
    let length = answer.len().to_string();
    Call {
        head: RequestHead {
            method: "GET".to_owned(),
            origin: Origin::new(Scheme::Https, "api.example.com", None),
            path: path.to_owned(),
            query,
            version: Version::Http11,
            headers: fields(&[("Accept", "application/json"), ("User-Agent", "x/1")]),
        },
        body: Bytes::new(),
        response: ResponseHead {
            status: 200,
            reason: Some("OK".to_owned()),
            version: Version::Http11,
            headers: fields(&[("Content-Type", "application/json"), ("Content-Length", &length)]),
            framing: Framing::ContentLength,
        },
        answer: Bytes::copy_from_slice(answer.as_bytes()),
        trailers: Headers::new(),
        incomplete: None,
    }
}

fn post(target: &str, content_type: &str, body: impl Into<Bytes>, answer: &str) -> Call {
    let mut call = get(target, answer);
    call.head.method = "POST".to_owned();
    call.head.headers.push("Content-Type", content_type.to_owned());
    call.body = body.into();
    call
}

impl Call {
    fn answered(mut self, fields_of: &[(&str, &str)], body: impl Into<Bytes>) -> Self {
        self.answer = body.into();
        self.response.headers = fields(fields_of);
        self.response.headers.push("Content-Length", self.answer.len().to_string());
        self
    }

    fn request_header(mut self, name: &str, value: &str) -> Self {
        self.head.headers.push(name, value.to_owned());
        self
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn secrets(list: &[(&str, &str)]) -> Redactor {
    Redactor::new(list.iter().map(|(name, value)| ((*name).to_owned(), Secret::new((*value).to_owned()))))
}

/// A folder with one session file.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("weather.session.json")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    /// Every byte of every file, sorted by name.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        fn walk(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    walk(&entry.path(), &format!("{name}/"), files);
                } else {
                    files.push((name, std::fs::read(entry.path()).unwrap()));
                }
            }
        }
        let mut files = Vec::new();
        walk(self.folder.path(), "", &mut files);
        files.sort();
        files
    }

    async fn record(&self, redactor: Redactor, force: bool, calls: &[Call]) -> SessionReport {
        let recorder = Recorder::create(&self.path(), force, redactor).unwrap();
        for call in calls {
            send(&recorder, call);
        }
        let report = recorder.complete(&Counts::default()).await.unwrap();
        schema::assert_valid(&self.text());
        report
    }

    fn replay(&self, redactor: Redactor) -> Replay {
        Replay::load(&self.path(), redactor, ReplayOptions::default()).unwrap()
    }
}

fn capture(mut sink: super::BodySink, body: &Bytes) -> Captured {
    for chunk in body.chunks(300_000) {
        sink.push(&body.slice_ref(chunk));
    }
    sink.finish()
}

fn send(recorder: &Recorder, call: &Call) {
    let pending = recorder.begin(&call.head);
    drop(finish(pending, call));
}

fn finish(pending: super::Pending, call: &Call) -> super::OnDisk {
    let request = capture(pending.request_sink(), &call.body);
    let body = capture(pending.response_sink(&call.response), &call.answer);
    let (head, trailers, incomplete) = (call.response.clone(), call.trailers.clone(), call.incomplete);
    pending.finish(request, Outcome::Response { head, body, trailers, incomplete })
}

fn take(replay: &Replay, call: &Call) -> Take {
    let mut sink = replay.request_sink(&call.head);
    for chunk in call.body.chunks(100_000) {
        sink.push(&call.body.slice_ref(chunk));
    }
    replay.take(&call.head, &sink.finish())
}

#[track_caller]
fn hit(replay: &Replay, call: &Call) -> std::sync::Arc<Stored> {
    match take(replay, call) {
        Take::Hit(stored) => stored,
        Take::Miss(miss) => panic!("{:?}", miss.report()),
    }
}

#[track_caller]
fn response(stored: &Stored) -> &StoredResponse {
    match stored {
        Stored::Response(response) => response,
        Stored::Failure(kind) => panic!("{kind:?}"),
    }
}

fn bytes(stored: &Stored) -> Vec<u8> {
    match &response(stored).body {
        StoredBody::Empty => Vec::new(),
        StoredBody::Memory(bytes) => bytes.to_vec(),
        StoredBody::Pieces { pieces, .. } => pieces.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect(),
        StoredBody::File { path, length } => {
            let bytes = std::fs::read(path).unwrap();
            assert_eq!(bytes.len() as u64, *length);
            bytes
        }
    }
}
