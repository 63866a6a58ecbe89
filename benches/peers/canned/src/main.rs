//! `canned ADDRESS CA_PEM LENGTH`: hudsucker 0.25 with a fixed JSON answer in its handler and nothing behind it.
//!
//! No proxy in Rust that looks anything up can be much faster than this one, which looks nothing up. It writes its CA
//! certificate to `CA_PEM` before it listens, and runs until SIGINT.

use hudsucker::certificate_authority::RcgenAuthority;
use hudsucker::hyper::body::Bytes;
use hudsucker::hyper::header::{CONTENT_TYPE, HeaderValue};
use hudsucker::hyper::{Method, Request, Response};
use hudsucker::rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use hudsucker::rustls::crypto::aws_lc_rs;
use hudsucker::{Body, HttpContext, HttpHandler, Proxy, RequestOrResponse};
use std::error::Error;
use std::net::SocketAddr;

/// As many leaf configurations as hudsucker's own examples keep.
const CACHED_LEAVES: u64 = 1_000;

#[derive(Clone)]
struct Canned {
    body: Bytes,
}

impl HttpHandler for Canned {
    async fn handle_request(&mut self, _context: &HttpContext, request: Request<Body>) -> RequestOrResponse {
        if request.method() == Method::CONNECT {
            return request.into();
        }
        let mut response = Response::new(Body::from(self.body.clone()));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.into()
    }
}

/// A JSON object of exactly `length` bytes.
fn answer(length: usize) -> Result<Bytes, String> {
    let (head, tail) = (r#"{"id":1,"name":""#, r#""}"#);
    let padding = length.checked_sub(head.len() + tail.len()).ok_or("LENGTH is too small for the answer")?;
    Ok(Bytes::from(format!("{head}{}{tail}", "x".repeat(padding))))
}

fn authority(ca_pem: &str) -> Result<RcgenAuthority, Box<dyn Error>> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate()?;
    std::fs::write(ca_pem, params.self_signed(&key)?.pem())?;
    Ok(RcgenAuthority::new(Issuer::new(params, key), CACHED_LEAVES, aws_lc_rs::default_provider()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, ca_pem, length] = arguments.as_slice() else {
        return Err("usage: canned ADDRESS CA_PEM LENGTH".into());
    };
    let canned = Canned { body: answer(length.parse()?)? };
    let proxy = Proxy::builder()
        .with_addr(address.parse::<SocketAddr>()?)
        .with_ca(authority(ca_pem)?)
        .with_rustls_connector(aws_lc_rs::default_provider())
        .with_http_handler(canned)
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .build()?;
    Ok(proxy.start().await?)
}
