use mcpeak_core::redact::Redactor;
use proptest::prelude::*;

use super::{Place, Replay, ReplayOptions, Take, bytes, get, hit, post, take};
use crate::matching::{MissReason, Repeat};
use crate::report::{Counts, Warning};

fn plain() -> Redactor {
    Redactor::default()
}

#[tokio::test]
async fn s1_s14_the_second_get_shows_the_change() {
    let place = Place::new();
    let calls = [get("/x", "1"), post("/x", "text/plain", "b", "2"), get("/x", "3"), get("/x", "3")];
    place.record(plain(), false, &calls).await;
    let replay = place.replay(plain());
    assert_eq!(bytes(&hit(&replay, &calls[0])), b"1");
    assert_eq!(bytes(&hit(&replay, &calls[0])), b"3");
    assert_eq!(bytes(&hit(&replay, &calls[0])), b"3", "identical exchanges are all recorded");
    assert_eq!(bytes(&hit(&replay, &calls[1])), b"2", "s11: order binds within a key only");
}

#[tokio::test]
async fn m12_a_miss_says_why() {
    let place = Place::new();
    place
        .record(
            plain(),
            false,
            &[get("/x?city=seoul", "1"), post("/y", "application/json", "{\"a\":{\"b\":1}}", "2")],
        )
        .await;
    let replay = place.replay(plain());
    let reason = |call| match take(&replay, &call) {
        Take::Miss(miss) => miss.report().reason.clone(),
        Take::Hit(_) => panic!("an inexact match is never served"),
    };
    let mut other = get("/x?city=seoul", "");
    other.head.origin.host = "other.example".to_owned();
    assert_eq!(reason(other), MissReason::NothingForHost);
    assert_eq!(reason(get("/z", "")), MissReason::NothingForPath);
    let MissReason::NearMiss { recording, differences, rules } = reason(get("/x?city=busan", "")) else {
        panic!("near")
    };
    assert_eq!(recording, "GET https://api.example.com/x?city=seoul");
    assert_eq!((differences.len(), differences[0].field.as_str()), (1, "query city"));
    assert!(rules.is_empty(), "a city is asked for, and no rule may take it out");
    let MissReason::NearMiss { differences, .. } =
        reason(post("/y", "application/json", "{\"a\":{\"b\":2}}", ""))
    else {
        panic!("near")
    };
    assert_eq!(differences[0].field, "json $.a.b");
    hit(&replay, &get("/x?city=seoul", ""));
    assert_eq!(reason(get("/x?city=seoul", "")), MissReason::AllUsed { recordings: 1 });
    let report = replay.report(&Counts::default());
    assert_eq!((report.replayed, report.missed.len(), report.unused.len()), (1, 5, 1));
    assert!(report.has_misses());
}

#[tokio::test]
async fn m10_similarity_is_never_served() {
    let place = Place::new();
    let recorded = [get("/x?x=1", "1"), post("/x", "application/x-www-form-urlencoded", "a=1", "2")];
    place.record(plain(), false, &recorded).await;
    let replay = place.replay(plain());
    for call in [get("/x?y=1", ""), post("/x", "application/octet-stream", "a=1", ""), get("/x?x=1&x=1", "")]
    {
        assert!(matches!(take(&replay, &call), Take::Miss(_)));
    }
}

