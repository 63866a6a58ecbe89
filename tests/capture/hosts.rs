//! Names and addresses of one service.

use crate::world::{HOST, World, record, replay};

#[test]
fn m19_an_address_is_known_by_the_name_that_the_client_gives() {
    // Recorded by name, replayed by a hard-coded address with the same Host and SNI.
    let world = World::new(None);
    let by_name = format!("https://{HOST}/one");
    let recorded = record(&world, &["curl", "-sS", &by_name]).expect_code(0);
    let pinned = format!("{HOST}:443:198.51.100.77");
    let replayed = replay(&world, &["curl", "-sS", "--resolve", &pinned, &by_name]).expect_code(0);
    assert_eq!(replayed.stdout, recorded.stdout);
}

#[test]
fn two_hundred_connections_each_know_their_name() {
    let world = World::new(None);
    let exchanges: Vec<_> = (0..200)
        .map(|n| {
            let scheme = if n % 2 == 0 { "https" } else { "http" };
            serde_json::json!({
                "request": { "method": "GET", "url": format!("{scheme}://h{n}.capture.example/"), "headers": [], "body": null },
                "response": {
                    "status": 200, "reason": "OK",
                    "headers": [["content-length", n.to_string().len().to_string()]],
                    "framing": "content-length",
                    "body": { "text": n.to_string() },
                },
            })
        })
        .collect();
    let session =
        serde_json::json!({ "format": "mcpeak-session", "version": 1, "rules": [], "exchanges": exchanges });
    let fetch = "Promise.all([...Array(200).keys()].map(async n => (await (await fetch(`${n % 2 ? 'http' : 'https'}://h${n}.capture.example/`)).text()) === String(n)))\
                 .then(all => console.log(all.filter(Boolean).length))";
    world.write("s.json", &session.to_string());
    let run = replay(&world, &["node", "-e", fetch]).expect_code(0);
    assert_eq!(run.stdout, "200\n", "{}", run.stderr);
    assert!(run.stderr.contains("200 outbound calls replayed"), "{}", run.stderr);
}

#[test]
fn k15_a_host_that_was_not_recorded_fails_the_run_by_name_and_is_not_reached() {
    let world = World::new(None);
    let known = format!("http://{HOST}/two");
    record(&world, &["curl", "-sS", &known]).expect_code(0);
    // What programs call beside their work, without looking at the answer.
    let client = "curl -sS -o /dev/null https://telemetry.capture.example/v1; curl -sS -o /dev/null http://169.254.169.254/latest/meta-data/; curl -sS $0";
    let run = replay(&world, &["sh", "-c", client, &known]).expect_code(1);
    assert_eq!(run.stdout, "http answers /two");
    run.expect_stderr(&[
        "2 calls without a recording",
        "GET https://telemetry.capture.example/v1",
        "GET http://169.254.169.254/latest/meta-data/",
        "https://telemetry.capture.example  1 missed",
        "http://169.254.169.254  1 missed",
        "connections opened by the proxy: 0",
    ]);
}
