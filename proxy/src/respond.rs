//! The proxy's own answers, all in one place. None of them is ever recorded.

use bytes::Bytes;
use serde_json::json;

use crate::exchange::{FailureKind, Framing, Headers, Origin, ResponseHead, Version};
use crate::http1::HeadError;
use crate::matching::Miss;
use crate::message::{Body, Reply, Response};
use crate::route::RouteError;

/// Marks an answer as the proxy's own, so that nobody takes it for the upstream's.
const KIND: &str = "mcpeak-proxy-error";

/// A request without a recording (status 599).
pub(crate) fn miss(miss: &Miss) -> Reply {
    answer(Miss::STATUS, "Not Recorded", Miss::CONTENT_TYPE, miss.body())
}

/// A request that cannot be read (400 or 431).
pub(crate) fn bad_request(error: &HeadError) -> Reply {
    let status = if matches!(error, HeadError::TooLarge(_)) { 431 } else { 400 };
    own(status, &error.to_string(), "send well-formed HTTP; the head may have 64 KiB")
}

/// A request that names no place to go (400).
pub(crate) fn unroutable(error: RouteError) -> Reply {
    own(400, &error.to_string(), "use this address as an HTTP proxy, or send a Host field")
}

/// A method or a protocol that is not served (501).
pub(crate) fn unsupported(what: &str) -> Reply {
    own(501, what, "use HTTP/1.1 CONNECT, or no tunnel at all")
}

/// An upstream that gave no answer: 502 or 504 with the kind, or, as the upstream did, an end without an answer. The same while
/// recording and in replay, so that a server under test cannot tell them apart; the details of the moment go to the report.
pub(crate) fn upstream_failed(kind: FailureKind, origin: &Origin) -> Reply {
    let (status, what, hint) = match kind {
        FailureKind::Dns => {
            (502, "the name has no address", "check the name, or give --resolve host:port:address")
        }
        FailureKind::Refused => {
            (502, "no connection to the upstream", "check that it runs and can be reached from here")
        }
        FailureKind::Tls => (
            502,
            "no TLS session with the upstream",
            "trust its CA with --upstream-ca, or give --upstream-insecure HOST",
        ),
        FailureKind::Timeout => {
            (504, "the upstream did not answer in time", "check the upstream, or try again")
        }
        FailureKind::Reset => return Reply::Abort,
    };
    own(status, &format!("{origin}: {what}"), hint)
}

/// The page behind the proxy's own address.
pub(crate) fn own_page(path: &str, certificate_pem: &str) -> Reply {
    match path {
        "/ca.pem" => {
            let pem = Bytes::copy_from_slice(certificate_pem.as_bytes());
            answer(200, "OK", "application/x-pem-file", pem)
        }
        "/" => {
            const PAGE: &str = "This is the mcpeak proxy.\n\nUse its address as HTTP_PROXY and HTTPS_PROXY.\n\
                                GET /ca.pem gives the certificate that clients must trust.\n";
            answer(200, "OK", "text/plain; charset=utf-8", Bytes::from_static(PAGE.as_bytes()))
        }
        _ => own(404, "the proxy itself serves / and /ca.pem only", "send requests through it, not to it"),
    }
}

/// An answer with a body that is there.
pub(crate) fn answer(status: u16, reason: &str, content_type: &str, body: Bytes) -> Reply {
    let mut headers = Headers::new();
    headers.push("Content-Type", content_type.to_owned());
    headers.push("Content-Length", body.len().to_string());
    let head = ResponseHead {
        status,
        reason: Some(reason.to_owned()),
        version: Version::Http11,
        headers,
        framing: Framing::ContentLength,
    };
    Reply::Response(Response { head, body: Body::Full(body) })
}

fn own(status: u16, what: &str, hint: &str) -> Reply {
    let reason = http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
    let body = json!({ "kind": KIND, "what": what, "hint": hint }).to_string();
    answer(status, reason.unwrap_or_default(), "application/json", body.into())
}
