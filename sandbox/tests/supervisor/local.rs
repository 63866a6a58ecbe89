//! This machine: the tree's own listeners, other programs' ports, UNIX sockets.

use std::collections::BTreeSet;

use mcpeak_sandbox::capture::{CaptureSettings, PassLoopback};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::support::{Tree, lines};

#[tokio::test(flavor = "multi_thread")]
async fn own_listeners_are_reached_directly() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
def serve(family, host):
    l = socket.socket(family, socket.SOCK_STREAM); l.bind((host, 0)); l.listen()
    def run():
        while True:
            c, _ = l.accept(); c.sendall(b"own\n"); c.close()
    threading.Thread(target=run, daemon=True).start()
    return l.getsockname()[1]
four, six, any = serve(socket.AF_INET, "127.0.0.1"), serve(socket.AF_INET6, "::1"), serve(socket.AF_INET, "")
print(said(dial("127.0.0.1", four)), said(dial("::1", six, socket.AF_INET6)), said(dial("0.0.0.0", any)), said(dial("localhost", any)))
print(subprocess.run([sys.executable, "-c", f"import socket; print(socket.create_connection(('127.0.0.1', {four})).recv(4))"], capture_output=True, text=True).stdout.strip())
"#,
        )
        .await;
    assert_eq!(printed, lines(&["own own own own", "b'own\\n'"]));
    assert!(tree.destinations().is_empty());
    assert!(tree.stop().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_can_be_listened_on_again_at_once() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
l = socket.socket(); l.bind(("127.0.0.1", 0)); l.listen(); port = l.getsockname()[1]
c = socket.socket(); c.connect(("127.0.0.1", port)); a, _ = l.accept()
c.close(); print(repr(a.recv(1))); a.close(); l.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", port)); u.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", port)); print("again")
"#,
        )
        .await;
    assert_eq!(printed, lines(&["b''", "again"]));
}

async fn foreign() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

#[tokio::test(flavor = "multi_thread")]
async fn ports_of_other_programs_are_captured_or_passed() {
    let (listener, port) = foreign().await;
    let serving = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            stream.write_all(b"foreign\n").await.expect("written");
        }
    });
    let script = format!(r#"print(said(dial("127.0.0.1", {port})))"#);

    let tree = Tree::start().await;
    assert_eq!(tree.prints(&script).await, format!("127.0.0.1 {port}"));
    assert!(tree.stop().await.is_empty());

    for loopback in [PassLoopback::All, PassLoopback::Ports(BTreeSet::from([port]))] {
        let tree = Tree::with(CaptureSettings { loopback, ..CaptureSettings::default() }).await;
        assert_eq!(tree.prints(&script).await, "foreign");
        assert!(tree.destinations().is_empty());
        assert_eq!(tree.stop().await.passed, BTreeSet::from([format!("tcp://127.0.0.1:{port}")]));
    }
    serving.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn unix_sockets_are_listed_and_name_services_are_absent() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
import tempfile
path = tempfile.mkdtemp() + "/s"
l = socket.socket(socket.AF_UNIX); l.bind(path); l.listen()
c = socket.socket(socket.AF_UNIX); c.connect(path); print("connected"); print(path)
a = socket.socket(socket.AF_UNIX); print(fails(a.connect, "\0nobody"))
print(fails(socket.socket(socket.AF_UNIX).connect, "/var/run/nscd/socket"))
left, right = socket.socketpair(); left.sendmsg([b"x"]); print(right.recvmsg(1)[0])
"#,
        )
        .await;
    let printed: Vec<_> = printed.lines().collect();
    assert_eq!(printed[0], "connected");
    assert_eq!(printed[2..], ["ECONNREFUSED", "ENOENT", "b'x'"]);
    let report = tree.stop().await;
    assert_eq!(report.local_sockets, BTreeSet::from([printed[1].to_owned(), "@nobody".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_a_program_has_found_free_is_free_for_others() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(r#"s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1]); s.close(); print(repr(said(dial("a.test", 80))))"#)
        .await;
    let port: u16 = printed.lines().next().and_then(|port| port.parse().ok()).expect("a port");
    std::net::TcpListener::bind(("127.0.0.1", port)).expect("nobody holds it");
}
