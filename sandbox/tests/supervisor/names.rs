//! DNS: every name exists, by every way of asking.

use mcpeak_sandbox::capture::CaptureSettings;

use crate::support::{Tree, lines};

#[tokio::test(flavor = "multi_thread")]
async fn asked_through_the_system_library() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
print(socket.gethostbyname("API.example.test") == socket.gethostbyname("api.example.test"))
print({family.name for family, *_ in socket.getaddrinfo("api.example.test", 443)})
print(socket.gethostbyname("localhost"))
print(said(dial("Api.Example.Test", 443)))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["True", "{'AF_INET'}", "127.0.0.1", "api.example.test 443"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_by_hand_with_every_system_call() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
def ask(send, receive, server=("9.9.9.9", 53), family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_DGRAM); s.settimeout(10)
    send(s, question("api.example.test"), server)
    data, source = receive(s)
    print(address(data), source)
def connected(s, data, server): s.connect(server); s.send(data)
def sendto(s, data, server): s.sendto(data, server)
def sendmsg(s, data, server): s.sendmsg([data[:5], data[5:]], [], 0, server)
def recvfrom(s): data, source = s.recvfrom(512); return data, source[:2]
def recvmsg(s): data, _, flags, source = s.recvmsg(512, 64); assert flags == 0; return data, source[:2]
def recv(s): return s.recv(512), None
for send in (connected, sendto, sendmsg):
    for receive in (recvfrom, recvmsg, recv): ask(send, receive)
ask(sendto, recvfrom, ("127.0.0.53", 53))
ask(sendto, recvmsg, ("2001:db8::53", 53), socket.AF_INET6)
ask(sendmsg, recvfrom, ("::ffff:8.8.8.8", 53), socket.AF_INET6)
"#,
        )
        .await;
    let (asked, quiet) = ("28.254.0.1 ('9.9.9.9', 53)", "28.254.0.1 None");
    let mut expected = [asked, asked, quiet].repeat(3);
    expected.push("28.254.0.1 ('127.0.0.53', 53)");
    expected.push("28.254.0.1 ('2001:db8::53', 53)");
    expected.push("28.254.0.1 ('::ffff:8.8.8.8', 53)");
    assert_eq!(printed, lines(&expected));
    assert!(tree.stop().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_with_many_messages_in_one_call() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
class Part(ctypes.Structure): _fields_ = [("base", ctypes.c_char_p), ("length", ctypes.c_size_t)]
class Message(ctypes.Structure): _fields_ = [("name", ctypes.c_char_p), ("namelen", ctypes.c_uint), ("parts", ctypes.POINTER(Part)),
    ("count", ctypes.c_size_t), ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t), ("flags", ctypes.c_int)]
class Many(ctypes.Structure): _fields_ = [("message", Message), ("sent", ctypes.c_uint)]
libc = ctypes.CDLL(None, use_errno=True)
def many(server, name=True):
    target = struct.pack("=H", socket.AF_INET) + struct.pack(">H", server[1]) + socket.inet_aton(server[0]) + bytes(8)
    q = question("api.example.test")
    all = (Many * 2)()
    for one in all:
        one.message = Message(target if name else None, 16 if name else 0, ctypes.pointer(Part(q, len(q))), 1, None, 0, 0)
    return all, len(q)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(10)
all, length = many(("9.9.9.9", 53))
print(libc.sendmmsg(s.fileno(), all, 2, 0), all[0].sent == length)
print(address(s.recv(512)))
all, _ = many(("192.0.2.1", 443))
print(libc.sendmmsg(s.fileno(), all, 2, 0), errno.errorcode[ctypes.get_errno()])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(10); s.connect(("9.9.9.9", 53))
all, length = many(("0.0.0.0", 0), False)
print(libc.sendmmsg(s.fileno(), all, 2, 0), all[1].sent == length)
"#,
        )
        .await;
    assert_eq!(printed, lines(&["1 True", "28.254.0.1", "-1 ENETUNREACH", "2 True"]));
    assert!(tree.stop().await.refused.contains("udp://192.0.2.1:443"));
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_over_a_stream() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = dial("8.8.8.8", 53)
for name in ("api.example.test", "b.example.test"):
    q = question(name); s.sendall(struct.pack(">H", len(q)) + q)
    length, = struct.unpack(">H", s.recv(2)); print(address(s.recv(length, socket.MSG_WAITALL)))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["28.254.0.1", "28.254.0.2"]));
    assert!(tree.destinations().is_empty(), "a look-up is no call");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receive_before_the_answer_is_told_so() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(10)
s.sendto(question("api.example.test"), ("9.9.9.9", 53))
select.select([s], [], [])
print(s.recvfrom(512, socket.MSG_PEEK)[0] == s.recvfrom(512)[0])
s.setblocking(True); print(fails(s.recvfrom, 512, socket.MSG_DONTWAIT), fails(s.recvmsg, 512, 0, socket.MSG_DONTWAIT))
s.sendto(question("api.example.test"), ("9.9.9.9", 53)); select.select([s], [], [])
data, _, flags, source = s.recvmsg(20); print(len(data), flags & socket.MSG_TRUNC > 0, source)
"#,
        )
        .await;
    assert_eq!(printed, lines(&["True", "EAGAIN EAGAIN", "20 True ('9.9.9.9', 53)"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_range_can_be_chosen() {
    let settings =
        CaptureSettings { pool: "10.200.0.0/16".parse().expect("a range"), ..CaptureSettings::default() };
    let tree = Tree::with(settings).await;
    let printed = tree.prints(r#"print(socket.gethostbyname("a.test"), said(dial("a.test", 80)))"#).await;
    assert_eq!(printed, "10.200.0.1 a.test 80");
}
