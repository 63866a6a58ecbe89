//! A hyper server whose answers a test decides, and what it was asked.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Seen {
    /// The JSON-RPC method; for replies `reply`.
    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or("reply")
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// How a stream goes on after its events.
#[derive(Clone, Copy)]
pub(crate) enum End {
    Close,
    Hang,
    Cut,
}

/// What a request gets.
pub(crate) enum Answer {
    Json(u16, Value),
    JsonWith(u16, Vec<(&'static str, String)>, Value),
    Events(Vec<String>, End),
    Raw(u16, &'static str, String),
    Accepted,
    Never,
}

/// An event with a message.
pub(crate) fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// The reply to a request.
pub(crate) fn result(request: &Seen, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result})
}

/// The error to a request.
pub(crate) fn error(request: &Seen, code: i64, data: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request.body["id"], "error": {"code": code, "message": "no", "data": data}})
}

/// What a legacy server does beyond its peculiarities.
pub(crate) fn legacy(request: &Seen) -> Answer {
    match request.rpc() {
        "initialize" => Answer::Json(
            200,
            result(
                request,
                &json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "h", "version": "1"}}),
            ),
        ),
        "tools/list" => Answer::Json(
            200,
            result(request, &json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})),
        ),
        "tools/call" => Answer::Json(200, result(request, &json!({"content": []}))),
        "server/discover" => Answer::Json(
            400,
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "not initialized"}}),
        ),
        _ => Answer::Accepted,
    }
}

type Handler = dyn Fn(&Seen) -> Answer + Send + Sync;

pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    seen: watch::Sender<Vec<Seen>>,
    connections: Arc<AtomicUsize>,
    tasks: JoinSet<()>,
}

impl TestServer {
    pub(crate) async fn start(handler: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_with(None, handler).await
    }

    pub(crate) async fn start_with(
        tls: Option<TlsAcceptor>,
        handler: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = watch::Sender::new(Vec::new());
        let mut tasks = JoinSet::new();
        let connections = Arc::new(AtomicUsize::new(0));
        tasks.spawn(accept(listener, tls, Arc::new(handler), seen.clone(), Arc::clone(&connections)));
        Self { address, seen, connections, tasks }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.borrow().clone()
    }

    /// How many connections were opened.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn methods(&self) -> Vec<String> {
        let seen = self.seen();
        seen.iter()
            .map(
                |seen| {
                    if seen.method == Method::DELETE { "DELETE".to_owned() } else { seen.rpc().to_owned() }
                },
            )
            .collect()
    }

    /// Waits until a request came that fulfils the condition.
    pub(crate) async fn wait_for(&self, condition: impl Fn(&Seen) -> bool) -> Seen {
        let mut seen = self.seen.subscribe();
        let arrived = seen.wait_for(|seen| seen.iter().any(&condition));
        let arrived = tokio::time::timeout(Duration::from_secs(20), arrived).await.expect("it did not come");
        arrived.unwrap().iter().find(|seen| condition(seen)).unwrap().clone()
    }

    pub(crate) async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    handler: Arc<Handler>,
    seen: watch::Sender<Vec<Seen>>,
    count: Arc<AtomicUsize>,
) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        count.fetch_add(1, Ordering::Relaxed);
        let (tls, handler, seen) = (tls.clone(), Arc::clone(&handler), seen.clone());
        connections.spawn(async move {
            match tls {
                None => serve(stream, handler, seen).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, handler, seen).await;
                    }
                }
            }
        });
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    handler: Arc<Handler>,
    seen: watch::Sender<Vec<Seen>>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let (handler, seen) = (Arc::clone(&handler), seen.clone());
        async move {
            let (parts, body) = request.into_parts();
            let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            let request = Seen {
                method: parts.method,
                path: parts.uri.to_string(),
                headers: parts.headers,
                body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            };
            seen.send_modify(|seen| seen.push(request.clone()));
            Ok::<_, Infallible>(respond(handler(&request)).await)
        }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(answer: Answer) -> Response<BoxBody<Bytes, std::io::Error>> {
    let full = |body: String| Full::new(Bytes::from(body)).map_err(|never| match never {}).boxed();
    let builder = Response::builder();
    match answer {
        Answer::Json(status, body) => {
            builder.status(status).header("content-type", "application/json").body(full(body.to_string()))
        }
        Answer::JsonWith(status, headers, body) => {
            let mut builder =
                builder.status(status).header("content-type", "application/json; charset=utf-8");
            for (name, value) in headers {
                builder = builder.header(name, value);
            }
            builder.body(full(body.to_string()))
        }
        Answer::Events(events, end) => {
            let frames = stream::iter(events).map(|event| Ok(Frame::data(Bytes::from(event))));
            let rest = match end {
                End::Close => stream::empty().boxed(),
                End::Hang => stream::pending().boxed(),
                End::Cut => stream::iter([Err(std::io::Error::other("cut"))]).boxed(),
            };
            let body = BodyExt::boxed(StreamBody::new(SyncStream(Mutex::new(frames.chain(rest).boxed()))));
            builder.header("content-type", "text/event-stream").body(body)
        }
        Answer::Raw(status, kind, body) => {
            builder.status(status).header("content-type", kind).body(full(body))
        }
        Answer::Accepted => builder.status(202).body(full(String::new())),
        Answer::Never => std::future::pending().await,
    }
    .unwrap()
}

/// `BoxBody` wants `Sync`, which boxed streams are not.
struct SyncStream(Mutex<stream::BoxStream<'static, Result<Frame<Bytes>, std::io::Error>>>);

impl futures_util::Stream for SyncStream {
    type Item = Result<Frame<Bytes>, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.get_mut().unwrap().poll_next_unpin(context)
    }
}
