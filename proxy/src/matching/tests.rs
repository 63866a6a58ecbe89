use std::collections::HashSet;

use bytes::Bytes;
use proptest::prelude::*;

use super::{BodyParts, Index, Key, Miss, MissReason, Missed, Parts, Repeat, Taken, difference};
use crate::exchange::{Headers, Origin, Scheme};

fn parts(method: &str, url: &str, fields: &[(&str, &str)], body: &[u8]) -> Parts {
    let (scheme, rest) = url.split_once("://").unwrap();
    let scheme = if scheme == "http" { Scheme::Http } else { Scheme::Https };
    let (host, target) = rest.split_at(rest.find('/').unwrap());
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let headers: Headers =
        fields.iter().map(|(name, value)| ((*name).to_owned(), Bytes::from((*value).to_owned()))).collect();
    let body = BodyParts::new(headers.get("content-type"), body);
    Parts::new(method, &Origin::new(scheme, host, None), path, query, &headers, &[], body)
}

fn get(url: &str) -> Key {
    Key::exact(&parts("GET", url, &[], b""))
}

fn post(content_type: &str, body: &str) -> Key {
    Key::exact(&parts("POST", "https://a/x", &[("Content-Type", content_type)], body.as_bytes()))
}

#[test]
fn m1_multipart_boundary() {
    let body = |boundary: &str, content: &str| {
        format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n{content}\r\n--{boundary}--\r\n"
        )
    };
    let key = |boundary: &str, content: &str| {
        post(&format!("multipart/form-data; boundary=\"{boundary}\""), &body(boundary, content))
    };
    assert_eq!(key("aaa", "one"), key("b-2", "one"));
    assert_ne!(key("aaa", "one"), key("aaa", "two"), "m2: other bytes are another upload");
}

