//! The example's weather API: real HTTPS on a loopback port, with an authority of its own.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A running API.
pub(super) struct Api {
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// Its authority, for `--upstream-ca`.
    pub(super) ca_pem: String,
    requests: Arc<AtomicUsize>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Api {
    /// Starts it for a host name.
    pub(super) async fn start(host: &'static str) -> io::Result<Self> {
        let (ca_pem, acceptor) = certificate(host)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let requests = Arc::new(AtomicUsize::new(0));
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        tasks.spawn(accept(listener, acceptor, requests.clone(), stop.clone(), tasks.clone()));
        Ok(Self { address, ca_pem, requests, stop, tasks })
    }

    /// How many requests it has answered.
    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Stops it: the port is closed when this returns.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    requests: Arc<AtomicUsize>,
    stop: CancellationToken,
    tasks: TaskTracker,
) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else { continue };
        let (acceptor, requests, stop) = (acceptor.clone(), requests.clone(), stop.clone());
        tasks.spawn(async move {
            let serve = async {
                // A client that breaks off is none of the API's business.
                let Ok(tls) = acceptor.accept(stream).await else { return };
                let service = service_fn(move |request| {
                    let response = answer(&request, &requests);
                    async move { Ok::<_, Infallible>(response) }
                });
                let _ = auto::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(tls), service)
                    .await;
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = serve => {}
            }
        });
    }
}

fn answer(request: &Request<Incoming>, requests: &AtomicUsize) -> Response<Full<Bytes>> {
    requests.fetch_add(1, Ordering::SeqCst);
    let city = request
        .uri()
        .query()
        .and_then(|query| url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "city"))
        .map(|(_, city)| city.into_owned());
    let (status, body) = match city.as_deref() {
        Some("Seoul") => (200, r#"{"city":"Seoul","tempC":21,"sky":"clear"}"#),
        Some("Busan") => (200, r#"{"city":"Busan","tempC":24,"sky":"rain"}"#),
        _ => (404, r#"{"error":"unknown city"}"#),
    };
    let mut response = Response::new(Full::new(Bytes::from_static(body.as_bytes())));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    response
        .headers_mut()
        .insert("content-type", hyper::header::HeaderValue::from_static("application/json"));
    response
}

fn certificate(host: &str) -> io::Result<(String, TlsAcceptor)> {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    authority.distinguished_name.push(rcgen::DnType::CommonName, "weather API of the mcpeak demonstration");
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().map_err(io::Error::other)?)
        .map_err(io::Error::other)?;
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let mut leaf = CertificateParams::new(vec![host.to_owned()]).map_err(io::Error::other)?;
    leaf.use_authority_key_identifier_extension = true;
    let leaf = leaf.signed_by(&key, &issuer).map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        )
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((issuer.pem(), TlsAcceptor::from(Arc::new(config))))
}
