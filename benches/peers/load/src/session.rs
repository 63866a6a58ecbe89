//! One HTTP connection and the exchanges on it.

use crate::settings::Settings;
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::header::{ACCEPT, HOST, HeaderValue};
use hyper::http::uri::InvalidUri;
use hyper::{Request, Response, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::future::Future;
use tokio::io::{AsyncRead, AsyncWrite};

/// The requests, made ready once, and what a right answer looks like.
pub(crate) struct Targets {
    uris: Vec<Uri>,
    host: Option<HeaderValue>,
    length: usize,
}

/// Sends requests on an open connection.
pub(crate) enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

/// What came back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status 200 and the length that was asked for.
    pub(crate) right: bool,
}

impl Targets {
    pub(crate) fn new(settings: &Settings) -> Result<Self, InvalidUri> {
        let host = &settings.host;
        let prefix = match (&settings.ca, settings.http2) {
            (None, _) => format!("http://{host}"),
            (Some(_), true) => format!("https://{host}"),
            (Some(_), false) => String::new(),
        };
        Ok(Self {
            uris: (0..settings.paths)
                .map(|item| format!("{prefix}/items/{item}").parse())
                .collect::<Result<_, _>>()?,
            // HTTP/2 has `:authority` for it.
            host: if settings.http2 { None } else { HeaderValue::from_str(host).ok() },
            length: settings.length,
        })
    }

    fn request(&self, index: usize) -> Request<Empty<Bytes>> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = self.uris[index % self.uris.len()].clone();
        if let Some(host) = &self.host {
            request.headers_mut().insert(HOST, host.clone());
        }
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        request
    }

    async fn check(&self, response: Response<Incoming>) -> hyper::Result<Answer> {
        let status = response.status().as_u16();
        let mut body = response.into_body();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            if let Some(data) = frame?.data_ref() {
                length += data.len();
            }
        }
        Ok(Answer { status, right: status == 200 && length == self.length })
    }
}

impl Sender {
    /// One exchange, its body read to the end.
    pub(crate) async fn get(&mut self, targets: &Targets, index: usize) -> hyper::Result<Answer> {
        let request = targets.request(index);
        let response = match self {
            Self::Http1(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Self::Http2(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
        };
        targets.check(response).await
    }
}

/// Starts HTTP on `io` and lets `work` use it. The connection is driven by the same task, so that an exchange costs no
/// wake-up of another thread, and ends when `work` does.
pub(crate) async fn with_sender<I, W, F>(io: I, http2: bool, work: W) -> hyper::Result<F::Output>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    W: FnOnce(Sender) -> F,
    F: Future,
{
    let io = TokioIo::new(io);
    if http2 {
        let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
        drive(connection, work(Sender::Http2(sender))).await
    } else {
        let (sender, connection) = http1::handshake(io).await?;
        drive(connection, work(Sender::Http1(sender))).await
    }
}

/// A connection that ends first is left to `work` to notice: its next request fails with the reason.
async fn drive<C, F>(connection: C, work: F) -> hyper::Result<F::Output>
where
    C: Future<Output = hyper::Result<()>>,
    F: Future,
{
    tokio::pin!(connection, work);
    tokio::select! {
        output = &mut work => Ok(output),
        ended = &mut connection => {
            ended?;
            Ok(work.await)
        }
    }
}
