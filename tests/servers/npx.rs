//! A server started by `npx`, which asks the registry unless it is told not to.

use crate::github;
use crate::support::{Server, installed};

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
