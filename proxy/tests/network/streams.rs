//! Bodies that come in pieces: their boundaries, their times, and where they broke off.

use mcpeak_core::redact::Redactor;
use mcpeak_core::secret::Secret;
use mcpeak_proxy::session::{ReplayOptions, Timing};

use crate::support::{Client, Harness, Reaction, Running, Upstream, within};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// An upstream that sends what the test gives it, when the test gives it.
async fn live() -> (Upstream, tokio::sync::mpsc::Sender<Vec<u8>>) {
    let (parts, receiver) = tokio::sync::mpsc::channel(4);
    let receiver = std::sync::Mutex::new(Some(receiver));
    let upstream = Upstream::plain(move |_| Reaction::Live(receiver.lock().unwrap().take().unwrap())).await;
    (upstream, parts)
}

fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

async fn ask(proxy: &Running) -> Client {
    let mut client = Client::plain(proxy.address).await;
    client.send(b"GET http://api.test/events HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
    client
}

/// Records pieces, each of which the client has before the next one is sent; whether the stream then ends in order.
async fn record(harness: Harness, pieces: &[&str], whole: bool) -> Harness {
    let (upstream, parts) = live().await;
    let harness = harness.resolving_port("api.test", 80, upstream.port);
    let proxy = harness.record().await;
    let mut client = ask(&proxy).await;
    parts.send(HEAD.into()).await.unwrap();
    client.until(b"\r\n\r\n").await.unwrap();
    for piece in pieces {
        parts.send(chunk(piece).into_bytes()).await.unwrap();
        client.until(chunk(piece).as_bytes()).await.unwrap();
    }
    if whole {
        parts.send(b"0\r\n\r\n".to_vec()).await.unwrap();
        client.until(b"0\r\n\r\n").await.unwrap();
    }
    drop(parts);
    while !whole && client.more().await.unwrap_or(false) {}
    let report = proxy.stop().await;
    assert_eq!(report.recorded, 1, "{:?}", report.warnings);
    harness
}

fn events(harness: &Harness) -> Vec<(u64, String)> {
    let file: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(harness.session()).unwrap()).unwrap();
    let events = file["exchanges"][0]["response"]["body"]["events"].as_array().expect("events").clone();
    let event = |event: serde_json::Value| {
        (event["at"].as_u64().unwrap(), event["data"].as_str().unwrap().to_owned())
    };
    events.into_iter().map(event).collect()
}

#[tokio::test]
async fn p13_p19_pieces_of_an_event_stream_are_kept_and_replayed_as_they_came() {
    within(async {
        let pieces = ["data: 1\n\n", "data: 2\n\nda", "ta: 3\n\n"];
        let harness = record(Harness::new(), &pieces, true).await;
        let stored = events(&harness);
        assert_eq!(stored.iter().map(|(_, data)| data.as_str()).collect::<Vec<_>>(), pieces);
        assert!(stored.is_sorted_by_key(|(at, _)| *at));
        let proxy = harness.replay().await;
        let mut client = ask(&proxy).await;
        client.until(b"\r\n\r\n").await.unwrap();
        let sent = client.until(b"0\r\n\r\n").await.unwrap();
        let expected = pieces.iter().map(|piece| chunk(piece)).collect::<String>() + "0\r\n\r\n";
        assert_eq!(String::from_utf8(sent).unwrap(), expected, "the very chunks");
        assert_eq!(proxy.stop().await.missed.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn p13_a_stream_that_broke_off_breaks_off_at_the_same_place() {
    within(async {
        let pieces = ["data: 1\n\n", "data: 2\n\n"];
        let harness = record(Harness::new(), &pieces, false).await;
        assert_eq!(events(&harness).len(), 2);
        let proxy = harness.replay().await;
        let answer = ask(&proxy).await.answer(false).await.unwrap();
        assert_eq!((answer.text().as_str(), answer.whole), ("data: 1\n\ndata: 2\n\n", false));
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn p21_events_of_one_packet_have_one_time() {
    within(async {
        let (upstream, parts) = live().await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let mut client = ask(&proxy).await;
        let chunks: String = (0..50).map(|n| chunk(&format!("data: {n}\n\n"))).collect();
        parts.send(format!("{HEAD}{chunks}0\r\n\r\n").into()).await.unwrap();
        client.until(b"0\r\n\r\n").await.unwrap();
        proxy.stop().await;
        let stored = events(&harness);
        assert_eq!(stored.len(), 50);
        assert!(stored.iter().all(|(at, _)| *at == stored[0].0), "{stored:?}");
    })
    .await;
}

#[tokio::test]
async fn r5_a_secret_over_two_pieces_is_replaced_and_put_back() {
    within(async {
        let value = || Secret::new("value-of-api-key-1".to_owned());
        let known = || Redactor::new([("API_KEY".to_owned(), value())]);
        let pieces =
            ["data: {\"password\":\"hunter-22\"}\n\n", "data: value-of-", "api-key-1 x\n\n", "data: 3\n\n"];
        let harness = record(Harness { redactor: known(), ..Harness::new() }, &pieces, true).await;
        let file = std::fs::read_to_string(harness.session()).unwrap();
        assert!(!file.contains("hunter-22") && !file.contains("api-key-1"), "{file}");
        let stored = events(&harness);
        assert_eq!(stored[1].1, "data: {{secret:API_KEY}} x\n\n", "one piece now");
        assert_eq!(stored[2].1, "data: 3\n\n", "what came after stays a piece of its own");
        let proxy = harness.replay().await;
        let text = ask(&proxy).await.answer(false).await.unwrap().text();
        assert_eq!(text, "data: {\"password\":\"{{token:1}}\"}\n\ndata: value-of-api-key-1 x\n\ndata: 3\n\n");
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn recorded_timing_sends_pieces_no_sooner_than_they_came() {
    within(async {
        let harness = record(Harness::new(), &["data: 1\n\n", "data: 2\n\n"], true).await;
        let last = events(&harness)[1].0;
        let file = std::fs::read_to_string(harness.session()).unwrap();
        let later = file.replacen(
            &format!("{{ \"at\": {last}, \"data\": \"data: 2"),
            "{ \"at\": 400, \"data\": \"data: 2",
            1,
        );
        assert_ne!(file, later);
        std::fs::write(harness.session(), later).unwrap();
        let options = ReplayOptions { timing: Timing::Recorded, ..ReplayOptions::default() };
        let proxy = harness.replay_with(options).await;
        let begin = std::time::Instant::now();
        let mut client = ask(&proxy).await;
        client.until(chunk("data: 1\n\n").as_bytes()).await.unwrap();
        client.until(b"0\r\n\r\n").await.unwrap();
        assert!(begin.elapsed().as_millis() >= 400, "{:?}", begin.elapsed());
        proxy.stop().await;
    })
    .await;
}
