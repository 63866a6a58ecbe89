//! The direction of dependencies is one way; this is the whole list of allowed edges between our crates.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crate, and what it may depend on. A new edge is a decision: docs/adr/0001-workspace.md.
const ALLOWED: &[(&str, &[&str])] = &[
    ("mcpeak", &["mcpeak-cli"]),
    ("mcpeak-cli", &["mcpeak-core", "mcpeak-proxy", "mcpeak-runner", "mcpeak-sandbox"]),
    ("mcpeak-runner", &["mcpeak-core"]),
    ("mcpeak-proxy", &["mcpeak-core"]),
    ("mcpeak-sandbox", &["mcpeak-core"]),
    ("mcpeak-core", &[]),
];

#[test]
fn crates_depend_in_one_direction() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");

    let mut seen = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let edges: BTreeSet<&str> = package["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .filter(|dependency| dependency["kind"].is_null())
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|name| name.starts_with("mcpeak"))
            .collect();
        seen.insert(package["name"].as_str().expect("name"), edges);
    }
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ALLOWED.iter().map(|(name, edges)| (*name, edges.iter().copied().collect())).collect();
    assert_eq!(seen, allowed, "an edge between crates was added or removed");
}
