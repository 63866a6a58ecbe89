//! HTTP/2 on either leg, and from one version to the other.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};

use crate::support::{Client, H2Client, Harness, Reaction, TestCa, Upstream, h2_upstream, within};

fn grpc_answer(
    _request: Request<Bytes>,
) -> Response<http_body_util::combinators::BoxBody<Bytes, std::convert::Infallible>> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("5"));
    trailers.insert("grpc-message", HeaderValue::from_static("not here"));
    let body = Full::new(Bytes::from_static(b"\x00\x00\x00\x00\x02hi"))
        .with_trailers(std::future::ready(Some(Ok(trailers))));
    Response::builder().header("content-type", "application/grpc").body(body.boxed()).unwrap()
}

#[tokio::test]
async fn p1_ten_megabytes_over_h2_with_default_windows() {
    within(async {
        let ca = TestCa::new();
        let body = Bytes::from(vec![7u8; 10 * 1024 * 1024]);
        let sent = body.clone();
        let (port, task) = h2_upstream(ca.server("api.test", &["h2"], false), move |_| {
            Response::new(Full::new(sent.clone()))
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", port);
        let recording = harness.record().await;
        let client = H2Client::secure(recording.address, &harness.authority, "api.test").await;
        let (_, live, _) = client.get("https://api.test/big").await;
        assert!(live == body);
        client.close().await;
        assert_eq!(recording.stop().await.recorded, 1);
        task.abort();
        let replaying = harness.replay().await;
        let client = H2Client::secure(replaying.address, &harness.authority, "api.test").await;
        let (_, replayed, _) = client.get("https://api.test/big").await;
        assert!(replayed == body);
        client.close().await;
        replaying.stop().await;
    })
    .await;
}

#[tokio::test]
async fn p2_p4_p5_h2_and_trailers_end_to_end_and_replayed() {
    within(async {
        let ca = TestCa::new();
        let (port, task) = h2_upstream(ca.server("grpc.test", &["h2"], false), grpc_answer).await;
        let harness = Harness::new().trusting(&ca).resolving("grpc.test", port);
        let request = || {
            Request::post("https://grpc.test/pkg.Service/Method")
                .header("te", "trailers")
                .header("content-type", "application/grpc")
                .body(Full::new(Bytes::from_static(b"\x00\x00\x00\x00\x01q")))
                .unwrap()
        };
        let recording = harness.record().await;
        let client = H2Client::secure(recording.address, &harness.authority, "grpc.test").await;
        let response = client.send(request()).await.unwrap();
        let live = response.headers().clone();
        let whole = response.into_body().collect().await.unwrap();
        assert_eq!(whole.trailers().unwrap().get("grpc-status").unwrap(), "5");
        client.close().await;
        assert_eq!(recording.stop().await.recorded, 1);
        task.abort();

        let replaying = harness.replay().await;
        let client = H2Client::secure(replaying.address, &harness.authority, "grpc.test").await;
        let response = client.send(request()).await.unwrap();
        assert_eq!(response.version(), http::Version::HTTP_2, "p5: the client's offer decides");
        assert_eq!(*response.headers(), live, "h9: nothing is added");
        let whole = response.into_body().collect().await.unwrap();
        let trailers = whole.trailers().unwrap().clone();
        assert_eq!((trailers.get("grpc-status").unwrap().as_bytes(), trailers.len()), (&b"5"[..], 2));
        assert_eq!(whole.to_bytes(), &b"\x00\x00\x00\x00\x02hi"[..]);
        client.close().await;
        replaying.stop().await;
    })
    .await;
}

#[tokio::test]
async fn p5_a_replay_speaks_what_the_client_offers_whatever_was_recorded() {
    within(async {
        let ca = TestCa::new();
        let (port, task) = h2_upstream(ca.server("h2.test", &["h2"], false), |_| {
            Response::new(Full::new(Bytes::from_static(b"two")))
        })
        .await;
        let one = Upstream::tls(&ca, "h1.test", |_| {
            Reaction::Keep(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none".to_vec())
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("h2.test", port).resolving("h1.test", one.port);
        let hosts = [("h2.test", "two"), ("h1.test", "one")];
        let recording = harness.record().await;
        for (host, body) in hosts {
            for _ in 0..2 {
                let client = H2Client::secure(recording.address, &harness.authority, host).await;
                assert_eq!(client.get(&format!("https://{host}/v")).await.1, body);
                client.close().await;
            }
        }
        assert_eq!(recording.stop().await.recorded, 4);
        task.abort();
        one.stop().await;

        // No upstream is there to be asked which versions it has.
        let replaying = harness.replay().await;
        for (host, body) in hosts {
            let client = H2Client::secure(replaying.address, &harness.authority, host).await;
            let (parts, replayed, _) = client.get(&format!("https://{host}/v")).await;
            assert_eq!((parts.version, &replayed[..]), (http::Version::HTTP_2, body.as_bytes()));
            client.close().await;
            let mut client = Client::secure(replaying.address, &harness.authority, host, &["http/1.1"]).await;
            let answer = client.get(host, "/v").await;
            assert_eq!((&answer.head[..15], answer.text().as_str()), ("HTTP/1.1 200 OK", body));
        }
        let report = replaying.stop().await;
        assert_eq!((report.replayed, report.upstream_connections), (4, 0));
    })
    .await;
}

#[tokio::test]
async fn p4_h2_is_offered_although_the_upstream_has_http1_only() {
    within(async {
        let ca = TestCa::new();
        let (sender, mut asked) = tokio::sync::mpsc::unbounded_channel();
        let upstream = Upstream::tls(&ca, "api.test", move |request| {
            sender.send(request).unwrap();
            Reaction::Keep(
                b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nX-Mixed: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n"
                    .to_vec(),
            )
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let recording = harness.record().await;
        let client = H2Client::secure(recording.address, &harness.authority, "api.test").await;
        let request = Request::get("https://api.test/a?b=c").header("cookie", "a=1").header("cookie", "b=2").body(Full::default());
        let response = client.send(request.unwrap()).await.unwrap();
        assert!(response.headers().get("connection").is_none() && response.headers().get("transfer-encoding").is_none());
        assert_eq!(response.headers().get("x-mixed").unwrap(), "1");
        let whole = response.into_body().collect().await.unwrap();
        assert_eq!(whole.trailers().unwrap().get("x-t").unwrap(), "1");
        let request = asked.recv().await.unwrap();
        assert_eq!(request.target(), "/a?b=c");
        assert_eq!(request.field("host"), Some("api.test"));
        assert_eq!(request.field("cookie"), Some("a=1; b=2"));
        client.close().await;
        recording.stop().await;

        // And back: what came over HTTP/1 is replayed to a client of either version.
        let replaying = harness.replay().await;
        let mut client = Client::secure(replaying.address, &harness.authority, "api.test", &["http/1.1"]).await;
        let answer = client.get("api.test", "/a?b=c").await;
        assert_eq!((answer.status(), answer.text().as_str(), answer.trailers.as_str()), (200, "ok", "X-T: 1\r\n"));
        replaying.stop().await;
    })
    .await;
}

#[tokio::test]
async fn p3_protocols_are_sniffed_after_tls_without_alpn() {
    within(async {
        let ca = TestCa::new();
        let (port, task) = h2_upstream(ca.server("grpc.test", &["h2"], false), grpc_answer).await;
        let harness = Harness::new().trusting(&ca).resolving("grpc.test", port);
        let proxy = harness.pass().await;
        // No ALPN, and HTTP/2 with prior knowledge within TLS.
        let client = Client::secure(proxy.address, &harness.authority, "grpc.test", &[]).await;
        let client = H2Client::over(client.stream).await;
        let (parts, _, trailers) = client.get("https://grpc.test/x").await;
        assert_eq!(
            (parts.status.as_u16(), trailers.get("grpc-status").unwrap().as_bytes()),
            (200, &b"5"[..])
        );
        client.close().await;
        proxy.stop().await;
        task.abort();
    })
    .await;
}

#[tokio::test]
async fn a_stream_without_an_answer_is_reset_and_the_connection_lives() {
    within(async {
        let upstream = Upstream::plain(|asked| match asked.target() {
            "/bad" => Reaction::Reset(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".to_vec()),
            _ => Reaction::Keep(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()),
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.pass().await;
        // HTTP/2 with prior knowledge in clear text; the upstream has HTTP/1 only, which it cannot know in advance.
        let client = Client::secure(proxy.address, &harness.authority, "127.0.0.1", &["h2"]).await;
        let client = H2Client::over(client.stream).await;
        let response = client.send(Request::get("http://api.test/none").body(Full::default()).unwrap()).await;
        assert!(response.is_ok_and(|response| response.status().is_server_error()));
        client.close().await;
        proxy.stop().await;
    })
    .await;
}

/// What a client of HTTP/2 gets of an answer that breaks off: status, bytes, and that it broke.
async fn broken_off(client: &H2Client, url: &str) -> (u16, Vec<u8>) {
    let response = client.send(Request::get(url).body(Full::default()).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let (mut body, mut bytes) = (response.into_body(), Vec::new());
    loop {
        match body.frame().await {
            Some(Ok(frame)) => bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
            Some(Err(_)) => return (status, bytes),
            None => panic!("the body must not look whole"),
        }
    }
}

#[tokio::test]
async fn p7_a_client_gets_what_came_before_a_break_over_h2_too() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |asked| {
            let length = match asked.target() {
                "/none" => 0,
                "/part" => 4,
                // More than the windows and buffers on the way hold.
                _ => 3 * 1024 * 1024,
            };
            let mut bytes = b"HTTP/1.1 203 Fine\r\nX-A: b\r\nContent-Length: 9999999\r\n\r\n".to_vec();
            bytes.extend(std::iter::repeat_n(b'x', length));
            Reaction::Close(bytes)
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let expected = [("none", 0), ("part", 4), ("much", 3 * 1024 * 1024)];
        let recording = harness.record().await;
        let client = H2Client::secure(recording.address, &harness.authority, "api.test").await;
        for (path, length) in expected {
            let (status, bytes) = broken_off(&client, &format!("https://api.test/{path}")).await;
            assert_eq!((status, bytes.len()), (203, length), "live {path}");
        }
        client.close().await;
        assert_eq!(recording.stop().await.recorded, 3);
        upstream.stop().await;

        let replaying = harness.replay().await;
        let client = H2Client::secure(replaying.address, &harness.authority, "api.test").await;
        for (path, length) in expected {
            let (status, bytes) = broken_off(&client, &format!("https://api.test/{path}")).await;
            assert_eq!((status, bytes.len()), (203, length), "replayed {path}");
        }
        client.close().await;
        replaying.stop().await;
    })
    .await;
}
