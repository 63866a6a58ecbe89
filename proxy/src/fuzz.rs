//! Readers of bytes from outside, given bytes that nobody meant to send.
//!
//! Each test takes the inputs of its folder under `corpus/`, as they are and then changed, and looks at what must hold for all of
//! them. The changes follow from a number, so that a run can be repeated. By default a test makes two thousand inputs; with
//! `MCPEAK_FUZZ_SECONDS` it goes on for so long. What breaks a test is printed, and
//! belongs into the folder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use mcpeak_core::redact::Redactor;
use mcpeak_core::wire::SseParser;

use crate::detect::decide;
use crate::exchange::Headers;
use crate::http1::HeadReader;
use crate::matching::BodyParts;
use crate::redact::{BodyKind, Ledger, Redaction, redact_body};

/// Inputs that a test makes unless it is told to go on.
const INPUTS: u64 = 2000;
/// Longest input; what breaks a reader is short.
const LONGEST: usize = 4096;

/// A generator of numbers (xorshift); it need not be a good one.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap();
        usize::try_from(self.next() % end).unwrap()
    }
}

/// Gives a test its inputs.
fn each_input(folder: &str, mut holds: impl FnMut(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let corpus: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    let mut check = |input: &[u8]| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| holds(input))) {
            eprintln!("input: {}", input.escape_ascii());
            std::panic::resume_unwind(panic);
        }
    };
    for input in &corpus {
        check(input);
    }
    let seconds = std::env::var("MCPEAK_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut made = 0;
    while made < INPUTS || until.is_some_and(|until| Instant::now() < until) {
        check(&changed(&corpus, &mut random));
        made += 1;
    }
}

fn changed(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const TELLING: &[u8] = b"\r\n\0\xff\x80 \t:;,\"\\{}[]()-=&?%/#<>0129aZ~";
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(8) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(16)).min(input.len());
        match random.below(7) {
            0 if at < input.len() => input[at] ^= 1 << random.below(8),
            1 => input.insert(at, TELLING[random.below(TELLING.len())]),
            2 => drop(input.drain(at..end)),
            3 => {
                let part = input[at..end].to_vec();
                input.splice(at..at, part);
            }
            4 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len() + 1);
                input.splice(at..end, other[from..].iter().copied());
            }
            5 => input.truncate(at),
            _ if at < input.len() => input[at] = TELLING[random.below(TELLING.len())],
            _ => {}
        }
        input.truncate(LONGEST);
    }
    input
}

fn redaction() -> Redaction {
    Redaction { redactor: Redactor::default(), tokens: Arc::new(Ledger::default()) }
}

#[test]
fn session_files_are_read_or_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fuzz.session.json");
    each_input("sessions", |input| {
        std::fs::write(&path, input).unwrap();
        let loaded = crate::session::Replay::load(
            &path,
            Redactor::default(),
            crate::session::ReplayOptions::default(),
        );
        if let Err(error) = loaded {
            assert!(error.to_string().contains("fuzz.session.json"), "{error}");
        }
    });
}

#[test]
fn the_protocol_of_a_connection_does_not_depend_on_how_its_bytes_are_cut() {
    each_input("openings", |input| {
        let first = (0..=input.len()).find_map(|end| decide(&input[..end]));
        let later = decide(input);
        assert_eq!(first, later, "more bytes do not change it");
    });
}

#[test]
fn heads_that_are_read_are_within_the_limit_and_have_no_line_end_in_a_field() {
    const LIMIT: usize = 1024;
    let sound = |headers: &Headers| {
        let size: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        assert!(size <= LIMIT, "{size} bytes");
        assert!(
            headers
                .iter()
                .all(|(name, value)| !name.is_empty() && !value.iter().any(|byte| b"\r\n\0".contains(byte)))
        );
    };
    each_input("heads", |input| {
        if let Ok(line) = HeadReader::with(BytesMut::from(input)).take_request(LIMIT) {
            assert!(
                !line.method.is_empty() && !line.target.contains(|c: char| c.is_ascii_control() || c == ' ')
            );
            sound(&line.headers);
        }
        if let Ok(line) = HeadReader::with(BytesMut::from(input)).take_response(LIMIT) {
            sound(&line.headers);
        }
    });
}

#[test]
fn multipart_bodies_are_taken_apart_and_redacted_once() {
    const TYPE: Option<&str> = Some("multipart/form-data; boundary=B");
    each_input("multipart", |input| {
        let _ = BodyParts::new(TYPE, input);
        redacting_settles(TYPE, input);
    });
}

#[test]
fn event_streams_are_read_alike_however_they_are_cut() {
    each_input("events", |input| {
        let whole = events(&[input]);
        let (left, right) = input.split_at(input.len() / 2);
        assert_eq!(events(&[left, right]), whole);
        let bytes: Vec<&[u8]> = input.chunks(1).collect();
        assert_eq!(events(&bytes), whole);
        redacting_settles(Some("text/event-stream"), input);
    });
}

fn events(chunks: &[&[u8]]) -> String {
    let mut parser = SseParser::new(LONGEST * 2);
    let events: Vec<_> = chunks.iter().map(|chunk| parser.push(chunk).unwrap()).collect();
    format!("{:?}", events.concat())
}

/// What was redacted has no secret left.
fn redacting_settles(content_type: Option<&str>, body: &[u8]) {
    let redaction = redaction();
    let kind = BodyKind::of(content_type, body);
    if let Some(once) = redact_body(&redaction, &kind, body) {
        let twice = redact_body(&redaction, &kind, &once);
        assert!(twice.is_none_or(|twice| twice == once), "redacted again: {}", once.escape_ascii());
    }
}
