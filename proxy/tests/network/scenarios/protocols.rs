//! Streams, TLS, HTTP/2 and gRPC.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};

use super::get;
use crate::support::{Client, H2Client, Harness, Reaction, TestCa, Upstream, h2_upstream, within};

#[tokio::test]
async fn events_arrive_one_by_one_while_recording_and_whole_in_replay() {
    within(async {
        let (parts, receiver) = tokio::sync::mpsc::channel(1);
        let receiver = std::sync::Mutex::new(Some(receiver));
        let upstream =
            Upstream::plain(move |_| Reaction::Live(receiver.lock().unwrap().take().unwrap())).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let recording = harness.record().await;
        let mut client = Client::plain(recording.address).await;
        client.send(&get("/events")).await;
        parts
            .send(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .to_vec(),
            )
            .await
            .unwrap();
        let mut all = String::new();
        for number in 0..5 {
            let event = format!("data: {number}\n\n");
            parts.send(format!("{:x}\r\n{event}\r\n", event.len()).into_bytes()).await.unwrap();
            // The next one is only sent when this one has arrived.
            client.until(event.as_bytes()).await.unwrap();
            all.push_str(&event);
        }
        parts.send(b"0\r\n\r\n".to_vec()).await.unwrap();
        client.until(b"0\r\n\r\n").await.unwrap();
        recording.stop().await;
        upstream.stop().await;
        let replaying = harness.replay().await;
        let mut client = Client::plain(replaying.address).await;
        client.send(&get("/events")).await;
        assert_eq!(client.answer(false).await.unwrap().text(), all);
        replaying.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_client_of_http2_has_http2_on_both_sides_and_in_replay() {
    within(async {
        let ca = TestCa::new();
        let (port, task) = h2_upstream(ca.server("api.test", &["h2"], false), |_| {
            Response::new(Full::new(Bytes::from_static(b"two")))
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", port);
        for replay in [false, true] {
            let proxy = if replay { harness.replay().await } else { harness.record().await };
            let client = H2Client::secure(proxy.address, &harness.authority, "api.test").await;
            let (parts, body, _) = client.get("https://api.test/").await;
            assert_eq!((parts.version, &body[..]), (http::Version::HTTP_2, &b"two"[..]));
            client.close().await;
            proxy.stop().await;
            task.abort();
        }
    })
    .await;
}

#[tokio::test]
async fn grpc_trailers_are_recorded_and_replayed() {
    within(async {
        let ca = TestCa::new();
        let (port, task) = h2_upstream(ca.server("grpc.test", &["h2"], false), |_| {
            let trailers = HeaderMap::from_iter([(
                http::HeaderName::from_static("grpc-status"),
                HeaderValue::from_static("5"),
            )]);
            let body = Full::new(Bytes::from_static(b"\x00\x00\x00\x00\x00"));
            Response::new(body.with_trailers(std::future::ready(Some(Ok(trailers)))).boxed())
        })
        .await;
        let harness = Harness::new().trusting(&ca).resolving("grpc.test", port);
        for replay in [false, true] {
            let proxy = if replay { harness.replay().await } else { harness.record().await };
            let client = H2Client::secure(proxy.address, &harness.authority, "grpc.test").await;
            let request = Request::post("https://grpc.test/pkg.Service/Method")
                .header("content-type", "application/grpc")
                .header("te", "trailers")
                .body(Full::new(Bytes::from_static(b"\x00\x00\x00\x00\x00")))
                .unwrap();
            let whole = client.send(request).await.unwrap().into_body().collect().await.unwrap();
            assert_eq!(whole.trailers().unwrap().get("grpc-status").unwrap(), "5", "replay: {replay}");
            client.close().await;
            proxy.stop().await;
            task.abort();
        }
    })
    .await;
}

#[tokio::test]
async fn https_is_replayed_while_the_origin_is_down() {
    within(async {
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |_| Reaction::Keep(super::answer("", b"ok"))).await;
        let harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        let recording = harness.record().await;
        let mut client = Client::secure(recording.address, &harness.authority, "api.test", &[]).await;
        let live = client.get("api.test", "/").await;
        recording.stop().await;
        upstream.stop().await;
        let replaying = harness.replay().await;
        let mut client = Client::secure(replaying.address, &harness.authority, "api.test", &[]).await;
        assert_eq!(client.get("api.test", "/").await, live);
        assert_eq!(replaying.stop().await.upstream_connections, 0);
    })
    .await;
}
