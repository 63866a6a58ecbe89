//! Bytes that must come back as they were.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use super::{get, one_body, post, record_and_replay};
use crate::support::{Client, Harness, Reaction, Upstream, within};

const TEXT: &[u8] = br#"{"answer": "forty-two, forty-two, forty-two"}"#;

#[tokio::test]
async fn a_gzip_body_keeps_its_bytes() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(TEXT).unwrap();
    let fields = "Content-Type: application/json\r\nContent-Encoding: gzip\r\nETag: \"g\"\r\n";
    let seen = one_body(fields, encoder.finish().unwrap()).await;
    assert_eq!(seen.replayed[0].field("etag"), Some("\"g\""));
    assert!(seen.session.contains("forty-two"), "it can be read in the file");
}

#[tokio::test]
async fn a_br_body_keeps_its_bytes() {
    let mut body = Vec::new();
    brotli::CompressorWriter::new(&mut body, 4096, 5, 20).write_all(TEXT).unwrap();
    let seen = one_body("Content-Type: application/json\r\nContent-Encoding: br\r\n", body).await;
    assert!(seen.session.contains("forty-two"), "it can be read in the file");
}

#[tokio::test]
async fn a_deflate_body_keeps_its_bytes() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(TEXT).unwrap();
    one_body("Content-Type: application/json\r\nContent-Encoding: deflate\r\n", encoder.finish().unwrap())
        .await;
}

#[tokio::test]
async fn an_octet_stream_keeps_its_bytes() {
    let body = (0..2048_u32).map(|n| u8::try_from(n % 256).unwrap()).collect();
    one_body("Content-Type: application/octet-stream\r\n", body).await;
}

#[tokio::test]
async fn a_windows_1252_table_keeps_its_bytes() {
    let seen =
        one_body("Content-Type: text/csv; charset=windows-1252\r\n", b"caf\xe9;\x80 5\r\n".to_vec()).await;
    assert_eq!(seen.replayed[0].field("content-type"), Some("text/csv; charset=windows-1252"));
}

#[tokio::test]
async fn a_json_body_keeps_spaces_large_numbers_and_repeated_keys() {
    let body = b"{ \"n\" : 12345678901234567890,\t\"a\":1,\"a\":2.50 }\n".to_vec();
    one_body("Content-Type: application/json\r\n", body).await;
}

#[tokio::test]
async fn an_upstream_reset_in_a_body_is_no_whole_answer_live_or_replayed() {
    within(async {
        let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
        let upstream = Upstream::plain(move |_| Reaction::Reset(cut.clone())).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        {
            let proxy = harness.record().await;
            let mut client = Client::plain(proxy.address).await;
            client.send(&get("/cut")).await;
            assert!(client.answer(false).await.is_none_or(|answer| !answer.whole));
            proxy.stop().await;
        }
        upstream.stop().await;
        let proxy = harness.replay().await;
        let mut client = Client::plain(proxy.address).await;
        client.send(&get("/cut")).await;
        assert!(client.answer(false).await.is_none_or(|answer| !answer.whole));
        proxy.stop().await;
    })
    .await;
}

#[tokio::test]
async fn of_four_planted_secrets_none_is_in_the_recording() {
    let secrets = ["bearer-5f2c9d7e1a", "query-81b3f6c4d2", "client-77aa41e9c0", "token-c3d5e7f901"];
    let request = [
        format!(
            "POST http://api.test/token?api_key={} HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer {}\r\n",
            secrets[1], secrets[0]
        ),
        String::from_utf8(post(
            "",
            "application/x-www-form-urlencoded",
            format!("grant_type=client_credentials&client_secret={}", secrets[2]),
        ))
        .unwrap()
        .split_once("Host: api.test\r\n")
        .unwrap()
        .1
        .to_owned(),
    ]
    .concat()
    .into_bytes();
    let body = format!(r#"{{"access_token": "{}", "expires_in": 60}}"#, secrets[3]);
    let react = move |_| Reaction::Keep(super::answer("Content-Type: application/json\r\n", body.as_bytes()));
    let seen = record_and_replay(react, std::slice::from_ref(&request), std::slice::from_ref(&request)).await;
    assert!(seen.live[0].text().contains(secrets[3]), "the client has what the origin said");
    assert_eq!(seen.replayed[0].status(), 200);
    for secret in secrets {
        assert!(!seen.session.contains(secret), "{secret}");
    }
}
