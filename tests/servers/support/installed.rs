//! Where the servers are installed.

use std::path::PathBuf;

/// A server from npm, started by its script.
pub(crate) fn node(script: &str) -> Vec<String> {
    vec!["node".to_owned(), path(&format!("node_modules/{script}"))]
}

/// A server from PyPI, started by its command.
pub(crate) fn python(command: &str) -> Vec<String> {
    vec![path(&format!("venv/bin/{command}"))]
}

/// A path in the folder of installed servers. It must exist.
pub(crate) fn path(path: &str) -> String {
    let servers = std::env::var("MCPEAK_TEST_SERVERS")
        .expect("MCPEAK_TEST_SERVERS names the folder of installed servers; `bash tests/run.sh` makes it");
    let path = PathBuf::from(servers).join(path);
    assert!(path.exists(), "{} is not installed; `bash tests/run.sh` does that", path.display());
    path.display().to_string()
}
