use std::collections::BTreeSet;

use serde_json::json;

use super::of;
use crate::error::{Detail, ErrorCode, McpError, Phase, ProcessExit, StartProblem};
use crate::locale::Locale;
use crate::wire::{Noise, Rule, Violation};

fn details() -> Vec<Detail> {
    let mut details = vec![
        Detail::None,
        Detail::JsonRpcError { code: -32601, message: "nope".to_owned(), data: None },
        Detail::Exit { exit: ProcessExit { code: Some(3), signal: None }, stderr_empty: true },
        Detail::Exit { exit: ProcessExit { code: None, signal: Some(9) }, stderr_empty: false },
        Detail::Timeout { after_ms: 5, waiting_for: "tools/list".to_owned() },
        Detail::Io {
            subject: "x:1".to_owned(),
            message: "refused".to_owned(),
            kind: std::io::ErrorKind::ConnectionRefused,
        },
        Detail::HttpStatus { status: 500, reason: "Internal Server Error".to_owned(), body: String::new() },
        Detail::Cursor("a".to_owned()),
        Detail::Cursor(String::new()),
        Detail::StdoutClosed,
        Detail::StdinClosed,
        Detail::InputRequired(vec!["elicitation/create".to_owned()]),
        Detail::StreamEnded("tools/call".to_owned()),
        Detail::Redirect { status: 307, location: "http://y/".to_owned() },
        Detail::ContentType("text/html".to_owned()),
        Detail::TooLarge { limit: 9 },
        Detail::Dns { host: "h".to_owned(), message: "none".to_owned() },
        Detail::Tls { host: "h".to_owned(), message: "bad".to_owned() },
        Detail::VersionUnsupported { requested: "a".to_owned(), supported: Vec::new() },
        Detail::TooDeep { limit: 100 },
        Detail::TooManyPages { limit: 7 },
        Detail::Closed,
        Detail::Unsupported("x/y".to_owned()),
        Detail::Unsendable("bad".to_owned()),
    ];
    for problem in [
        StartProblem::NotFound,
        StartProblem::NotExecutable,
        StartProblem::IsDirectory,
        StartProblem::InterpreterMissing,
        StartProblem::WorkingDirectoryMissing,
        StartProblem::WorkingDirectoryNotADirectory,
        StartProblem::NeedsShell,
        StartProblem::Other("x".to_owned()),
    ] {
        details.push(Detail::Start { subject: "exe".to_owned(), problem });
    }
    for noise in
        [Noise::Text, Noise::BrokenJson, Noise::NotJsonRpc, Noise::NotUtf8, Noise::TooLong, Noise::TooDeep]
    {
        details.push(Detail::StdoutNoise { noise, line: "hello".to_owned() });
    }
    for &rule in Rule::ALL {
        details.push(Detail::Protocol(Violation::new(rule, "result.x", Some(&json!(1)), b"{}")));
    }
    details
}

#[test]
fn every_detail_has_a_sentence_of_its_own_in_both_languages() {
    for locale in [Locale::En, Locale::Ko] {
        let mut seen = BTreeSet::new();
        for detail in details() {
            let error = McpError::new(ErrorCode::OperationFailed, Phase::ListTools, detail);
            let (message, hint) = (error.message(locale), error.hint(locale));
            assert!(!hint.is_empty() && hint.ends_with(['.', '?', '다', '요', ')']), "{hint}");
            assert!(seen.insert(message.clone()), "twice: {message}");
            if locale == Locale::Ko {
                assert!(message.contains(|character| ('가'..='힣').contains(&character)), "{message}");
                assert!(hint.contains(|character| ('가'..='힣').contains(&character)), "{hint}");
            }
        }
    }
}

#[test]
fn a_banner_is_quoted_and_sent_to_stderr() {
    let detail = Detail::StdoutNoise { noise: Noise::Text, line: "Server starting up!".to_owned() };
    let error = McpError::new(ErrorCode::TransportFailed, Phase::Handshake, detail);
    let text = of(Locale::En);
    assert!(text.error_message(&error).ends_with("a banner or log line: Server starting up!"));
    assert!(text.error_hint(&error).contains("stderr"));
}

#[test]
fn codes_have_sentences_without_details() {
    for code in [
        ErrorCode::ForceCloseTimeout,
        ErrorCode::HttpUnauthorized,
        ErrorCode::HttpSessionLost,
        ErrorCode::CloseFailed,
    ] {
        for locale in [Locale::En, Locale::Ko] {
            let error = McpError::new(code, Phase::Close, Detail::None);
            assert!(!error.message(locale).is_empty() && !error.hint(locale).is_empty());
        }
    }
}
