//! The example server's HTTPS client: through `HTTPS_PROXY` where it is set, trusting `SSL_CERT_FILE`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::Request;
use hyper_util::rt::TokioIo;
use mcpeak_core::accepted::Stream;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

const DEADLINE: Duration = Duration::from_secs(10);
const BODY_LIMIT: usize = 1024 * 1024;

/// GETs `https://host{path}` and gives status and body as text.
pub(super) async fn get(host: &'static str, path: &str) -> io::Result<(u16, String)> {
    tokio::time::timeout(DEADLINE, exchange(host, path)).await.map_err(io::Error::other)?
}

async fn exchange(host: &'static str, path: &str) -> io::Result<(u16, String)> {
    let stream: Box<dyn Stream> = match std::env::var("HTTPS_PROXY") {
        Ok(proxy) => Box::new(through(&proxy, host).await?),
        Err(_) => Box::new(TcpStream::connect((host, 443)).await?),
    };
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    let tls = TlsConnector::from(trusting()?).connect(name, stream).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(tls)).await.map_err(io::Error::other)?;
    let request = Request::get(path)
        .header("host", host)
        .header("accept", "application/json")
        .body(Empty::<Bytes>::new())
        .map_err(io::Error::other)?;
    let answer = async {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), BODY_LIMIT).collect().await.map_err(io::Error::other)?;
        Ok((status, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
    };
    let mut answer = std::pin::pin!(answer);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        result = &mut answer => result,
        // The connection may end with the last byte of the answer, before the answer was taken.
        _ = &mut connection => answer.await,
    }
}

/// Opens a tunnel by CONNECT (RFC 9110 section 9.3.6).
async fn through(proxy: &str, host: &str) -> io::Result<TokioIo<hyper::upgrade::Upgraded>> {
    let address = proxy.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let stream = TcpStream::connect(&address).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let driver = tokio::spawn(connection.with_upgrades());
    let request =
        Request::connect(format!("{host}:443")).body(Empty::<Bytes>::new()).map_err(io::Error::other)?;
    let response = sender.send_request(request).await.map_err(io::Error::other)?;
    if !response.status().is_success() {
        driver.abort();
        return Err(io::Error::other(format!("the proxy answered CONNECT with {}", response.status())));
    }
    let upgraded = hyper::upgrade::on(response).await.map_err(io::Error::other)?;
    Ok(TokioIo::new(upgraded))
}

fn trusting() -> io::Result<Arc<rustls::ClientConfig>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
