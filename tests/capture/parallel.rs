//! Many connections at the same time, each recorded under its own name.

use crate::world::{Origin, World, installed, record_from, replay};

const CONNECTIONS: usize = 200;

/// Half of them by TLS.
fn asked() -> Vec<(&'static str, String)> {
    (0..CONNECTIONS)
        .map(|number| {
            let scheme = if number % 2 == 0 { "https" } else { "http" };
            (scheme, format!("h{number}.capture.example"))
        })
        .collect()
}

#[track_caller]
fn each_answer_is_of_its_own_name(client: &[&str]) {
    let asked = asked();
    let urls: Vec<_> = asked.iter().map(|(scheme, name)| format!("{scheme}://{name}/name")).collect();
    let client: Vec<_> =
        client.iter().copied().chain(["--at-once"]).chain(urls.iter().map(String::as_str)).collect();
    // The origin says by which name it was asked; the client prints in the order of the names.
    let lines: Vec<_> = asked.iter().map(|(scheme, name)| format!("200 {scheme} {name}\n")).collect();
    let expected = lines.concat();
    let world = World::new(None);
    let origin = Origin::named("*.capture.example", asked.into_iter().map(|(_, name)| name).collect());
    let recorded = record_from(origin, &world, &client).expect_code(0);
    assert_eq!(recorded.stdout, expected, "{}", recorded.stderr);
    let replayed = replay(&world, &client).expect_code(0);
    assert_eq!(replayed.stdout, expected, "{}", replayed.stderr);
    let words = format!("{CONNECTIONS} outbound calls replayed");
    replayed.expect_stderr(&[&words, "connections opened by the proxy: 0"]);
}

#[test]
fn two_hundred_of_node_are_recorded_under_their_names() {
    each_answer_is_of_its_own_name(&["node", &installed("node/client.mjs"), "fetch"]);
}

#[test]
fn two_hundred_of_go_are_recorded_under_their_names() {
    each_answer_is_of_its_own_name(&[&installed("go-client")]);
}

#[test]
fn two_hundred_of_python_are_recorded_under_their_names() {
    each_answer_is_of_its_own_name(&[
        &installed("venv/bin/python"),
        &installed("python/client.py"),
        "urllib",
    ]);
}
