//! Heads that must come back as they were.

use super::{answer, get, record_and_replay, same_both_times};
use crate::support::Reaction;

/// Cookies are secrets: their values are pseudonyms in the file and in replay, and everything else about them stays.
async fn same_but_for_cookies(fields: &'static str) -> String {
    let react = move |_| Reaction::Keep(answer(fields, b"ok"));
    let seen = record_and_replay(react, &[get("/h")], &[get("/h")]).await;
    let hidden = seen.live[0].head.replace("a=1", "a={{token:1}}").replace("b=2", "b={{token:2}}");
    assert_eq!(seen.replayed[0].head, hidden);
    hidden
}

#[tokio::test]
async fn two_cookies_mixed_case_and_a_repeated_header_stay() {
    let head = same_but_for_cookies(
        "Set-Cookie: a=1; Path=/\r\nX-MiXeD-Case: 1\r\nset-cookie: b=2\r\nX-Dup: 1\r\nX-Dup: 2\r\n",
    )
    .await;
    assert!(head.contains("set-cookie: b=") && head.contains("X-MiXeD-Case: 1\r\n"));
}

#[tokio::test]
async fn a_trailer_stays() {
    let chunked = b"HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n";
    let seen = same_both_times(move |_| Reaction::Keep(chunked.to_vec()), &[get("/t")]).await;
    assert_eq!(
        (seen.replayed[0].text().as_str(), seen.replayed[0].trailers.as_str()),
        ("ok", "X-Sum: 7\r\n")
    );
}

#[tokio::test]
async fn a_custom_reason_stays() {
    let react = |_| Reaction::Keep(b"HTTP/1.1 418 Short And Stout\r\nContent-Length: 0\r\n\r\n".to_vec());
    let seen = same_both_times(react, &[get("/r")]).await;
    assert!(seen.replayed[0].head.starts_with("HTTP/1.1 418 Short And Stout\r\n"));
}

#[tokio::test]
async fn the_length_in_an_answer_to_head_stays() {
    let react = |_| Reaction::Keep(b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n".to_vec());
    let head = b"HEAD http://api.test/h HTTP/1.1\r\nHost: api.test\r\n\r\n".to_vec();
    let seen = same_both_times(react, &[head]).await;
    assert_eq!(seen.replayed[0].field("content-length"), Some("1024"));
}

#[tokio::test]
async fn dates_and_the_expiry_of_cookies_stay() {
    let head = same_but_for_cookies(
        "Date: Thu, 01 Jan 2015 00:00:00 GMT\r\nExpires: Thu, 01 Jan 2015 01:00:00 GMT\r\n\
         Set-Cookie: a=1; Expires=Thu, 01 Jan 2015 02:00:00 GMT\r\n",
    )
    .await;
    assert!(head.contains("Date: Thu, 01 Jan 2015 00:00:00 GMT\r\n"));
    assert!(head.contains("Expires=Thu, 01 Jan 2015 02:00:00 GMT"));
}

#[tokio::test]
async fn nothing_is_added_to_an_answer() {
    let whole = b"HTTP/1.1 200 OK\r\nX-One: 1\r\nContent-Length: 2\r\n\r\nok";
    let seen = same_both_times(move |_| Reaction::Keep(whole.to_vec()), &[get("/n")]).await;
    assert_eq!(seen.replayed[0].head, "HTTP/1.1 200 OK\r\nX-One: 1\r\nContent-Length: 2\r\n\r\n");
}
