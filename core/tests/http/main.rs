//! The client against Streamable HTTP servers that keep to the protocol, or break it.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::Method;
use mcpeak_core::client::{ConnectError, ConnectOptions, Connection, EraChoice, ServerFacts, connect};
use mcpeak_core::error::{ConnectionLost, Detail, ErrorCode, McpError, Phase};
use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;
use mcpeak_core::target::{Endpoint, HttpTarget, Target};
use mcpeak_core::wire::{Era, Rule};
use serde_json::{Map, Value, json};

use server::{Answer, End, Seen, TestServer, error, event, legacy, result};

const PATIENCE: Duration = Duration::from_secs(40);

fn target(url: &str) -> Target {
    Target::http(Endpoint::parse(url).unwrap())
}

fn options() -> ConnectOptions {
    ConnectOptions { connect_timeout: PATIENCE, ..ConnectOptions::default() }
}

async fn open(server: &TestServer) -> Box<dyn Connection> {
    connect(&target(&server.url()), options()).await.unwrap()
}

/// A legacy server with another answer to `tools/call`.
async fn call_error(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> McpError {
    let server =
        TestServer::start(move |seen| if seen.rpc() == "tools/call" { answer(seen) } else { legacy(seen) })
            .await;
    let connection = open(&server).await;
    let before = Instant::now();
    let error = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap_err();
    assert!(before.elapsed() < PATIENCE / 2, "it was waited for");
    connection.close().await;
    server.stop().await;
    error
}

async fn connect_error(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> ConnectError {
    let server = TestServer::start(answer).await;
    let error = connect(&target(&server.url()), options()).await.err().unwrap();
    server.stop().await;
    error
}

fn modern(seen: &Seen) -> Answer {
    let complete = |value: Value| {
        let mut value = value;
        value["resultType"] = json!("complete");
        Answer::Json(200, result(seen, &value))
    };
    match seen.rpc() {
        "server/discover" => complete(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})),
        "tools/list" => complete(json!({"tools": [
            {"name": "a", "inputSchema": {"type": "object", "properties":
                {"region": {"type": "string", "x-mcp-header": "Region"}}}},
            {"name": "bad", "inputSchema": {"type": "object", "properties":
                {"x": {"type": "number", "x-mcp-header": "X"}}}},
        ]})),
        "tools/call" => complete(json!({"content": []})),
        _ => Answer::Json(404, error(seen, -32601, &Value::Null)),
    }
}

