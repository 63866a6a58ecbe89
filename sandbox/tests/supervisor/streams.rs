//! TCP: every way to connect leads here, with the destination that was asked for.

use crate::support::{Tree, lines};

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_says_where_it_wanted_to_go_and_who_made_it() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = dial("192.0.2.1", 443)
print(said(s)); s.sendall(b"hello\n"); print(said(s))
s = dial("api.example.test", 80)
print(said(s))
print(os.getpid())
"#,
        )
        .await;
    let mut printed: Vec<_> = printed.lines().collect();
    let pid: u32 = printed.pop().expect("a line").parse().expect("a pid");
    assert_eq!(printed, ["192.0.2.1 443", "hello", "api.example.test 80"]);
    for seen in tree.seen() {
        assert_eq!(seen.pid, pid);
        assert!(seen.program.starts_with("python3"), "{}", seen.program);
    }
    assert!(tree.stop().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_are_attributed_to_their_process() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
def work(): said(dial("thread.example.test", 80))
t = threading.Thread(target=work); t.start(); t.join()
print(os.getpid())
"#,
        )
        .await;
    assert_eq!(tree.seen()[0].pid.to_string(), printed);
}

#[tokio::test(flavor = "multi_thread")]
async fn non_blocking_connects_are_reported_as_the_kernel_would() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = socket.socket(); s.setblocking(False)
poll = select.epoll(); poll.register(s.fileno(), select.EPOLLOUT)
code = s.connect_ex(("192.0.2.1", 80))
print(code in (0, errno.EINPROGRESS))
print(bool(poll.poll(10)))
print(s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
print(s.connect_ex(("192.0.2.1", 80)) in (0, errno.EISCONN))
s.setblocking(True); print(said(s))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["True", "True", "0", "True", "192.0.2.1 80"]));
    assert_eq!(tree.destinations(), ["192.0.2.1 80"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn ipv6_in_all_its_forms() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
for only in (0, 1):
    for host in ("2001:db8::1", "::1", "::ffff:192.0.2.7"):
        s = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only)
        s.connect((host, 8443, 0, 0)); print(said(s))
"#,
        )
        .await;
    let expected = ["2001:db8::1 8443", "::1 8443", "192.0.2.7 8443"];
    assert_eq!(printed, lines(&[expected, expected].concat()));
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_that_were_used_before() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
# bound to a port of its own choice, and to one that it chose itself
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.connect(("192.0.2.1", 81)); print(said(s))
free = socket.socket(); free.bind(("", 0)); port = free.getsockname()[1]; free.close()
s = socket.socket(); s.bind(("", port)); s.connect(("192.0.2.1", 82)); print(said(s), s.getsockname()[1] == port)
# a copy of the descriptor
s = socket.socket(); d = socket.socket(fileno=os.dup(s.fileno())); d.connect(("192.0.2.1", 83)); print(said(s))
# dissolved and connected again
s = socket.socket(); s.connect(("192.0.2.1", 84)); print(said(s))
libc = ctypes.CDLL(None, use_errno=True)
print(libc.connect(s.fileno(), ctypes.create_string_buffer(16), 16))
s.connect(("192.0.2.1", 85)); print(said(s))
# after the other process has made it
s = socket.socket()
if os.fork() == 0:
    s.connect(("192.0.2.1", 86)); print(said(s)); sys.stdout.flush(); os._exit(0)