#[test]
fn m3_json_key_order() {
    assert_eq!(
        post("application/json", r#"{"a":1,"b":[1,2]}"#),
        post("application/vnd.x+json", "{ \"b\": [1,2], \"a\": 1.0 }")
    );
    assert_ne!(
        post("application/json", r#"{"id":9007199254740993}"#),
        post("application/json", r#"{"id":9007199254740992}"#)
    );
    assert_ne!(post("application/json", r#"{"a":1}"#), post("application/json", r#"{"a":"1"}"#));
}

#[test]
fn m5_form_order() {
    let form = |body| post("application/x-www-form-urlencoded", body);
    assert_eq!(form("a=1&b=2&a=3"), form("b=2&a=1&a=%33"));
    assert_ne!(form("a=1&a=3"), form("a=3&a=1"));
    assert_eq!(form("q=a+b"), form("q=a%20b"));
}

#[test]
fn m7_query_order_and_percent_encoding() {
    assert_eq!(get("https://a/p?a=1&b=2"), get("https://a/p?b=2&a=1"));
    assert_ne!(get("https://a/p?a=1&a=2"), get("https://a/p?a=2&a=1"));
    assert_eq!(get("https://a/%7euser/%c3%a9"), get("https://a/~user/%C3%A9"));
    assert_eq!(get("https://a/\u{e9}"), get("https://a/%C3%A9"));
    assert_ne!(get("https://a/x%2Fy"), get("https://a/x/y"));
}

#[test]
fn m9_body_is_in_the_key() {
    assert_ne!(post("text/plain", "a"), post("text/plain", "b"));
    assert_ne!(post("text/plain", ""), post("text/plain", "b"));
}

#[test]
fn m16_volatile_headers_are_out_of_the_key() {
    let plain = parts("GET", "https://a/x", &[], b"");
    let volatile =
        parts("GET", "https://a/x", &[("User-Agent", "x/2"), ("traceparent", "00-1"), ("Date", "now")], b"");
    assert_eq!(Key::exact(&plain), Key::exact(&volatile));
    let ranged = parts("GET", "https://a/x", &[("Range", "bytes=0-1")], b"");
    assert_ne!(Key::exact(&plain), Key::exact(&ranged));
}

#[test]
fn m17_m20_the_canonical_origin_is_in_the_key() {
    assert_ne!(get("http://a/x"), get("https://a/x"));
    assert_ne!(get("https://a/x"), get("https://b/x"));
    assert_eq!(get("https://A./x"), get("https://a/x"), "whatever the ingress");
}

#[test]
fn m22_graphql() {
    let graphql = |query: &str, rest: &str| {
        post("application/json", &format!("{{\"query\":{}{rest}}}", serde_json::to_string(query).unwrap()))
    };
    let spaced = "query A($id: ID!) {\n  user(id: $id, n: 1) { name } # who\n}";
    let folded = "query A($id:ID!){user(id:$id n:1){name}}";
    assert_eq!(graphql(spaced, ""), graphql(folded, ",\"variables\":{}"));
    assert_ne!(graphql(folded, ",\"operationName\":\"A\""), graphql(folded, ",\"operationName\":\"B\""));
    assert_ne!(graphql(folded, ",\"variables\":{\"id\":1}"), graphql(folded, ",\"variables\":{\"id\":2}"));
    assert_ne!(graphql("{a(x:\"b  c\")}", ""), graphql("{a(x:\"b c\")}", ""), "strings keep their space");
}

#[test]
fn m24_b10_any_bytes_are_compared_exactly() {
    let key = |body: &[u8]| {
        Key::exact(&parts("POST", "https://a/x", &[("Content-Type", "application/x-tar")], body))
    };
    assert_eq!(key(b"\x00\xff\xfe"), key(b"\x00\xff\xfe"));
    assert_ne!(key(b"\x00\xff\xfe"), key(b"\x00\xff\xff"));
    let broken = |body: &[u8]| {
        Key::exact(&parts("POST", "https://a/x", &[("Content-Type", "application/json")], body))
    };
    assert_ne!(broken(b"{not json"), broken(b"{not JSON"));
}

#[test]
fn r3_secrets_are_out_of_the_loose_key() {
    let loose = |url: &str| Key::loose(&parts("GET", url, &[], b""));
    assert_eq!(loose("https://a/x?api_key={{token:1}}&q=1"), loose("https://a/x?q=1&api_key={{token}}"));
    assert_eq!(loose("https://a/x?api_key={{token:1}}&q=1"), loose("https://a/x?q=1"), "absent");
    assert_eq!(loose("https://a/u/{{token:1}}"), loose("https://a/u/%7B%7Btoken%3A2%7D%7D"));
    assert_ne!(get("https://a/u/{{token:1}}"), get("https://a/u/{{token:2}}"));
    let json = |body: &str| {
        Key::loose(&parts("POST", "https://a/x", &[("Content-Type", "application/json")], body.as_bytes()))
    };
    assert_eq!(json(r#"{"password":"{{token:1}}","a":1}"#), json(r#"{"a":1}"#));
    assert_ne!(json(r#"{"max_tokens":100}"#), json(r#"{"max_tokens":200}"#), "a count is no secret");
}

#[test]
fn s1_first_in_first_out_per_key_and_s11_any_order_between_keys() {
    let (get_key, post_key) = (get("https://a/x"), post("text/plain", "b"));
    let index = Index::new([(get_key, get_key), (post_key, post_key), (get_key, get_key)], Repeat::Error);
    assert_eq!(index.take_exact(post_key), Taken::Hit(1));
    assert_eq!(index.take_exact(get_key), Taken::Hit(0));
    assert_eq!(index.take_exact(get_key), Taken::Hit(2));
    assert_eq!(index.take_exact(get_key), Taken::Exhausted(2));
    assert_eq!(index.take_exact(get("https://a/y")), Taken::Unknown);
}

#[test]
fn s5_repeat_policies() {
    let key = get("https://a/x");
    let take = |repeat, times: usize| {
        let index = Index::new([(key, key); 3], repeat);
        (0..times).map(|_| index.take_exact(key)).collect::<Vec<_>>()
    };
    assert_eq!(take(Repeat::Last, 5)[3..], [Taken::Hit(2), Taken::Hit(2)]);
    assert_eq!(take(Repeat::Cycle, 5)[3..], [Taken::Hit(0), Taken::Hit(1)]);
}

#[test]
fn s10_take_is_exact_under_100_threads() {
    let key = get("https://a/x");
    let index = Index::new(vec![(key, key); 5000], Repeat::Error);
    let taken: Vec<Taken> = std::thread::scope(|scope| {
        let index = &index;
        let take = move || (0..60).map(|_| index.take_exact(key)).collect::<Vec<_>>();
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(take)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let hits: Vec<usize> = taken
        .iter()
        .filter_map(|taken| if let Taken::Hit(entry) = taken { Some(*entry) } else { None })
        .collect();
    assert_eq!(hits.len(), 5000);
    assert_eq!(hits.iter().collect::<HashSet<_>>().len(), 5000, "none twice");
    assert!((0..5000).all(|entry| index.uses(entry) == 1));
}

#[test]
fn m12_differences_name_the_fields() {
    let recorded = parts(
        "POST",
        "https://a/x?city=seoul&n=1",
        &[("content-type", "application/json")],
        br#"{"a":{"b":[1,2]},"c":1}"#,
    );
    let actual = parts(
        "PUT",
        "https://a/x?city=busan",
        &[("content-type", "application/json"), ("range", "bytes=0-")],
        br#"{"a":{"b":[1,3]},"d":1}"#,
    );
    let fields: Vec<_> = difference(&recorded, &actual)
        .into_iter()
        .map(|difference| {
            (difference.field, difference.recorded.unwrap_or_default(), difference.actual.unwrap_or_default())
        })
        .collect();
    let expected = [
        ("method", "POST", "PUT"),
        ("query city", "seoul", "busan"),
        ("query n", "1", ""),
        ("header range", "", "bytes=0-"),
        ("json $.a.b[1]", "2", "3"),
        ("json $.c", "1", ""),
        ("json $.d", "", "1"),
    ];
    assert_eq!(
        fields,
        expected.map(|(field, left, right)| (field.to_owned(), left.to_owned(), right.to_owned()))
    );
}

#[test]
fn m13_k8_miss_body_is_bounded_and_says_how_to_fix() {
    let long = |character: char| {
        format!("{{\"{}\":\"{}\"}}", "k".repeat(400), character.to_string().repeat(2_000_000))
    };
    let side = |character| {
        parts("POST", "https://a/x", &[("content-type", "application/json")], long(character).as_bytes())
    };
    let reason = MissReason::NearMiss {
        recording: "POST https://a/x".to_owned(),
        differences: difference(&side('\u{1f600}'), &side('x')),
        rules: Vec::new(),
    };
    let url = format!("https://a/{}", "\u{1}".repeat(30_000));
    let miss = Miss::new(Missed {
        method: "POST",
        url: &url,
        reason,
        session: "w.session.json",
        record_command: Some("mcpeak test s.json --record"),
    });
    let body = miss.body();
    assert!(body.len() <= 16 * 1024, "{}", body.len());
    let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(value["kind"], "mcpeak-replay-miss");
    assert!(value["fix"].as_str().unwrap().contains("mcpeak test s.json --record"));
}

proptest! {
    #[test]
    fn key_ignores_order_between_names(pairs in proptest::collection::vec(("[a-c]", "[0-9]{0,2}"), 0..6), rotate in 0..6_usize) {
        let query = |pairs: &[(String, String)]| pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&");
        let mut sorted = pairs.clone();
        sorted.sort_by(|left, right| left.0.cmp(&right.0));
        prop_assert_eq!(get(&format!("https://a/x?{}", query(&pairs))), get(&format!("https://a/x?{}", query(&sorted))));
        let mut rotated = pairs.clone();
        if !rotated.is_empty() { let by = rotate % rotated.len(); rotated.rotate_left(by); }
        let order = |list: &[(String, String)]| { let mut list = list.to_vec(); list.sort_by(|left, right| left.0.cmp(&right.0)); list };
        let same = order(&pairs) == order(&rotated);
        prop_assert_eq!(same, get(&format!("https://a/x?{}", query(&pairs))) == get(&format!("https://a/x?{}", query(&rotated))));
    }
}