#[tokio::test]
async fn s10_100_threads_take_each_recording_once() {
    let place = Place::new();
    let calls: Vec<_> = (0..500).map(|index| get("/x", &index.to_string())).collect();
    place.record(plain(), false, &calls).await;
    let replay = place.replay(plain());
    let mut taken: Vec<u32> = std::thread::scope(|scope| {
        let work = || {
            (0..5)
                .map(|_| String::from_utf8(bytes(&hit(&replay, &calls[0]))).unwrap().parse().unwrap())
                .collect::<Vec<u32>>()
        };
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    taken.sort_unstable();
    assert_eq!(taken, (0..500).collect::<Vec<_>>());
    assert!(replay.report(&Counts::default()).unused.is_empty());
}

#[tokio::test]
async fn repeat_policies_and_match_headers() {
    let place = Place::new();
    place.record(plain(), false, &[get("/x", "1"), get("/x", "2")]).await;
    let options = ReplayOptions { repeat: Repeat::Last, ..ReplayOptions::default() };
    let replay = Replay::load(&place.path(), plain(), options).unwrap();
    let taken: Vec<_> = (0..4).map(|_| bytes(&hit(&replay, &get("/x", "")))).collect();
    assert_eq!(taken, [b"1", b"2", b"2", b"2"]);
    let options = ReplayOptions { match_headers: vec!["Accept".to_owned()], ..ReplayOptions::default() };
    let replay = Replay::load(&place.path(), plain(), options).unwrap();
    let mut other = get("/x", "");
    other.head.headers.replace("accept", "text/html");
    assert!(matches!(take(&replay, &other), Take::Miss(_)));
    hit(&replay, &get("/x", ""));
}

#[tokio::test]
async fn m8_rules_act_on_old_recordings() {
    let place = Place::new();
    place.record(plain(), false, &[get("/x?_=1&q=1", "1")]).await;
    let rules = "\"rules\": [\"query:_\", \"form:nonce\"],";
    std::fs::write(place.path(), place.text().replacen("\"rules\": [],", rules, 1)).unwrap();
    let replay = place.replay(plain());
    assert_eq!(bytes(&hit(&replay, &get("/x?q=1&_=2", ""))), b"1");
    let idle = Warning::RuleIdle { rule: "form:nonce".to_owned() };
    assert_eq!(replay.report(&Counts::default()).warnings, [idle]);
    std::fs::write(place.path(), place.text().replacen("query:_", "cookies:_", 1)).unwrap();
    let error = Replay::load(&place.path(), plain(), ReplayOptions::default()).unwrap_err();
    assert!(error.to_string().contains(":4:13:"), "{error}");
    place.record(plain(), true, &[get("/x?_=1&q=1", "1")]).await;
}

#[tokio::test]
async fn m8_rules_reach_into_json_bodies() {
    let place = Place::new();
    let event = |id: &str, times: [u32; 2]| {
        let [first, second] = times;
        let body = format!(
            r#"{{"kind":"run","id":"{id}","events":[{{"n":1,"at":{first}}},{{"n":2,"at":{second}}}]}}"#
        );
        post("/e", "application/json", body, "taken")
    };
    place.record(plain(), false, &[event("a", [1, 2])]).await;
    assert!(matches!(take(&place.replay(plain()), &event("b", [1, 2])), Take::Miss(_)));
    let rules = "\"rules\": [\"json:$.id\", \"json:$.events[*].at\", \"json:$.nonce\"],";
    std::fs::write(place.path(), place.text().replacen("\"rules\": [],", rules, 1)).unwrap();
    let replay = place.replay(plain());
    let mut other = event("b", [3, 4]);
    other.body = String::from_utf8_lossy(&other.body).replace("run", "walk").into();
    assert!(matches!(take(&replay, &other), Take::Miss(_)));
    assert_eq!(bytes(&hit(&replay, &event("b", [3, 4]))), b"taken");
    let idle = Warning::RuleIdle { rule: "json:$.nonce".to_owned() };
    assert_eq!(replay.report(&Counts::default()).warnings, [idle]);
}

#[tokio::test]
async fn m12_a_miss_names_the_rules_that_would_make_it_a_hit() {
    let pairs = [
        (get("/x?ts=1767225600&q=a", "1"), get("/x?ts=1767225601&q=a", ""), vec!["query:ts"]),
        (get("/u/7f3a-1/items", "2"), get("/u/9c21-2/items", ""), vec!["path:/u/*/items"]),
        (
            post("/e", "application/json", r#"{"id":"a1","at":[{"t":1}],"k":"run"}"#, "3"),
            post("/e", "application/json", r#"{"id":"b2","at":[{"t":2}],"k":"run"}"#, ""),
            vec!["json:$.at[*].t", "json:$.id"],
        ),
        (
            post("/f", "application/x-www-form-urlencoded", "nonce=1&a=b", "4"),
            post("/f", "application/x-www-form-urlencoded", "nonce=2&a=b", ""),
            vec!["form:nonce"],
        ),
        (
            post("/g", "application/json", r#"{"query":"{me}","variables":{"now":1}}"#, "5"),
            post("/g", "application/json", r#"{"query":"{me}","variables":{"now":2}}"#, ""),
            vec!["json:$.variables.now"],
        ),
    ];
    for (recorded, live, expected) in pairs {
        let place = Place::new();
        place.record(plain(), false, std::slice::from_ref(&recorded)).await;
        let Take::Miss(miss) = take(&place.replay(plain()), &live) else { panic!("{}", live.head.path) };
        let MissReason::NearMiss { rules, .. } = &miss.report().reason else { panic!("{:?}", miss.report()) };
        assert_eq!(*rules, expected);
        let body = String::from_utf8_lossy(&miss.body()).into_owned();
        assert!(body.contains("if that is new in each run, add to weather.session.json"), "{body}");
        // The sentence holds: with these rules, from the settings, it is a hit.
        let options = ReplayOptions { rules: rules.clone(), ..ReplayOptions::default() };
        let replay = Replay::load(&place.path(), plain(), options).unwrap();
        assert_eq!(bytes(&hit(&replay, &live)), recorded.answer);
        assert_eq!(replay.report(&Counts::default()).warnings, []);
    }
}

#[tokio::test]
async fn m21_a_path_rule_is_anchored() {
    let place = Place::new();
    place.record(plain(), false, &[get("/users/1/items", "1"), get("/users/1/items/9", "2")]).await;
    let rules = "\"rules\": [\"path:/users/*/items\"],";
    std::fs::write(place.path(), place.text().replacen("\"rules\": [],", rules, 1)).unwrap();
    let replay = place.replay(plain());
    assert!(matches!(take(&replay, &get("/users/2/items/9", "")), Take::Miss(_)));
    assert!(matches!(take(&replay, &get("/v1/users/2/items", "")), Take::Miss(_)));
    assert_eq!(bytes(&hit(&replay, &get("/users/2/items", ""))), b"1");
}

#[tokio::test]
async fn m15_a_url_signed_again_is_the_recorded_request() {
    let signed = |date: &str, day: &str, signature: &str, key: &str| {
        format!(
            "/{key}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F{day}%2Feu-west-1%2Fs3%2Faws4_request\
             &X-Amz-Date={date}&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature={signature}"
        )
    };
    let place = Place::new();
    place
        .record(plain(), false, &[get(&signed("20260101T000000Z", "20260101", &"a1".repeat(32), "a"), "1")])
        .await;
    let replay = place.replay(plain());
    let other = get(&signed("20260102T030405Z", "20260102", &"b2".repeat(32), "b"), "");
    assert!(matches!(take(&replay, &other), Take::Miss(_)), "another object");
    let again = get(&signed("20260102T030405Z", "20260102", &"b2".repeat(32), "a"), "")
        .request_header("x-amz-date", "20260102T030405Z")
        .request_header("amz-sdk-invocation-id", "0ddba11")
        .request_header("traceparent", "00-1-2-01");
    assert_eq!(bytes(&hit(&replay, &again)), b"1");
    assert_eq!(replay.report(&Counts::default()).warnings, [], "nothing was edited");
}

#[test]
fn ten_thousand_recordings_load() {
    let place = Place::new();
    let exchange = |index: usize| {
        format!(
            "{{\"request\":{{\"method\":\"GET\",\"url\":\"https://h/{index}?q={index}\",\"headers\":[],\"body\":null}},\
             \"response\":{{\"status\":200,\"headers\":[[\"content-type\",\"application/json\"]],\"body\":{{\"json\":{{\"i\":{index}}}}}}}}}"
        )
    };
    let list: Vec<_> = (0..10_000).map(exchange).collect();
    let text = format!("{{\"format\":\"mcpeak-session\",\"version\":1,\"exchanges\":[{}]}}", list.join(","));
    std::fs::write(place.path(), text).unwrap();
    let replay = place.replay(plain());
    let mut call = get("/9999?q=9999", "");
    call.head.origin.host = "h".to_owned();
    assert_eq!(bytes(&hit(&replay, &call)), b"{\"i\":9999}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn s11_any_order_between_keys(order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = Place::new();
        let calls: Vec<_> = (0..8).map(|index| get(&format!("/{index}"), &index.to_string())).collect();
        runtime.block_on(place.record(plain(), false, &calls));
        let replay = place.replay(plain());
        for index in order {
            prop_assert_eq!(bytes(&hit(&replay, &calls[index])), index.to_string().into_bytes());
        }
    }
}
