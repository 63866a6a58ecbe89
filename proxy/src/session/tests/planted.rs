//! One secret planted in every form it is met in: named, by value, by shape. It is looked for in every byte of journal, session,
//! side files, report and miss.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcpeak_core::redact::Redactor;

use super::super::journal::path_of;
use super::super::{Recorder, recover};
use super::{Call, Place, Take, bytes, get, gzip, hit, post, response, secrets, send, take};
use crate::report::{Counts, Warning};

/// Too short to be searched for: only its name tells it.
const NAMED: &str = "zq7 horse staple";
/// As one word.
const WORD: &str = "zq7horse";
/// Long enough to be searched for where it has no name.
const TOKEN: &str = "tok-0123456789-abcdefgh";
/// The value of a variable, with an ampersand in it.
const VALUE: &str = "v4l-ue/a&b=c+d 5";

fn redactor() -> Redactor {
    secrets(&[("API_VALUE", VALUE)])
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Bodies that hold `NAMED` or `WORD` under a name, with their types.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let json = format!(r#"{{"password":"{NAMED}","a":"kept"}}"#);
    let text = |text: String| text.into_bytes();
    let multipart = |rest: &str, end: &str| {
        let file = [
            b"--B".as_slice(),
            end.as_bytes(),
            b"Content-Disposition: form-data; name=\"f\"; filename=\"x\"",
            end.as_bytes(),
            end.as_bytes(),
            b"\xff\x00",
            end.as_bytes(),
        ]
        .concat();
        [file, rest.replace('\n', end).into_bytes()].concat()
    };
    let part = |head: &str, content: &str| {
        format!("--B\nContent-Disposition: form-data; {head}\n\n{content}\n--B--\n")
    };
    let deep = format!("{}{json}{}", "[".repeat(200), "]".repeat(200));
    vec![
        ("application/json", text(json.clone())),
        ("text/plain", text(json.clone())),
        ("application/octet-stream", text(json.clone())),
        ("text/javascript", text(format!("callback({json});"))),
        ("application/jsonl", text(format!("{json}\n{json}\n"))),
        ("application/json", text(format!("\u{feff}{json}"))),
        ("application/json", text(format!("{{\"password\":\"{NAMED}\",}}"))),
        ("application/json", [json.as_bytes(), b"\xff"].concat()),
        ("application/json", [b"{\"b\":\"\xff\",", &json.as_bytes()[1..]].concat()),
        ("application/json", utf16(&json)),
        ("application/json", [b"\xff\xfe".to_vec(), utf16(&json)].concat()),
        ("application/json", text(format!("{{\"a\":1,\"password\":\"{NAMED}"))),
        ("application/json", text(deep)),
        ("application/json", text(format!(r#"{{"text":" {{\"password\":\"{NAMED}\"}}"}}"#))),
        ("application/json", text(format!(r#"{{"text":"see {{\"password\" : \"{NAMED}\"}} there"}}"#))),
        ("text/plain", text(format!(r#"x {{"t":"{{\"u\":\"{{\\\"password\\\":\\\"{NAMED}\\\"}}\"}}"}} y"#))),
        (
            "application/json",
            text(format!(r#"{{"tokens":["{NAMED}"],"credentials":{{"a":{{"b":"{NAMED}"}}}}}}"#)),
        ),
        (
            "text/plain",
            text(format!(r#"x = {{"tokens":["{NAMED}"],"credentials":{{"a":{{"b":"{NAMED}"}}}}}}"#)),
        ),
        ("text/plain", text(format!(r#"x = {{"pass\u0077ord":"{NAMED}","password":"{{{{{NAMED}"}}"#))),
        ("application/json", text(format!(r#"{{"tokens":"9{WORD}"}}"#))),
        (
            "application/json",
            text(format!(r#"[{{"name":"Authorization","value":"Bearer {WORD}"}},["Cookie","a={WORD}"]]"#)),
        ),
        ("text/plain", text(format!("GET / HTTP/1.1\nAuthorization: Bearer {WORD}-1234\n"))),
        (
            "application/json",
            text(format!(r#"{{"u":"https://me:{WORD}@h/?user[password]={WORD}#access_token={WORD}"}}"#)),
        ),
        ("text/html", text(format!("<a href=\"https:\\/\\/h\\/?x=1&amp;token={WORD}\">"))),
        ("multipart/form-data; boundary=B", multipart(&part("name=\"password\"", NAMED), "\r\n")),
        ("multipart/form-data; boundary=B", multipart(&part("name=\"a;password\"", NAMED), "\r\n")),
        ("multipart/form-data; boundary=B", multipart(&part("name=\"j\"", &json), "\r\n")),
        ("multipart/form-data; boundary=B", multipart(&part("name=\"password\"", NAMED), "\n")),
        ("application/x-www-form-urlencoded", [b"a=\xff&password=".as_slice(), WORD.as_bytes()].concat()),
        ("application/x-www-form-urlencoded", text(format!("user%5Bpassword%5D={WORD}&b=1;password={WORD}"))),
        ("application/x-www-form-urlencoded", text(format!("j=%7B%22password%22%3A%22{WORD}%22%7D"))),
        ("", text(format!("a=1&password={WORD}"))),
        ("text/event-stream", text(format!("data: {{\"password\":\ndata: \"{NAMED}\"}}\n\n"))),
        ("text/event-stream", text(format!("data: {json}\r\rdata: {json}\r\r"))),
        ("text/event-stream", text(format!("\u{feff}data: {json}\n\n"))),
        (
            "text/event-stream",
            [b"data: \xff\n\n".as_slice(), format!("data: {json}\n\n").as_bytes()].concat(),
        ),
        ("text/event-stream", text(format!("data: see {json}\n\n"))),
    ]
}

#[track_caller]
fn assert_clean(name: &str, content: &[u8]) {
    let words = [WORD, "horse staple", "zq7", TOKEN, "0123456789-abc", "v4l-ue", "v4l%2d"];
    let wide: Vec<Vec<u8>> = words.iter().map(|word| utf16(word)).collect();
    let plain = words.iter().map(|word| word.as_bytes().to_vec());
    let needles: Vec<Vec<u8>> = plain.chain(wide).collect();
    let search = aho_corasick::AhoCorasick::new(&needles).unwrap();
    let found = search.find(content).map(|found| {
        let from = found.start().saturating_sub(120);
        String::from_utf8_lossy(&content[from..(found.end() + 40).min(content.len())]).into_owned()
    });
    assert_eq!(found, None, "in {name}");
}

fn assert_clean_place(place: &Place) {
    for (name, content) in place.files() {
        assert_clean(&name, &content);
        let text = String::from_utf8_lossy(&content);
        for hidden in text.split('"').filter(|piece| piece.len() > 16) {
            let Ok(hidden) = STANDARD.decode(hidden) else { continue };
            assert_clean(&format!("base64 in {name}"), &hidden);
            let codings = super::super::coding::Codings::parse(Some("gzip")).unwrap();
            let plain = codings.decode(&hidden, 1 << 26).unwrap_or_else(|error| error.partial);
            assert_clean(&format!("gzip in {name}"), &plain);
        }
    }
}

/// Records, looks at the journal, completes, looks at the file, replays every call, and misses each once.
async fn check(calls: &[Call]) {
    let place = Place::new();
    let recorder = Recorder::create(&place.path(), false, redactor()).unwrap();
    for call in calls {
        send(&recorder, call);
    }
    while std::fs::read_to_string(path_of(&place.path())).unwrap().lines().count() < calls.len() + 1 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_clean_place(&place);
    let report = recorder.complete(&Counts::default()).await.unwrap();
    assert_clean("report", &serde_json::to_vec(&report).unwrap());
    assert_clean_place(&place);
    let before = place.text();
    place.record(redactor(), true, calls).await;
    assert_eq!(before, place.text(), "recorded again without a difference");
    let replay = place.replay(redactor());
    for call in calls {
        hit(&replay, call);
    }
    for call in calls {
        let Take::Miss(miss) = take(&replay, call) else { panic!("every recording is used") };
        assert_clean("miss", &miss.body());
        let mut other = call.clone();
        other.head.path.push_str("/other");
        let Take::Miss(miss) = take(&replay, &other) else { panic!("nothing is recorded there") };
        assert_clean("miss", &miss.body());
        let mut near = call.clone();
        near.head.query = Some(near.head.query.map_or("q=9".to_owned(), |query| format!("{query}&q=9")));
        let Take::Miss(miss) = take(&replay, &near) else { panic!("nothing is recorded there") };
        assert_clean("near miss", &miss.body());
    }
    assert_clean("miss report", &serde_json::to_vec(&replay.report(&Counts::default())).unwrap());
}

fn call_with(index: usize, kind: &str, body: &[u8], answer: &[u8]) -> Call {
    let mut call = post(&format!("/{index}"), kind, body.to_vec(), "");
    if kind.is_empty() {
        call.head.headers.remove("content-type");
    }
    let fields = [("Content-Type", kind)];
    call.answered(if kind.is_empty() { &[] } else { &fields }, answer.to_vec())
}

#[tokio::test]
async fn named_secrets_in_bodies_of_every_form() {
    let calls =
        bodies().into_iter().enumerate().map(|(index, (kind, body))| call_with(index, kind, &body, &body));
    check(&calls.collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn named_secrets_in_encoded_and_cut_bodies() {
    let mut calls = Vec::new();
    let json = format!("[{}{{\"password\":\"{NAMED}\"}}", "\"pad\",".repeat(2000));
    let whole = gzip(json.as_bytes());
    let mut once = call_with(0, "application/json", b"{}", &whole);
    once.response.headers.push("Content-Encoding", "gzip");
    calls.push(once);
    let mut twice = call_with(1, "application/json", b"{}", &gzip(&whole));
    twice.response.headers.push("Content-Encoding", "gzip");
    twice.response.headers.push("Content-Encoding", "gzip");
    calls.push(twice);
    let mut cut = call_with(2, "application/json", b"{}", &whole[..whole.len() - 9]);
    cut.response.headers.push("Content-Encoding", "gzip");
    calls.push(cut);
    check(&calls).await;
}

#[tokio::test]
async fn named_secrets_in_large_bodies() {
    // What needs a value as a whole is not known in a stream: UTF-16, pairs of name and value, JSON in a form's value.
    let whole = |body: &[u8]| {
        body.starts_with(b"[{\"name\"")
            || body.starts_with(b"j=")
            || body.ends_with(NAMED.as_bytes())
            || body.get(1) == Some(&0)
            || body.get(3) == Some(&0)
    };
    let (mut members, mut forms, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    let pad = "p".repeat(4_300_000);
    for (kind, body) in bodies().into_iter().filter(|(_, body)| !whole(body)) {
        if kind.starts_with("multipart") {
            let head = format!(
                "--B\r\nContent-Disposition: form-data; name=\"pad\"\r\n\r\n{}\r\n",
                if calls.is_empty() { &pad } else { "" }
            );
            let body = [head.as_bytes(), &body].concat();
            let request = if calls.is_empty() { b"--B--".to_vec() } else { body.clone() };
            calls.push(call_with(calls.len(), kind, &request, &body));
        } else if kind.contains("urlencoded") || kind.is_empty() {
            forms.extend([&body, b"&".as_slice()].concat());
        } else {
            members.extend([&body, b"\n".as_slice()].concat());
        }
    }
    let large = |body: &[u8]| [pad.as_bytes(), b"\n&", body].concat();
    calls.push(call_with(10, "application/x-www-form-urlencoded", b"a=1", &large(&forms)));
    calls.push(call_with(11, "text/plain", &large(&members), &large(&members)));
    check(&calls).await;
}

#[tokio::test]
async fn secrets_in_heads_and_targets() {
    let mut calls = vec![
        get(&format!("/a?user[password]={WORD}&x=1"), "{}"),
        get(&format!("/b?user%5Bpassword%5D={WORD}&auth.token={WORD}"), "{}"),
        get(&format!("/c?a=1;password={WORD}"), "{}"),
        get(&format!("/d?redirect=https%3A%2F%2Fh%2F%3Faccess_token%3D{WORD}"), "{}"),
        get(&format!("/e?u=https://me:{WORD}@h/"), "{}"),
        get(&format!("/f?variables=%7B%22password%22%3A%22{WORD}%22%7D"), "{}"),
        get(&format!("/g?q={VALUE}"), "{}"),
        get(&format!("/h/{TOKEN}?token={TOKEN}"), "{}"),
        get(&format!("/i?a={TOKEN}&token={TOKEN}"), "{}"),
        post(&format!("/j/{TOKEN}"), "application/json", format!("{{\"token\":\"{TOKEN}\"}}"), "{}"),
        get(&format!("/k/{TOKEN}"), "{}").request_header("Authorization", &format!("Bearer {TOKEN}")),
        get(&format!("/l/{TOKEN}"), "{}")
            .request_header("Authorization", &format!("Basic {}", STANDARD.encode(format!("u:{TOKEN}")))),
        get("/m", "{}").answered(&[("X-Passphrase-Password", NAMED)], "{}"),
    ];
    let mut heads = get("/n", "{}").answered(
        &[
            ("Set-Cookie", &format!("sid={WORD}; Path=/x; Secret={WORD}")),
            ("Set-Cookie", WORD),
            ("Set-Cookie", &format!("a=; Path={VALUE}")),
            ("Set-Cookie", &format!("a=1; Path=/, sid={WORD}; HttpOnly")),
            ("Location", &format!("/cb#access_token={WORD}")),
            ("Link", &format!("<https://{TOKEN}@h/>; rel=next, <https://u:{WORD}@{WORD}@h/>")),
            ("WWW-Authenticate", &format!("Custom realm=\"r\", token=\"{WORD}\"")),
            ("X-Secret", NAMED),
            (TOKEN, "1"),
            ("X-Token", TOKEN),
        ],
        "{}",
    );
    heads.response.reason = Some(format!("No {TOKEN} {VALUE}"));
    calls.push(heads);
    let mut method = get("/o", "{}").request_header("X-Token", TOKEN);
    method.head.method = TOKEN.to_owned();
    calls.push(method);
    check(&calls).await;
}

#[tokio::test]
async fn a_recovered_file_is_clean_and_knows_late_values() {
    let place = Place::new();
    let recorder = Recorder::create(&place.path(), false, Redactor::default()).unwrap();
    let pad = "p".repeat(70_000);
    let calls = [
        get(&format!("/a?q={VALUE}"), VALUE),
        get("/b", &format!("{pad}{VALUE}")),
        get("/c?api_key=k-1", "{\"token\":\"t-1\"}"),
    ];
    for call in &calls {
        send(&recorder, call);
    }
    while std::fs::read_to_string(path_of(&place.path())).unwrap().lines().count() < 4 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    drop(recorder);
    loop {
        match recover(&place.path(), true, redactor()) {
            Ok(recovered) => break assert_eq!(recovered.exchanges, 3),
            // The writer's lock goes with its thread.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(2)).await,
        }
    }
    assert_clean_place(&place);
    let replay = place.replay(redactor());
    assert_eq!(bytes(&hit(&replay, &calls[0])), VALUE.as_bytes());
    assert_eq!(bytes(&hit(&replay, &calls[1])), format!("{pad}{VALUE}").as_bytes());
    assert!(place.text().contains("{{token:1}}") && place.text().contains("{{token:2}}"));
}

#[tokio::test]
async fn a_value_in_an_unusual_writing() {
    let percent = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let lines = STANDARD.encode(format!("{}{VALUE}{}", "x".repeat(50), "y".repeat(60)));
    let lines: Vec<_> = lines.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let texts = [
        percent(VALUE).replace("%2F", "%2f"),
        percent(&percent(VALUE)),
        VALUE.replace('-', "\\u002d"),
        VALUE.replace('&', "&amp;"),
        lines.join("\r\n"),
        lines.join("\\n"),
    ];
    let calls = texts.iter().enumerate().map(|(index, text)| {
        let mut call = call_with(index, "text/plain", text.as_bytes(), text.as_bytes());
        call.head.query = Some(format!("q={}", percent(VALUE).replace("%2D", "%2d")));
        call
    });
    let calls: Vec<_> = calls.collect();
    check(&calls).await;
    let place = Place::new();
    place.record(redactor(), false, &calls).await;
    let text = place.text();
    assert!(lines.iter().all(|line| !line.contains("djRs") || !text.contains(&line[52..])), "{text}");
}

#[tokio::test]
async fn a_value_in_the_host_is_warned_of() {
    let place = Place::new();
    let call = get("/a", "{}");
    let known = secrets(&[("API_HOST", "api.example.com")]);
    let report = place.record(known.clone(), false, std::slice::from_ref(&call)).await;
    let origin = "https://{{secret:API_HOST}}".to_owned();
    assert_eq!(report.warnings, [Warning::HostStored { origin }]);
    hit(&place.replay(known), &call);
}

#[tokio::test]
async fn what_reads_like_a_pseudonym_is_replayed_as_it_was() {
    let place = Place::new();
    let text = r#"{"a":"{{secret:API_VALUE}} {{token:~1}} {{token}}","token":"t-1"}"#;
    let fields = [("Content-Type", "application/json"), ("X-Echo", "{{secret:API_VALUE}}")];
    let large = format!("{text}{}", " ".repeat(70_000));
    let calls = [get("/a", "").answered(&fields, text), get("/b", "").answered(&fields, large.clone())];
    place.record(redactor(), false, &calls).await;
    let replay = place.replay(redactor());
    let expected = text.replace("t-1", "{{token:1}}");
    let stored = hit(&replay, &calls[0]);
    assert_eq!(String::from_utf8_lossy(&bytes(&stored)), expected);
    assert_eq!(response(&stored).headers.get("x-echo"), Some("{{secret:API_VALUE}}"));
    assert_eq!(bytes(&hit(&replay, &calls[1])), large.replace("t-1", "{{token:1}}").into_bytes());
}

#[tokio::test]
async fn what_is_not_secret_keeps_its_bytes() {
    let place = Place::new();
    let texts = [
        ("text/plain", "https://example.com/?q=1&tokens=12#top \"note: 5\" a:b@c 'x': 1 ssh://git@h/x"),
        ("text/javascript", "var a = {\"tokenCount\": 5, 'name': \"x\", \"max_tokens\": 100};"),
        ("text/event-stream", "event: x\ndata: {\"usage\":{\"total_tokens\": 12}}\n\n"),
        (
            "multipart/form-data; boundary=B",
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--B--\r\n",
        ),
        ("application/x-www-form-urlencoded", "a=1&b=%2f+c&d=x;y=z&e=https%3a%2f%2fh%2f%3fq%3d1"),
        (
            "application/json",
            "{\"required\":[\"password\",\"email\"],\"token\":null,\"u\":\"https:\\/\\/h\\/?a=b\"}",
        ),
    ];
    let calls: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(index, (kind, text))| call_with(index, kind, text.as_bytes(), text.as_bytes()))
        .collect();
    place.record(redactor(), false, &calls).await;
    let replay = place.replay(redactor());
    for (call, (_, text)) in calls.iter().zip(texts) {
        let stored = hit(&replay, call);
        assert_eq!(String::from_utf8_lossy(&bytes(&stored)), text);
        assert!(response(&stored).headers.contains("content-type"));
    }
    assert!(!place.text().contains("{{"), "{}", place.text());
}
