//! A server started by `npx`, which asks the registry unless it is told not to.

use std::process::Command;

use bytes::Bytes;
use serde_json::json;

use crate::github;
use crate::support::answer::{Answer, not_found, ok, text};
use crate::support::context::repository;
use crate::support::{Api, Asked, Context, Server, cases, installed};

const PACKAGE: &str = "@modelcontextprotocol/server-github";
const VERSION: &str = "2025.4.8";

#[test]
fn npx_starts_a_package_of_its_cache_without_its_registry() {
    let cache = installed::path("npm-cache");
    let package = format!("{PACKAGE}@{VERSION}");
    let line = ["npx", "--offline", "--yes", "--no-update-notifier", "--cache", &cache, &package];
    github::server(line.map(str::to_owned).to_vec()).records_and_replays();
}

#[test]
fn npx_starts_an_installed_package_without_its_registry() {
    let servers = installed::path("");
    let line = ["npx", "--no-install", "--no-update-notifier", PACKAGE];
    let server = github::server(line.map(str::to_owned).to_vec());
    Server { flags: vec!["--cwd".to_owned(), servers], ..server }.records_and_replays();
}

/// Every start is the first one, and npm is configured to trust certain roots only, as behind a company's proxy.
const FIRST_START: &str = "rm -rf ~/.npm; echo cafile=$HOME/registry.example.pem >~/.npmrc; \
    exec npx --yes --no-audit --no-update-notifier --registry https://registry.example example-weather@1.0.0";

#[test]
fn npx_installs_from_the_recording_what_it_installed_when_recording() {
    let package = packed();
    Server {
        command: ["sh", "-c", FIRST_START].map(str::to_owned).to_vec(),
        apis: vec![Api::start("registry.example", move |asked| registry(asked, &package)), Api::weather()],
        suite: cases::suite(&[
            cases::lists(&["get_weather"]),
            cases::returns(
                "get_weather",
                &json!({"city": "Seoul"}),
                &json!({"type": "object", "properties": {"tempC": {"const": 21}}}),
            ),
        ]),
        asks: &[
            "GET https://api.weather.example/v1/weather",
            "GET https://registry.example/example-weather",
            "GET https://registry.example/example-weather/-/example-weather-1.0.0.tgz",
        ],
        ..Server::default()
    }
    .records_and_replays();
}

fn registry(asked: &Asked, package: &Bytes) -> Answer {
    let tarball = "/example-weather/-/example-weather-1.0.0.tgz";
    match asked.path.as_str() {
        "/example-weather" => ok(&json!({
            "name": "example-weather", "dist-tags": {"latest": "1.0.0"},
            "versions": {"1.0.0": {
                "name": "example-weather", "version": "1.0.0", "bin": {"example-weather": "start.mjs"},
                "dist": {"tarball": format!("https://registry.example{tarball}")},
            }},
        })),
        path if path == tarball => text(200, "application/octet-stream", package.clone()),
        _ => not_found(asked),
    }
}

/// The example server as npm packs it.
fn packed() -> Bytes {
    let context = Context::new();
    let folder = repository("examples/weather");
    context.write("package/tools.json", std::fs::read(folder.join("tools.json")).expect("the tools"));
    for file in std::fs::read_dir(folder.join("node")).expect("the example is there") {
        let file = file.expect("an entry").path();
        let name = file.file_name().expect("a name").to_string_lossy();
        context.write(&format!("package/node/{name}"), std::fs::read(&file).expect("a file"));
    }
    context.write("package/start.mjs", "#!/usr/bin/env node\nimport './node/server.mjs';\n");
    let manifest =
        json!({"name": "example-weather", "version": "1.0.0", "bin": {"example-weather": "start.mjs"}});
    context.write("package/package.json", manifest.to_string());
    let tar =
        Command::new("tar").args(["-czf", "package.tgz", "package"]).current_dir(context.folder()).status();
    assert!(tar.expect("tar is there; apt-get install tar").success());
    Bytes::from(std::fs::read(context.path("package.tgz")).expect("tar wrote it"))
}
