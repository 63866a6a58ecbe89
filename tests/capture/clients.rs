//! One test for each client stack: recorded as root and as an ordinary user, over https and http, by host name.

use crate::world::{HOST, ORDINARY, World, installed, record, replay};

const HTTPS: &str = "https://api.capture.example/one";
const HTTP: &str = "http://api.capture.example/two";

/// Records and replays a client, as root and as an ordinary user.
#[track_caller]
fn records_and_replays(client: &[&str]) {
    for user in [None, Some(ORDINARY)] {
        let world = World::new(user);
        let recorded = record(&world, client).expect_code(0);
        let counted = |verb: &str| [format!("https://{HOST}  1 {verb}"), format!("http://{HOST}  1 {verb}")];
        for words in counted("recorded") {
            assert!(recorded.stderr.contains(&words), "no {words:?} in {}", recorded.stderr);
        }
        let session = world.read("s.json");
        for scheme in ["https", "http"] {
            assert!(session.contains(&format!("\"{scheme}://{HOST}/")), "{session}");
        }
        let replayed = replay(&world, client).expect_code(0);
        assert_eq!(replayed.stdout, recorded.stdout, "{}", replayed.stderr);
        for words in counted("replayed") {
            assert!(replayed.stderr.contains(&words), "no {words:?} in {}", replayed.stderr);
        }
        assert!(replayed.stderr.contains("connections opened by the proxy: 0"), "{}", replayed.stderr);
        assert!(!replayed.stdout.trim().is_empty());
    }
}

fn node(kind: &str) {
    records_and_replays(&["node", &installed("node/client.mjs"), kind, HTTPS, HTTP]);
}

fn python(kind: &str) {
    records_and_replays(&[&installed("venv/bin/python"), &installed("python/client.py"), kind, HTTPS, HTTP]);
}

#[test]
fn curl() {
    records_and_replays(&["curl", "-sS", HTTPS, HTTP]);
}

#[test]
fn wget() {
    records_and_replays(&["wget", "-nv", "-t1", "-O-", HTTPS, HTTP]);
}

#[test]
fn git_ls_remote() {
    records_and_replays(&["sh", "-c", "git ls-remote $0 && git ls-remote $1", HTTPS, HTTP]);
}

#[test]
fn k13_node_fetch() {
    node("fetch");
}

#[test]
fn node_http_and_https() {
    node("http");
}

#[test]
fn node_axios() {
    node("axios");
}

#[test]
fn node_got() {
    node("got");
}

#[test]
fn node_undici_agent() {
    node("undici");
}

#[test]
fn node_dns_resolve() {
    node("resolve");
}

#[test]
fn python_urllib() {
    python("urllib");
}

#[test]
fn t1_python_requests() {
    python("requests");
}

#[test]
fn t1_python_httpx() {
    python("httpx");
}

#[test]
fn t1_python_aiohttp() {
    python("aiohttp");
}

#[test]
fn go_static() {
    records_and_replays(&[&installed("go-client"), HTTPS, HTTP]);
}

#[test]
fn rust_with_the_systems_roots() {
    records_and_replays(&[&installed("rust-client"), "native", HTTPS, HTTP]);
}

#[test]
fn rust_with_roots_compiled_in_is_reported_as_untrusting() {
    let world = World::new(None);
    let client = installed("rust-client");
    let run = record(&world, &[&client, "webpki", HTTPS]).expect_code(1);
    let refused = run.stderr.lines().find(|line| line.contains("rust-client") && line.contains(HOST));
    assert!(refused.is_some(), "{}", run.stderr);
    // Over http there is nothing to refuse.
    let world = World::new(None);
    let recorded = record(&world, &[&client, "webpki", HTTP]).expect_code(0);
    let replayed = replay(&world, &[&client, "webpki", HTTP]).expect_code(0);
    assert_eq!(replayed.stdout, recorded.stdout);
}

#[test]
fn t2_java_http_client() {
    records_and_replays(&["java", "-cp", &installed("java"), "Client", "client", HTTPS, HTTP]);
}

#[test]
fn t2_java_http_url_connection() {
    records_and_replays(&["java", "-cp", &installed("java"), "Client", "connection", HTTPS, HTTP]);
}

#[test]
fn ruby_net_http() {
    records_and_replays(&["ruby", &installed("ruby/client.rb"), HTTPS, HTTP]);
}

#[test]
fn php_streams() {
    records_and_replays(&["php", &installed("php/client.php"), "streams", HTTPS, HTTP]);
}

#[test]
fn php_curl() {
    records_and_replays(&["php", &installed("php/client.php"), "curl", HTTPS, HTTP]);
}

#[test]
fn a_tree_of_different_programs() {
    let script = format!(
        "node {} fetch $0; (setsid {} {} urllib $1 | cat)",
        installed("node/client.mjs"),
        installed("venv/bin/python"),
        installed("python/client.py"),
    );
    records_and_replays(&["sh", "-c", &script, HTTPS, HTTP]);
}
