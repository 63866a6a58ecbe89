//! UDP: nothing leaves, loopback stays.

use crate::support::{Tree, lines};

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_to_the_outside_are_refused_and_named() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
def u(family=socket.AF_INET): return socket.socket(family, socket.SOCK_DGRAM)
print(fails(u().connect, ("198.51.100.1", 443)))
print(fails(u().sendto, b"x", ("198.51.100.2", 443)))
print(fails(u().sendmsg, [b"x"], [], 0, ("198.51.100.3", 443)))
print(fails(u(socket.AF_INET6).sendto, b"x", ("2001:db8::1", 443)))
print(fails(u().sendto, b"x", ("224.0.0.251", 5353)))
bound = u(); bound.bind(("", 0)); print(fails(bound.sendto, b"x", ("198.51.100.4", 9)))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["ENETUNREACH"; 6]));
    let refused: Vec<_> = tree.stop().await.refused.into_iter().collect();
    assert_eq!(
        refused,
        [
            "udp://198.51.100.1:443",
            "udp://198.51.100.2:443",
            "udp://198.51.100.3:443",
            "udp://198.51.100.4:9",
            "udp://224.0.0.251:5353",
            "udp://[2001:db8::1]:443",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_within_the_machine_arrive() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); server.bind(("127.0.0.1", 0))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.sendto(b"one", server.getsockname()); data, source = server.recvfrom(10); print(data)
client.connect(server.getsockname()); client.send(b"two"); print(server.recvmsg(10)[0])
server.sendto(b"three", client.getsockname()); data, source = client.recvfrom(10); print(data, source == server.getsockname())
"#,
        )
        .await;
    assert_eq!(printed, lines(&["b'one'", "b'two'", "b'three' True"]));
    assert!(tree.stop().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_and_options_that_mislead_are_refused() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
libc = ctypes.CDLL(None, use_errno=True)
def u(family=socket.AF_INET): return socket.socket(family, socket.SOCK_DGRAM)
# An unspecified family, which the kernel takes for IPv4.
unspecified = struct.pack("=H", 0) + struct.pack(">H", 443) + socket.inet_aton("198.51.100.20") + bytes(8)
held = u(); print(libc.sendto(held.fileno(), b"x", 1, 0, unspecified, 16), errno.errorcode[ctypes.get_errno()])
# Out of a device, or by a route of one's own.
lo2 = struct.pack("=I4s4s", 2, bytes(4), bytes(4))
print(fails(u().sendmsg, [b"x"], [(socket.IPPROTO_IP, 8, lo2)], 0, ("127.0.0.1", 9)))
c = u(); c.connect(("127.0.0.1", 9)); print(fails(c.sendmsg, [b"x"], [(socket.IPPROTO_IP, 8, lo2)]))
print(fails(u(socket.AF_INET6).sendmsg, [b"x"], [(socket.IPPROTO_IPV6, 57, bytes(24))], 0, ("::1", 9)))
print(fails(u().setsockopt, socket.SOL_SOCKET, 25, b"eth0\0"))
print(fails(socket.socket().setsockopt, socket.SOL_SOCKET, 25, b"lo\0"))
print(fails(u().setsockopt, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.1.2.3") + bytes(4)))
print(fails(u().setsockopt, socket.IPPROTO_IP, 4, bytes([131, 7, 4]) + socket.inet_aton("198.51.100.1") + b"\0"))
# The first message stays, the second would leave.
class Part(ctypes.Structure): _fields_ = [("base", ctypes.c_char_p), ("length", ctypes.c_size_t)]
class Message(ctypes.Structure): _fields_ = [("name", ctypes.c_char_p), ("namelen", ctypes.c_uint), ("parts", ctypes.POINTER(Part)),
    ("count", ctypes.c_size_t), ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t), ("flags", ctypes.c_int)]
class Many(ctypes.Structure): _fields_ = [("message", Message), ("sent", ctypes.c_uint)]
def to(ip): return struct.pack("=H", socket.AF_INET) + struct.pack(">H", 9) + socket.inet_aton(ip) + bytes(8)
many = (Many * 2)()
for one, ip in zip(many, ("127.0.0.1", "198.51.100.21")): one.message = Message(to(ip), 16, ctypes.pointer(Part(b"x", 1)), 1, None, 0, 0)
print(libc.sendmmsg(held.fileno(), many, 2, 0), errno.errorcode[ctypes.get_errno()])
for one in many: one.message.name = to("127.0.0.1")
print(libc.sendmmsg(held.fileno(), many, 2, 0))
"#,
        )
        .await;
    let expected =
        ["-1 EINVAL", "EPERM", "EPERM", "EPERM", "EPERM", "EPERM", "EPERM", "EPERM", "-1 EINVAL", "2"];
    assert_eq!(printed, lines(&expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_to_the_machines_own_addresses_arrive() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
own = next(ip for ip in subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split() if "." in ip)
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); server.bind((own, 0))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"own", server.getsockname()); print(server.recv(10))
"#,
        )
        .await;
    assert_eq!(printed, "b'own'");
}
