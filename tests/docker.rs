//! The image, in a real Docker engine. `bash tests/run.sh` starts the engine and builds `mcpeak:test`.

#[path = "docker/capture.rs"]
mod capture;

use std::process::{Command, Output};

const IMAGE: &str = "mcpeak:test";

fn docker(arguments: &[&str]) -> Output {
    Command::new("docker").args(arguments).output().expect("docker is installed")
}

#[track_caller]
fn succeeds(arguments: &[&str]) -> String {
    let output = docker(arguments);
    assert!(
        output.status.success(),
        "docker {arguments:?}: {}\n{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn image_is_small_and_has_no_root_and_no_shell() {
    let inspected = succeeds(&["image", "inspect", IMAGE]);
    let inspected: serde_json::Value = serde_json::from_str(&inspected).expect("JSON");
    let size = inspected[0]["Size"].as_u64().expect("a size");
    assert!(size < 25 * 1024 * 1024, "{size} bytes");
    let config = &inspected[0]["Config"];
    assert_eq!(config["User"], "65532:65532");
    assert_eq!(config["Healthcheck"]["Test"], serde_json::json!(["CMD", "/mcpeak", "healthcheck"]));
    let shell = docker(&["run", "--rm", "--entrypoint", "/bin/sh", IMAGE, "-c", "true"]);
    assert!(!shell.status.success(), "there is a shell");
}

#[test]
fn demo_runs_hardened_and_without_a_network() {
    let story = succeeds(&[
        "run",
        "--rm",
        "--network",
        "none",
        "--read-only",
        "--tmpfs",
        "/tmp",
        "--cap-drop",
        "ALL",
        "--security-opt",
        "no-new-privileges",
        IMAGE,
        "demo",
    ]);
    assert!(story.contains("byte for byte") && story.contains("exit code 1"), "{story}");
}

/// Takes the container away with the test.
struct Container(String);

impl Drop for Container {
    fn drop(&mut self) {
        docker(&["rm", "--force", &self.0]);
    }
}

#[test]
fn proxy_becomes_healthy_and_stops_in_order() {
    let id = succeeds(&[
        "run",
        "--detach",
        "--health-interval",
        "1s",
        IMAGE,
        "proxy",
        "--listen",
        "0.0.0.0:8080",
        "--admin",
        "0.0.0.0:9090",
    ]);
    let container = Container(id.trim().to_owned());
    let healthy = (0..120).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(250));
        succeeds(&["inspect", "--format", "{{.State.Health.Status}}", &container.0]).trim() == "healthy"
    });
    assert!(healthy, "{}", succeeds(&["logs", &container.0]));
    succeeds(&["stop", "--time", "30", &container.0]);
    let state = succeeds(&["inspect", "--format", "{{.State.ExitCode}}", &container.0]);
    // 137 would be the SIGKILL after the grace period.
    assert_eq!(state.trim(), "0");
}
