//! A real HTTPS API on a loopback port: own authority, both HTTP versions, counters; it can be stopped.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

/// What a request looked like, for the handler.
// Each test target reads some of it.
#[allow(dead_code)]
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    /// The authority of HTTP/2, the `Host` of HTTP/1.1.
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

type Handler = dyn Fn(&Asked) -> Response<Full<Bytes>> + Send + Sync;

/// A running API. Dropping it stops it.
pub(crate) struct Api {
    pub(crate) address: SocketAddr,
    pub(crate) ca_pem: String,
    pub(crate) host: &'static str,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

impl Api {
    /// Starts an API for a host name with a handler.
    pub(crate) fn start(
        host: &'static str,
        handler: impl Fn(&Asked) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let (ca_pem, acceptor) = certificate(host);
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        runtime.spawn(accept(listener, acceptor, Arc::new(handler), connections.clone(), requests.clone()));
        Self { address, ca_pem, host, connections, requests, runtime: Some(runtime) }
    }

    /// The weather of two cities, as the examples ask for it.
    pub(crate) fn weather() -> Self {
        Self::start("api.weather.example", |asked| {
            let city = asked.query.strip_prefix("city=").unwrap_or_default();
            match (asked.path.as_str(), city) {
                ("/v1/weather", "Seoul") => json(
                    200,
                    r#"{"city":{"en":"Seoul","ko":"서울"},"tempC":21,"condition":{"en":"clear","ko":"맑음"}}"#,
                ),
                ("/v1/weather", "Busan") => json(
                    200,
                    r#"{"city":{"en":"Busan","ko":"부산"},"tempC":24,"condition":{"en":"rain","ko":"비"}}"#,
                ),
                _ => json(404, r#"{"error":"unknown"}"#),
            }
        })
    }

    /// Flags that lead the proxy here.
    pub(crate) fn flags(&self, context: &super::Context) -> Vec<String> {
        let ca = context.write("upstream-ca.pem", &self.ca_pem);
        vec![
            "--upstream-ca".to_owned(),
            ca.display().to_string(),
            "--resolve".to_owned(),
            format!("{}:443:{}", self.host, self.address),
        ]
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Closes the port and every connection.
    pub(crate) fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A JSON answer.
pub(crate) fn json(status: u16, body: &'static str) -> Response<Full<Bytes>> {
    text(status, "application/json", body)
}

/// An answer of any type.
pub(crate) fn text(status: u16, content_type: &str, body: &'static str) -> Response<Full<Bytes>> {
    Response::builder()
        .status(status)
        .header("content-type", content_type)
        .body(Full::new(Bytes::from_static(body.as_bytes())))
        .expect("a response")
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    handler: Arc<Handler>,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::SeqCst);
        let (acceptor, handler, requests) = (acceptor.clone(), handler.clone(), requests.clone());
        tokio::spawn(async move {
            let Ok(tls) = acceptor.accept(stream).await else { return };
            let service = service_fn(move |request| answer(request, handler.clone(), requests.clone()));
            let _ =
                auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(tls), service).await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    handler: Arc<Handler>,
    requests: Arc<AtomicUsize>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    requests.fetch_add(1, Ordering::SeqCst);
    let (head, body) = request.into_parts();
    // An upload is taken whole before the answer; what was cut off has no body.
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let named = head.headers.get("host").and_then(|host| host.to_str().ok());
    let asked = Asked {
        host: head.uri.host().or(named).unwrap_or_default().to_owned(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        method: head.method,
        headers: head.headers,
        body,
    };
    Ok(handler(&asked))
}

fn certificate(host: &str) -> (String, TlsAcceptor) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    authority.distinguished_name.push(rcgen::DnType::CommonName, "test authority");
    let issuer =
        CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("an authority");
    let key = KeyPair::generate().expect("a key");
    let mut leaf = CertificateParams::new(vec![host.to_owned()]).expect("a name");
    leaf.use_authority_key_identifier_extension = true;
    let leaf = leaf.signed_by(&key, &issuer).expect("a leaf");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        )
        .expect("a configuration");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    (issuer.pem(), TlsAcceptor::from(Arc::new(config)))
}
