//! What is no answer, and what comes before one.

use std::time::Duration;

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, within};

/// Records a GET of a URL that has no answer, then replays it; the kind that the file has.
async fn failing(harness: Harness, url: &str, host: &str) -> String {
    let mut answers = Vec::new();
    for mode in ["record", "replay"] {
        let proxy = if mode == "record" { harness.record().await } else { harness.replay().await };
        answers.push(Client::plain(proxy.address).await.get(host, url).await);
        let report = proxy.stop().await;
        assert_eq!((report.recorded + report.replayed, report.missed.len()), (1, 0), "{mode}");
        if mode == "replay" {
            assert_eq!(report.upstream_connections, 0);
        }
    }
    assert_eq!(answers[0], answers[1], "a client cannot tell them apart");
    assert!(answers[0].text().contains("mcpeak-proxy-error"), "{}", answers[0].text());
    let file: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(harness.session()).unwrap()).unwrap();
    let exchange = &file["exchanges"][0];
    assert!(exchange["response"].is_null(), "the proxy's own answer is none: {exchange}");
    exchange["failure"]["kind"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn e1_a_name_without_an_address_is_recorded_and_replayed() {
    within(async {
        assert_eq!(failing(Harness::new(), "http://nowhere.invalid/", "nowhere.invalid").await, "dns");
    })
    .await;
}

#[tokio::test]
async fn e1_an_upstream_without_tls_is_recorded_and_replayed() {
    within(async {
        let upstream = Upstream::tls(&TestCa::new(), "api.test", |_| Reaction::Hang).await;
        let harness = Harness::new().resolving("api.test", upstream.port);
        assert_eq!(failing(harness, "https://api.test/", "api.test").await, "tls");
    })
    .await;
}

#[tokio::test]
async fn e1_an_upstream_that_never_answers_is_recorded_and_replayed_at_once() {
    within(async {
        let upstream = Upstream::plain(|_| Reaction::Hang).await;
        let mut harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        harness.adjust = |settings| settings.limits.first_byte = Duration::from_millis(50);
        assert_eq!(failing(harness, "http://api.test/", "api.test").await, "timeout");
    })
    .await;
}

#[tokio::test]
async fn e1_e2_a_reset_after_any_number_of_bytes_is_replayed_after_as_many() {
    within(async {
        const WIRE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcdefghi";
        let upstream = Upstream::plain(|asked| {
            let sent: usize = asked.target().trim_start_matches('/').parse().unwrap();
            Reaction::Reset(WIRE[..sent].to_vec())
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let mut turns = Vec::new();
        for mode in ["record", "replay"] {
            let proxy = if mode == "record" { harness.record().await } else { harness.replay().await };
            let mut answers = Vec::new();
            // Nothing, half a status line, half a head, the head, half a body, all but one byte.
            for sent in [0, 7, 20, WIRE.len() - 9, WIRE.len() - 4, WIRE.len() - 1] {
                let mut client = Client::plain(proxy.address).await;
                let request = format!("GET http://api.test/{sent} HTTP/1.1\r\nHost: api.test\r\n\r\n");
                client.send(request.as_bytes()).await;
                answers.push(client.answer(false).await);
            }
            assert_eq!(proxy.stop().await.missed.len(), 0);
            turns.push(answers);
        }
        assert!(turns[0][..3].iter().all(Option::is_none), "no head, no answer");
        let bodies = turns[0][3..].iter().flatten().map(|answer| (answer.text(), answer.whole));
        let cut = |text: &str| (text.to_owned(), false);
        assert_eq!(bodies.collect::<Vec<_>>(), [cut(""), cut("abcde"), cut("abcdefgh")]);
        assert_eq!(turns[0], turns[1]);
    })
    .await;
}

#[tokio::test]
async fn interim_answers_stay_on_their_hop_live_and_replayed() {
    within(async {
        let wire = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n\
                     HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let upstream = Upstream::canned(wire).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        for mode in ["record", "replay"] {
            let proxy = if mode == "record" { harness.record().await } else { harness.replay().await };
            let answer = Client::plain(proxy.address).await.get("api.test", "http://api.test/").await;
            assert_eq!(answer.head, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "{mode}");
            assert_eq!((answer.text().as_str(), answer.whole), ("ok", true));
            proxy.stop().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_that_expects_100_continue_is_told_to_go_on_in_every_mode() {
    within(async {
        let upstream = Upstream::plain(|asked| {
            assert_eq!(asked.field("expect"), None, "met on the client's leg");
            let body = asked.body;
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            Reaction::Keep([head.as_bytes(), &body].concat())
        })
        .await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        for mode in ["record", "replay"] {
            let proxy = if mode == "record" { harness.record().await } else { harness.replay().await };
            let mut client = Client::plain(proxy.address).await;
            client
                .send(
                    b"PUT http://api.test/ HTTP/1.1\r\nHost: api.test\r\nContent-Length: 5\r\n\
                      Expect: 100-continue\r\n\r\n",
                )
                .await;
            assert_eq!(client.until(b"\r\n\r\n").await.unwrap(), b"HTTP/1.1 100 Continue\r\n\r\n", "{mode}");
            client.send(b"hello").await;
            assert_eq!(client.answer(false).await.unwrap().text(), "hello", "{mode}");
            assert_eq!(proxy.stop().await.missed.len(), 0);
        }
    })
    .await;
}
