//! The way to the origin: TCP to the proxy, CONNECT, TLS.

use crate::settings::Settings;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A proxy's answer to CONNECT is longer than this only when something is wrong.
const CONNECT_ANSWER_LIMIT: usize = 4_096;

/// How connections to the origin are made.
#[derive(Clone)]
pub(crate) struct Route {
    proxy: SocketAddr,
    tunnel: Option<Tunnel>,
}

#[derive(Clone)]
struct Tunnel {
    connect: Arc<str>,
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// A connection to the origin.
pub(crate) enum Link {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Route {
    pub(crate) fn new(settings: &Settings) -> Result<Self, Box<dyn Error>> {
        let tunnel = match &settings.ca {
            None => None,
            Some(ca) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_file(ca)?)?;
                let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                    .with_safe_default_protocol_versions()?
                    .with_root_certificates(roots)
                    .with_no_client_auth();
                config.alpn_protocols =
                    vec![if settings.http2 { b"h2".to_vec() } else { b"http/1.1".to_vec() }];
                // A new connection is to cost what a client seen for the first time costs.
                config.resumption = Resumption::disabled();
                let authority = format!("{}:443", settings.host);
                Some(Tunnel {
                    connect: format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n").into(),
                    connector: TlsConnector::from(Arc::new(config)),
                    name: ServerName::try_from(settings.host.clone())?,
                })
            }
        };
        Ok(Self { proxy: settings.proxy, tunnel })
    }

    pub(crate) async fn open(&self) -> io::Result<Link> {
        let mut stream = TcpStream::connect(self.proxy).await?;
        stream.set_nodelay(true)?;
        let Some(tunnel) = &self.tunnel else { return Ok(Link::Plain(stream)) };
        stream.write_all(tunnel.connect.as_bytes()).await?;
        read_connect_answer(&mut stream).await?;
        let stream = tunnel.connector.connect(tunnel.name.clone(), stream).await?;
        Ok(Link::Tls(Box::new(stream)))
    }
}

/// Reads up to the empty line; the proxy sends nothing further before the ClientHello.
async fn read_connect_answer(stream: &mut TcpStream) -> io::Result<()> {
    let mut answer = Vec::with_capacity(256);
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() > CONNECT_ANSWER_LIMIT || stream.read_buf(&mut answer).await? == 0 {
            return Err(io::Error::other("the answer to CONNECT does not end"));
        }
    }
    if !answer.starts_with(b"HTTP/1.1 200") && !answer.starts_with(b"HTTP/1.0 200") {
        return Err(io::Error::other(format!("CONNECT refused: {}", answer.escape_ascii())));
    }
    Ok(())
}
