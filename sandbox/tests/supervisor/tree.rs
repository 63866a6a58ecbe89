//! The process tree: all of it is captured, and otherwise left as it is.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command as StdCommand;

use crate::support::{Tree, lines};

#[tokio::test(flavor = "multi_thread")]
async fn descendants_of_every_kind() {
    let tree = Tree::start().await;
    let printed = tree
        .command(
            "sh",
            &[
                "-c",
                r#"ask() { python3 -c "import socket; print(socket.create_connection(('$1', 80)).recv(99).decode().strip())"; }
ask one.example.test
(ask two.example.test | cat)
setsid python3 -c "import socket; print(socket.create_connection(('three.example.test', 80)).recv(99).decode().strip())"
python3 - <<'END'
import os, socket
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(socket.create_connection(('four.example.test', 80)).recv(99).decode().strip(), flush=True)
    os._exit(0)
os.wait()
END
"#,
            ],
        )
        .await;
    assert!(printed.status.success());
    let printed = String::from_utf8(printed.stdout).expect("UTF-8");
    // The daemon may speak late, but it holds the pipe that was read to its end.
    let mut printed: Vec<_> = printed.lines().collect();
    printed.sort_unstable();
    assert_eq!(
        printed,
        ["four.example.test 80", "one.example.test 80", "three.example.test 80", "two.example.test 80"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_namespace_of_its_own_is_no_way_out() {
    let tree = Tree::start().await;
    let output = tree
        .command(
            "unshare",
            &[
                "-rn",
                "python3",
                "-c",
                "import socket; print(socket.create_connection(('192.0.2.1', 80)).recv(99))",
            ],
        )
        .await;
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "b'192.0.2.1 80\\n'",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_signals_and_errors_are_as_without() {
    let tree = Tree::start().await;
    assert_eq!(tree.python("sys.exit(7)").await.status.code(), Some(7));
    assert_eq!(tree.python("os.kill(os.getpid(), 15)").await.status.signal(), Some(15));
    let error = tree.capture.launcher().launch(tokio::process::Command::new("/no/such/program")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_on_descriptors_is_as_without() {
    const LIMIT: &str = "300";
    // Other tests of this process have raised its limit: the test runs itself in one of its own.
    if std::env::var_os("MCPEAK_TEST_LIMITED").is_none() {
        let output = StdCommand::new("sh")
            .args([
                "-c",
                &format!(
                    "ulimit -Sn {LIMIT} && exec \"$0\" --exact tree::the_limit_on_descriptors_is_as_without"
                ),
            ])
            .arg(std::env::current_exe().expect("a path"))
            .env("MCPEAK_TEST_LIMITED", "1")
            .output()
            .expect("sh runs");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    }
    let tree = Tree::start().await;
    let own = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    assert_eq!(own.current, own.maximum, "the supervisor takes what it may");
    let limit = tree.prints("import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])").await;
    assert_eq!(limit, LIMIT);
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptors_left_open_by_others_are_closed() {
    let tree = Tree::start().await;
    // A descriptor without close-on-exec, as a careless parent leaves one.
    let file = std::fs::File::open("/dev/null").expect("opened");
    let inherited = rustix::io::dup(&file).expect("copied");
    rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).expect("set");
    let printed = tree.prints("print(sorted(int(d) for d in os.listdir('/proc/self/fd'))[:3])").await;
    assert_eq!(printed, "[0, 1, 2]");
    let count = tree.prints("print(len(os.listdir('/proc/self/fd')))").await;
    assert_eq!(count, "4", "the three streams, and the folder that is being listed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_within_a_capture_says_so() {
    let tree = Tree::start().await;
    // seccomp(SET_MODE_FILTER, NEW_LISTENER) with a filter that allows everything.
    let printed = tree
        .prints(
            r#"
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
code = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7fff0000))
program = struct.pack("=HxxxxxxQ", 1, ctypes.addressof(code))
print(libc.syscall(317, 1, 8, program), errno.errorcode[ctypes.get_errno()])
"#,
        )
        .await;
    assert_eq!(printed, "-1 EBUSY");
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_side_by_side_do_not_mix() {
    let (left, right) = (Tree::start().await, Tree::start().await);
    let script = |name: &str| format!(r#"print(said(dial("{name}", 80)))"#);
    let (one, two) = (script("left.example.test"), script("right.example.test"));
    let (one, two) = tokio::join!(left.prints(&one), right.prints(&two));
    assert_eq!((one.as_str(), two.as_str()), ("left.example.test 80", "right.example.test 80"));
    assert_eq!(left.destinations(), ["left.example.test 80"]);
    assert_eq!(right.destinations(), ["right.example.test 80"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_outlives_the_supervisor_has_no_network() {
    let tree = Tree::start().await;
    let mut command = tokio::process::Command::new("python3");
    command
        .args([
            "-c",
            r#"
import socket, sys, errno
print(socket.create_connection(("192.0.2.1", 80)).recv(99).decode().strip(), flush=True)
sys.stdin.readline()
for attempt in (lambda: socket.socket(), lambda: socket.socket(socket.AF_UNIX).connect("/tmp/x")):
    try: attempt(); print("out")
    except OSError as error: print(errno.errorcode[error.errno])
"#,
        ])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = tree.capture.launcher().launch(command).expect("python3 starts");
    let mut output = tokio::io::BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut output, &mut line).await.expect("a line");
    assert_eq!(line, "192.0.2.1 80\n");
    tree.stop().await;
    drop(child.stdin.take());
    let mut rest = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut output, &mut rest).await.expect("read");
    assert_eq!(rest, lines(&["ENOSYS", "ENOSYS", ""]));
    child.wait().await.expect("ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_capture_ends_as_well() {
    let tree = Tree::start().await;
    let mut command = tokio::process::Command::new("python3");
    command
        .args([
            "-c",
            r#"
import errno, socket, time
socket.socket(); print("captured", flush=True)
until = time.monotonic() + 30
while time.monotonic() < until:
    try: socket.socket().close(); time.sleep(0.01)
    except OSError as error: print(errno.errorcode[error.errno]); break
"#,
        ])
        .stdout(std::process::Stdio::piped());
    let mut child = tree.capture.launcher().launch(command).expect("python3 starts");
    let mut output = tokio::io::BufReader::new(child.stdout.take().expect("a pipe"));
    let mut printed = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut output, &mut printed).await.expect("a line");
    drop(tree);
    tokio::io::AsyncReadExt::read_to_string(&mut output, &mut printed).await.expect("read");
    assert_eq!(printed, lines(&["captured", "ENOSYS", ""]));
    child.wait().await.expect("ended");
}
