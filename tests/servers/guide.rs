//! The table of the guide and what is installed are the same servers.

use std::collections::BTreeSet;

use crate::support::context::repository;

#[test]
fn the_guide_has_the_versions_that_are_installed() {
    let guide = read("docs/guide/servers.md");
    let rows: BTreeSet<(&str, &str)> = guide.lines().filter_map(row).collect();
    assert_eq!(rows.len(), 11, "{rows:?}");
    let script = read("tests/run.sh");
    for (name, version) in rows {
        let pins = [format!("{name}@{version}"), format!("{name}=={version}")];
        assert!(
            pins.iter().any(|pin| script.contains(pin)),
            "tests/run.sh does not install {name} {version}"
        );
    }
}

/// Name and version of a line of the table: its first cell begins with a name in backticks.
fn row(line: &str) -> Option<(&str, &str)> {
    let (first, rest) = line.strip_prefix("| `")?.split_once(" | ")?;
    let (name, _) = first.split_once('`')?;
    let (version, _) = rest.split_once(" | ")?;
    version.starts_with(|character: char| character.is_ascii_digit()).then_some((name, version))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
