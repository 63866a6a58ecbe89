//! UDP: nothing leaves, loopback stays.

use crate::support::{Tree, lines};

#[tokio::test(flavor = "multi_thread")]
async fn datagrams_to_the_outside_are_refused_and_named() {
    let tree = Tree::start().await;
    let printed = tree
        .prints(
            r#"
def u(family=socket.AF_INET): return socket.socket(family, socket.SOCK_DGRAM)
print(fails(u().connect, ("192.0.2.1", 443)))
print(fails(u().sendto, b"x", ("192.0.2.2", 443)))
print(fails(u().sendmsg, [b"x"], [], 0, ("192.0.2.3", 443)))
print(fails(u(socket.AF_INET6).sendto, b"x", ("2001:db8::1", 443)))
print(fails(u().sendto, b"x", ("224.0.0.251", 5353)))
bound = u(); bound.bind(("", 0)); print(fails(bound.sendto, b"x", ("192.0.2.4", 9)))
"#,
        )
        .await;
    assert_eq!(printed, lines(&["ENETUNREACH"; 6]));
    let refused: Vec<_> = tree.stop().await.refused.into_iter().collect();
    assert_eq!(
        refused,
        [
            "udp://192.0.2.1:443",
            "udp://192.0.2.2:443",
            "udp://192.0.2.3:443",
            "udp://192.0.2.4:9",
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