#[tokio::test]
async fn a_stateful_legacy_server() {
    let server = TestServer::start(|seen| match legacy(seen) {
        Answer::Json(200, body) if seen.rpc() == "initialize" => {
            Answer::JsonWith(200, vec![("Mcp-Session-Id", "s-1".to_owned())], body)
        }
        other => other,
    })
    .await;
    let mut http = HttpTarget { endpoint: Endpoint::parse(&server.url()).unwrap(), headers: Vec::new() };
    http.headers.push(("authorization".to_owned(), Secret::new("Bearer hunter2".to_owned())));
    let connection = connect(&Target::Http(http), options()).await.unwrap();
    assert_eq!(connection.negotiated().unwrap().era(), Era::Legacy);
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap();
    let facts = connection.close().await.facts;
    assert_eq!(
        facts,
        ServerFacts::Http { url: server.url(), status: Some(200), session_id: Some("s-1".to_owned()) }
    );
    assert_eq!(
        server.methods(),
        ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call", "DELETE"]
    );
    for seen in server.seen() {
        assert_eq!(seen.header("authorization"), "Bearer hunter2");
        assert_eq!(seen.path, "/mcp");
        if seen.method == Method::POST {
            assert_eq!(seen.header("accept"), "application/json, text/event-stream");
        }
    }
    for seen in &server.seen()[2..] {
        assert_eq!(seen.header("mcp-session-id"), "s-1");
        assert_eq!(seen.header("mcp-protocol-version"), "2025-11-25");
        assert_eq!(seen.header("mcp-method"), "");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_stateless_server_gets_no_delete() {
    let server = TestServer::start(legacy).await;
    let connection = connect(&target(&server.url()), ConnectOptions { era: EraChoice::Legacy, ..options() })
        .await
        .unwrap();
    connection.close().await;
    assert_eq!(server.methods(), ["initialize", "notifications/initialized"]);
    assert_eq!(server.connections(), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_modern_server_gets_its_headers() {
    let server = TestServer::start(modern).await;
    let connection = open(&server).await;
    assert_eq!(connection.negotiated().unwrap().era(), Era::Modern);
    let arguments = Map::from_iter([("region".to_owned(), json!("서울"))]);
    connection.call_tool("a", &arguments, PATIENCE).await.unwrap();
    let refused = connection.call_tool("bad", &Map::new(), PATIENCE).await.unwrap_err();
    assert!(matches!(&refused.detail, Detail::Protocol(violation) if violation.rule == Rule::ParamHeader));
    let missing = connection.request("nope/nope", Map::new(), PATIENCE).await.unwrap_err();
    assert!(matches!(missing.detail, Detail::JsonRpcError { code: -32601, .. }), "{missing:?}");
    connection.close().await;
    // The list is fetched for the annotations, and there is no session to end.
    assert_eq!(server.methods(), ["server/discover", "tools/list", "tools/call", "nope/nope"]);
    for seen in server.seen() {
        assert_eq!(seen.header("mcp-protocol-version"), "2026-07-28");
        assert_eq!(seen.header("mcp-method"), seen.rpc());
        let meta = &seen.body["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"], json!({"name": "mcpeak", "version": "0.0.0"}));
    }
    let call = server.wait_for(|seen| seen.rpc() == "tools/call").await;
    assert_eq!(call.header("mcp-name"), "a");
    assert_eq!(call.header("mcp-param-region"), "=?base64?7ISc7Jq4?=");
    server.stop().await;
}

#[tokio::test]
async fn an_answer_on_a_stream_among_other_messages() {
    let server = TestServer::start(|seen| {
        if seen.rpc() != "tools/call" {
            return legacy(seen);
        }
        let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
        let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
        let answer = result(seen, &json!({"content": [], "structuredContent": {"n": 1}}));
        let events =
            vec!["id: 1\ndata:\n\n: alive\r\n\r\n".to_owned(), event(&log), event(&ping), event(&answer)];
        Answer::Events(events, End::Hang)
    })
    .await;
    let connection = open(&server).await;
    let result = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap();
    assert_eq!(result.structured_content().unwrap()["n"], 1);
    let reply = server.wait_for(|seen| seen.body["id"] == "p").await;
    assert_eq!(reply.body["result"], json!({}));
    connection.close().await;
    server.stop().await;
}

#[tokio::test]
async fn streams_that_end_early_are_described() {
    let log = event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}));
    let events = vec![log];
    let ended = events.clone();
    let error = call_error(move |_| Answer::Events(ended.clone(), End::Close)).await;
    assert_eq!(error.code, ErrorCode::OperationFailed);
    assert_eq!(error.detail, Detail::StreamEnded("tools/call".to_owned()));
    let error = call_error(move |_| Answer::Events(events.clone(), End::Cut)).await;
    assert_eq!(error.connection_lost(), Some(ConnectionLost::TransportFailed));
    let error = call_error(|_| Answer::Events(vec!["data: {nope\n\n".to_owned()], End::Hang)).await;
    assert_eq!(error.code, ErrorCode::HttpResponseInvalid);
    assert!(matches!(error.detail, Detail::Protocol(violation) if violation.rule == Rule::EventData));
}

#[tokio::test]
async fn bodies_that_are_no_answers() {
    let error = call_error(|_| Answer::Raw(200, "text/html", "<html>".to_owned())).await;
    assert_eq!(
        (error.code, &error.detail),
        (ErrorCode::HttpResponseInvalid, &Detail::ContentType("text/html".to_owned()))
    );
    let error = call_error(|_| Answer::Raw(200, "application/json", "{".to_owned())).await;
    assert!(matches!(error.detail, Detail::Protocol(violation) if violation.rule == Rule::BodyMessage));
    let error = call_error(|_| Answer::Accepted).await;
    assert_eq!(error.code, ErrorCode::HttpResponseInvalid);
    let error = call_error(|seen| {
        let mut reply = result(seen, &json!({"content": []}));
        reply["id"] = json!(reply["id"].to_string());
        Answer::Json(200, reply)
    })
    .await;
    assert!(matches!(error.detail, Detail::Protocol(violation) if violation.rule == Rule::IdType));
    let error = call_error(|_| Answer::Raw(200, "application/json", "x".repeat(11 << 20))).await;
    assert!(matches!(error.detail, Detail::TooLarge { .. }));
}

#[tokio::test]
async fn statuses_have_their_codes() {
    for (status, code) in [(401, ErrorCode::HttpUnauthorized), (403, ErrorCode::HttpUnauthorized)] {
        let error = connect_error(move |_| Answer::Raw(status, "text/plain", "no".to_owned())).await;
        assert_eq!((error.error.code, error.error.phase), (code, Phase::Handshake));
        assert!(matches!(error.facts, ServerFacts::Http { status: Some(seen), .. } if seen == status));
    }
    let error = connect_error(|_| Answer::Raw(503, "text/plain", "busy".to_owned())).await.error;
    assert_eq!(
        error.detail,
        Detail::HttpStatus { status: 503, reason: "Service Unavailable".to_owned(), body: "busy".to_owned() }
    );
    let error = connect_error(|_| {
        Answer::JsonWith(307, vec![("location", "/elsewhere?key=hunter2".to_owned())], Value::Null)
    })
    .await
    .error;
    assert_eq!(error.code, ErrorCode::HttpStatusError);
    let Detail::Redirect { location, .. } = &error.detail else { panic!("{error:?}") };
    assert!(location.ends_with("/elsewhere"), "{location}");
}