os.wait()
"#,
        )
        .await;
    let expected = [
        "192.0.2.1 81",
        "192.0.2.1 82 True",
        "192.0.2.1 83",
        "192.0.2.1 84",
        "0",
        "192.0.2.1 85",
        "192.0.2.1 86",
    ];
    let mut printed: Vec<_> = printed.lines().collect();
    printed.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(printed, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn options_set_before_stay() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
print(fcntl.fcntl(s, fcntl.F_GETFD) & fcntl.FD_CLOEXEC, bool(fcntl.fcntl(s, fcntl.F_GETFL) & os.O_NONBLOCK))
fails(s.connect, ("192.0.2.1", 80)); select.select([], [s], [])
print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), s.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
plain = socket.socket(fileno=ctypes.CDLL(None).socket(socket.AF_INET, socket.SOCK_STREAM, 0))
print(fcntl.fcntl(plain, fcntl.F_GETFD) & fcntl.FD_CLOEXEC, bool(fcntl.fcntl(plain, fcntl.F_GETFL) & os.O_NONBLOCK))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["1 True", "1 1", "0 False"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_half_closes_by_itself_and_the_end_is_seen() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = dial("192.0.2.1", 80); said(s)
s.sendall(b"last words\n"); s.shutdown(socket.SHUT_WR)
print(said(s)); print(repr(s.recv(10)))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["last words", "b''"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_at_once_each_with_its_own_name() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
answers = {}
def work(n):
    s = dial(f"h{n}.example.test", 1000 + n); answers[n] = said(s)
threads = [threading.Thread(target=work, args=(n,)) for n in range(200)]
for t in threads: t.start()
for t in threads: t.join()
print(all(answers[n] == f"h{n}.example.test {1000 + n}" for n in range(200)), len(answers))
"#,
        )
        .await;
    assert_eq!(printed, "True 200");
    assert_eq!(tree.seen().len(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn data_with_the_connect_is_not_offered() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = socket.socket(); print(fails(s.sendto, b"x", socket.MSG_FASTOPEN, ("192.0.2.1", 80)))
s = socket.socket(); s.setsockopt(socket.IPPROTO_TCP, 30, 1)
s.connect(("192.0.2.1", 80)); s.sendall(b"hi\n"); print(said(s), said(s))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["ENOTSUP", "192.0.2.1 80 hi"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_ways_out_do_not_exist() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r"
IN, ST, DG = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
for family, kind, protocol in [(IN, socket.SOCK_RAW, 1), (IN, DG, 1), (IN, ST, 132), (17, socket.SOCK_RAW, 0), (40, ST, 0), (38, 5, 0)]:
    print(fails(socket.socket, family, kind, protocol))
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(425, 1, 0), errno.errorcode[ctypes.get_errno()])
",
        )
        .await;
    let expected = [
        "EPERM",
        "EPROTONOSUPPORT",
        "EPROTONOSUPPORT",
        "EAFNOSUPPORT",
        "EAFNOSUPPORT",
        "EAFNOSUPPORT",
        "-1 ENOSYS",
    ];
    assert_eq!(printed, lines(&expected));
    assert!(tree.destinations().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sockets_that_are_never_connected_are_forgotten() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
for _ in range(3000): socket.socket().close()
held = [socket.socket() for _ in range(400)]
held[7].connect(("192.0.2.1", 80)); print(said(held[7]))
supervisor = os.getppid()
print(len([d for d in os.listdir(f"/proc/{supervisor}/fd") if str(fails(os.readlink, f"/proc/{supervisor}/fd/{d}")).startswith("socket:")]) < 1000)
"#,
        )
        .await;
    assert_eq!(printed, lines(&["192.0.2.1 80", "True"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_destination_that_does_not_answer_times_out_as_the_program_asked() {
    // The acceptor is stuck in its first connection, until the queue of the kernel is full.
    let (release, stuck) = std::sync::mpsc::channel::<()>();
    let stuck = std::sync::Mutex::new(stuck);
    let sink = std::sync::Arc::new(move |_| {
        // Ends with an error when the test drops its side.
        tokio::task::block_in_place(|| stuck.lock().map(|stuck| stuck.recv()).is_ok());
    });
    let capture =
        mcpeak_sandbox::capture::Capture::start(mcpeak_sandbox::capture::CaptureSettings::default(), sink)
            .await
            .expect("capture works here");
    let tree = Tree::around(capture);
    let printed = tree
        .prints(
            r#"
import resource, signal
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20000), hard))
held = []
while True:
    s = socket.socket(); s.setblocking(False); held.append(s)
    fails(s.connect, ("198.51.100.1", 80))
    # The queue is full once a handshake does not end at once.
    poll = select.poll(); poll.register(s, select.POLLOUT)
    if not poll.poll(500): break
def timed(call, *arguments):
    start = time.monotonic(); result = fails(call, *arguments)
    return result, 0.8 < time.monotonic() - start < 20
target = ("198.51.100.1", 80)
s = socket.socket(); s.settimeout(1); print(*timed(s.connect, target))
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 1, 0)); print(*timed(s.connect, target))
class Woken(OSError): pass
def wake(*_): raise Woken("woken")
signal.signal(signal.SIGALRM, wake); signal.alarm(1); print(*timed(socket.socket().connect, target))
print(socket.gethostbyname("still.example.test"))
"#,
        )
        .await;
    drop(release);
    assert_eq!(printed, lines(&["timed out True", "EINPROGRESS True", "woken True", "28.254.0.1"]));
    tree.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_without_an_address_or_a_socket_fail_or_not_as_without_us() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
libc = ctypes.CDLL(None, use_errno=True)
def errno_of(result): return result if result >= 0 else errno.errorcode[ctypes.get_errno()]
any = ctypes.create_string_buffer(16)
s = dial("192.0.2.1", 80); said(s)
print(errno_of(libc.sendto(s.fileno(), b"x\n", 2, 0, any, 0)), said(s))
left, right = socket.socketpair(); print(errno_of(libc.sendto(left.fileno(), b"x", 1, 0, any, 0)))
null = os.open("/dev/null", os.O_RDWR)
print(errno_of(libc.connect(null, struct.pack("=HHI8x", 2, 80, 1), 16)), errno_of(libc.listen(null, 1)), errno_of(libc.connect(999, any, 16)))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["2 x", "1", "ENOTSOCK ENOTSOCK EBADF"]));
}
