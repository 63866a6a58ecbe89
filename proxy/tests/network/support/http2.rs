//! HTTP/2 by hyper on both ends of the proxy.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcpeak_core::accepted::Stream;
use mcpeak_proxy::Authority;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use super::client::Client;

pub(crate) struct H2Client {
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
}

impl H2Client {
    /// Through CONNECT and TLS with ALPN `h2`, with hyper's default windows.
    pub(crate) async fn secure(proxy: SocketAddr, authority: &Authority, host: &str) -> Self {
        Self::over(Client::secure(proxy, authority, host, &["h2", "http/1.1"]).await.stream).await
    }

    pub(crate) async fn over(stream: Box<dyn Stream>) -> Self {
        let builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        let (sender, driver) =
            builder.handshake(TokioIo::new(stream)).await.expect("the client's h2 handshake");
        let driver = tokio::spawn(async move {
            let _ = driver.await;
        });
        Self { sender, driver }
    }

    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        self.sender.clone().send_request(request).await
    }

    pub(crate) async fn get(&self, url: &str) -> (http::response::Parts, Bytes, HeaderMap) {
        let request = Request::get(url).body(Full::default()).unwrap();
        collect(self.send(request).await.expect("an answer over h2")).await
    }

    pub(crate) async fn close(self) {
        drop(self.sender);
        self.driver.abort();
        let _ = self.driver.await;
    }
}

pub(crate) async fn collect(response: Response<Incoming>) -> (http::response::Parts, Bytes, HeaderMap) {
    let (parts, body) = response.into_parts();
    let whole = body.collect().await.expect("a whole body over h2");
    let trailers = whole.trailers().cloned().unwrap_or_default();
    (parts, whole.to_bytes(), trailers)
}

/// An upstream that speaks HTTP/2 only.
pub(crate) async fn h2_upstream<F, B>(tls: Arc<rustls::ServerConfig>, respond: F) -> (u16, JoinHandle<()>)
where
    F: Fn(Request<Bytes>) -> Response<B> + Send + Sync + 'static,
    B: hyper::body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let respond = Arc::new(respond);
    let task = tokio::spawn(async move {
        let mut serving = JoinSet::new();
        while let Ok((tcp, _)) = listener.accept().await {
            let (respond, tls) = (Arc::clone(&respond), Arc::clone(&tls));
            serving.spawn(async move {
                let Ok(stream) = tokio_rustls::TlsAcceptor::from(tls).accept(tcp).await else { return };
                assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
                let service = hyper::service::service_fn(move |request: Request<Incoming>| {
                    let respond = Arc::clone(&respond);
                    async move {
                        let (parts, body) = request.into_parts();
                        let body = body.collect().await?.to_bytes();
                        Ok::<_, hyper::Error>(respond(Request::from_parts(parts, body)))
                    }
                });
                let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    (port, task)
}
