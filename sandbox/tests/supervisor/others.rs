//! Programs that become someone else, or close themselves to our eyes.

use crate::support::{Tree, lines};

/// These tests are about what root may do; elsewhere they have nothing to show.
fn needs_root() {
    assert!(
        rustix::process::geteuid().is_root(),
        "these tests need root, to become another user; run the whole suite as tests/run.sh does"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_drops_its_user_is_captured() {
    needs_root();
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
script = "import os, socket; print(os.getuid(), socket.create_connection(('user.example.test', 80)).recv(99).decode().strip())"
for user in (1000, 33):
    done = subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", sys.executable, "-c", script], capture_output=True, text=True)
    print(done.stdout.strip(), done.stderr.strip()[-200:])
"#,
        )
        .await;
    assert_eq!(printed, lines(&["1000 user.example.test 80 ", "33 user.example.test 80"]));
    assert!(tree.stop().await.unreadable.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_privilege_to_look_at_others_it_works_too() {
    needs_root();
    // As in a container: root without CAP_SYS_PTRACE. The test runs itself there.
    let this = std::env::current_exe().expect("a path");
    let output = std::process::Command::new("setpriv")
        .args(["--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"])
        .arg(this)
        .args(["--exact", "others::a_program_that_drops_its_user_is_captured"])
        .output()
        .expect("setpriv runs");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
