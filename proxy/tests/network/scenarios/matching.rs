//! Which recording answers.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{answer, ask_all, finds, get, one_body, post, record_and_replay, same_both_times};
use crate::support::{Client, Harness, Reaction, Upstream, within};

fn counting() -> impl Fn(crate::support::Asked) -> Reaction + Send + Sync + 'static {
    let count = AtomicUsize::new(0);
    move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        Reaction::Keep(answer("", number.to_string().as_bytes()))
    }
}

#[tokio::test]
async fn three_times_the_same_get_has_three_answers() {
    let seen = same_both_times(counting(), &[get("/n"), get("/n"), get("/n")]).await;
    let bodies: Vec<_> = seen.replayed.iter().map(crate::support::Answer::text).collect();
    assert_eq!(bodies, ["0", "1", "2"]);
}

#[tokio::test]
async fn a_fourth_call_after_three_recorded_is_a_miss_and_the_proxy_goes_on() {
    let three = [get("/n"), get("/n"), get("/n")];
    let asked = [&three[..], &[get("/n"), get("/n")]].concat();
    let seen = record_and_replay(counting(), &three, &asked).await;
    let statuses: Vec<_> = seen.replayed.iter().map(crate::support::Answer::status).collect();
    assert_eq!(statuses, [200, 200, 200, 599, 599]);
}

#[tokio::test]
async fn multipart_with_a_new_boundary_is_found_and_with_other_parts_it_is_not() {
    let upload = |boundary: &str, file: &str| {
        let body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\n{file}\r\n--{boundary}--\r\n"
        );
        post("/upload", &format!("multipart/form-data; boundary={boundary}"), body)
    };
    assert!(finds(upload("one", "content"), upload("another", "content")).await);
    assert!(!finds(upload("one", "content"), upload("one", "CONTENT")).await);
}

#[tokio::test]
async fn json_key_order_and_spaces_do_not_matter_and_values_do() {
    let json = |body: &str| post("/j", "application/json", body);
    assert!(finds(json(r#"{"a":1,"b":[1,2]}"#), json("{ \"b\" : [1, 2],\n \"a\" : 1 }")).await);
    assert!(!finds(json(r#"{"a":1}"#), json(r#"{"a":"1"}"#)).await);
    assert!(!finds(json(r#"{"b":[1,2]}"#), json(r#"{"b":[2,1]}"#)).await);
}

#[tokio::test]
async fn form_field_order_does_not_matter() {
    let form = |body: &str| post("/f", "application/x-www-form-urlencoded", body);
    assert!(finds(form("a=1&b=2"), form("b=2&a=1")).await);
    assert!(!finds(form("a=1&b=2"), form("a=1&b=3")).await);
}

#[tokio::test]
async fn query_order_does_not_matter() {
    assert!(finds(get("/q?a=1&b=2"), get("/q?b=2&a=1")).await);
    assert!(!finds(get("/q?a=1"), get("/q?a=2")).await);
}

#[tokio::test]
async fn a_repeated_form_key_is_not_taken_for_its_first_value() {
    let form = |body: &str| post("/f", "application/x-www-form-urlencoded", body);
    assert!(!finds(form("x=1&x=2"), form("x=1&x=3")).await);
    assert!(!finds(form("x=1&x=2"), form("x=2&x=1")).await, "the order within a name counts");
}

#[tokio::test]
async fn a_binary_request_body_is_compared_exactly() {
    let bytes = |last: u8| post("/b", "application/octet-stream", [0, 255, 13, 10, 0x80, last]);
    assert!(finds(bytes(1), bytes(1)).await);
    assert!(!finds(bytes(1), bytes(2)).await);
}

#[tokio::test]
async fn twenty_parallel_posts_in_another_order_have_their_own_answers() {
    within(async {
        let upstream = Upstream::plain(|asked| Reaction::Keep(answer("", &asked.body))).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let requests: Vec<_> = (0..20).map(|n| post("/p", "text/plain", format!("body {n}"))).collect();
        let recording = harness.record().await;
        ask_all(recording.address, &requests).await;
        recording.stop().await;
        upstream.stop().await;
        let replaying = harness.replay().await;
        let address = replaying.address;
        let tasks: Vec<_> = requests
            .into_iter()
            .enumerate()
            .rev()
            .map(|(n, request)| {
                tokio::spawn(async move {
                    let mut client = Client::plain(address).await;
                    client.send(&request).await;
                    assert_eq!(client.answer(false).await.unwrap().text(), format!("body {n}"));
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(replaying.stop().await.replayed, 20);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_request_is_explained_in_few_bytes_beside_a_large_recording() {
    let body = vec![b'x'; 2 * 1024 * 1024];
    let seen = record_and_replay(
        move |_| Reaction::Keep(answer("", &body)),
        &[get("/large?a=1")],
        &[get("/large?a=2")],
    )
    .await;
    assert_eq!(seen.replayed[0].status(), 599);
    assert!(seen.replayed[0].body.len() <= 16 * 1024);
    assert!(seen.replayed[0].text().contains("mcpeak-replay-miss"));
}

#[tokio::test]
async fn a_body_of_twenty_megabytes_is_replayed() {
    let body = (0..20 * 1024 * 1024_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
    one_body("Content-Type: application/octet-stream\r\n", body).await;
}