#[tokio::test]
async fn a_lost_session_is_named() {
    let error = {
        let server = TestServer::start(|seen| match (seen.rpc(), legacy(seen)) {
            ("initialize", Answer::Json(200, body)) => {
                Answer::JsonWith(200, vec![("Mcp-Session-Id", "s-1".to_owned())], body)
            }
            ("tools/call", _) => Answer::Json(404, json!({})),
            (_, other) => other,
        })
        .await;
        let connection = open(&server).await;
        let error = connection.call_tool("a", &Map::new(), PATIENCE).await.unwrap_err();
        connection.close().await;
        server.stop().await;
        error
    };
    assert_eq!(error.connection_lost(), Some(ConnectionLost::HttpSessionLost));
}

#[tokio::test]
async fn discover_refused_by_version_leads_to_the_handshake_or_to_a_sentence() {
    let server = TestServer::start(|seen| match seen.rpc() {
        "server/discover" => Answer::Json(400, error(seen, -32022, &json!({"supported": ["2025-11-25"]}))),
        _ => legacy(seen),
    })
    .await;
    let connection = open(&server).await;
    assert_eq!(connection.negotiated().unwrap().era(), Era::Legacy);
    connection.close().await;
    server.stop().await;
    let failed = connect_error(|seen| Answer::Json(400, error(seen, -32020, &Value::Null))).await.error;
    assert!(matches!(failed.detail, Detail::JsonRpcError { code: -32020, .. }), "{failed:?}");
}

#[tokio::test]
async fn a_deadline_cancels_in_the_legacy_era_only() {
    let never = |of: fn(&Seen) -> Answer| {
        move |seen: &Seen| if seen.rpc() == "tools/call" { Answer::Never } else { of(seen) }
    };
    let server = TestServer::start(never(legacy)).await;
    let connection = open(&server).await;
    let error = connection.call_tool("a", &Map::new(), Duration::from_millis(150)).await.unwrap_err();
    assert!(error.is_timeout());
    let cancelled = server.wait_for(|seen| seen.rpc() == "notifications/cancelled").await;
    let call = server.wait_for(|seen| seen.rpc() == "tools/call").await;
    assert_eq!(cancelled.body["params"]["requestId"], call.body["id"]);
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.close().await;
    server.stop().await;

    let server = TestServer::start(never(modern)).await;
    let connection = open(&server).await;
    let error = connection.call_tool("a", &Map::new(), Duration::from_millis(400)).await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    connection.close().await;
    assert!(!server.methods().contains(&"notifications/cancelled".to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://{address}/mcp?key=hunter2");
    let ConnectError { error, facts } = connect(&target(&url), options()).await.err().unwrap();
    assert_eq!((error.code, error.phase), (ErrorCode::HttpConnectFailed, Phase::Connect));
    let Detail::Io { kind, .. } = &error.detail else { panic!("{error:?}") };
    assert_eq!(*kind, std::io::ErrorKind::ConnectionRefused);
    assert!(!format!("{error:?} {} {facts:?}", error.message(Locale::En)).contains("hunter2"));
}

#[tokio::test]
async fn no_handshake_in_time() {
    let server = TestServer::start(|_| Answer::Never).await;
    let short = ConnectOptions { connect_timeout: Duration::from_millis(600), ..ConnectOptions::default() };
    let error = connect(&target(&server.url()), short).await.err().unwrap().error;
    assert_eq!(error.code, ErrorCode::HttpHandshakeTimeout);
    server.stop().await;
}

#[tokio::test]
async fn a_connection_that_died_idle_is_replaced() {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let server = TestServer::start(move |seen| match legacy(seen) {
        Answer::Json(200, body) => {
            counter.fetch_add(1, Ordering::Relaxed);
            Answer::JsonWith(200, vec![("connection", "close".to_owned())], body)
        }
        other => other,
    })
    .await;
    let connection = open(&server).await;
    for _ in 0..5 {
        connection.list_tools(PATIENCE).await.unwrap();
    }
    assert_eq!(count.load(Ordering::Relaxed), 6);
    connection.close().await;
    server.stop().await;
}

#[tokio::test]
async fn https_needs_a_trusted_root() {
    let key = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let certificate = key.cert.der().clone();
    let private = rustls_pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], private)
            .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let server = TestServer::start_with(Some(acceptor), legacy).await;
    let url = format!("https://localhost:{}/mcp", server.address.port());
    let error = connect(&target(&url), options()).await.err().unwrap().error;
    assert_eq!(error.code, ErrorCode::HttpConnectFailed);
    assert!(matches!(&error.detail, Detail::Tls { host, .. } if host == "localhost"), "{error:?}");
    let trusting = ConnectOptions { extra_roots: vec![certificate], ..options() };
    let connection = connect(&target(&url), trusting).await.unwrap();
    assert_eq!(connection.list_tools(PATIENCE).await.unwrap().len(), 1);
    connection.close().await;
    server.stop().await;
}
