//! Recordings of what does not go well.

use crate::support::{Client, Harness, Reaction, TestCa, Upstream, within};

async fn broken(bytes: &'static [u8], reset: bool) {
    let upstream = Upstream::plain(move |_| {
        if reset { Reaction::Reset(bytes.to_vec()) } else { Reaction::Close(bytes.to_vec()) }
    })
    .await;
    let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
    let recording = harness.record().await;
    let live = Client::plain(recording.address).await.get("api.test", "http://api.test/cut").await;
    assert!(!live.whole, "the client sees that the body is cut: {live:?}");
    let report = recording.stop().await;
    assert_eq!(report.recorded, 1, "{:?}", report.warnings);
    let file = std::fs::read_to_string(harness.session()).unwrap();
    assert!(file.contains("incomplete") || file.contains("aborted"), "{file}");

    let replaying = harness.replay().await;
    let replayed = Client::plain(replaying.address).await.get("api.test", "http://api.test/cut").await;
    assert!(!replayed.whole, "replay cuts it too: {replayed:?}");
    assert_eq!(replayed.body, live.body);
    replaying.stop().await;
}

#[tokio::test]
async fn e2_a_body_cut_short_is_cut_short_for_the_client_and_in_replay() {
    within(async {
        broken(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", false).await;
        broken(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", true).await;
        broken(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", false).await;
        broken(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nhalf", true).await;
    })
    .await;
}

#[tokio::test]
async fn o1_an_answer_that_a_client_has_seen_to_its_end_is_on_the_disk() {
    within(async {
        let upstream = Upstream::plain(|asked| match asked.target() {
            "/close" => Reaction::Close(b"HTTP/1.1 200 OK\r\n\r\nok".to_vec()),
            "/cut" => Reaction::Close(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok".to_vec()),
            "/empty" => Reaction::Keep(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()),
            "/chunked" => Reaction::Keep(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n"
                    .to_vec(),
            ),
            _ => Reaction::Keep(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()),
        })
        .await;
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port).resolving_port(
            "gone.test",
            80,
            free,
        );
        let recording = harness.record().await;
        let journal = harness.folder.path().join("test.session.json.journal");
        let urls = [
            "api.test/counted",
            "api.test/chunked",
            "api.test/empty",
            "api.test/close",
            "api.test/cut",
            "gone.test/",
        ];
        for round in 0..5 {
            for (index, url) in urls.iter().enumerate() {
                let host = url.split('/').next().unwrap();
                Client::plain(recording.address).await.get(host, &format!("http://{url}")).await;
                // A proxy that is killed here loses nothing.
                let lines = std::fs::read_to_string(&journal).unwrap().lines().count();
                assert_eq!(lines, 1 + round * urls.len() + index + 1, "{url}");
            }
        }
        assert_eq!(recording.stop().await.recorded, 30);
    })
    .await;
}

#[tokio::test]
async fn p14_a_stream_that_the_client_leaves_is_stored_as_far_as_it_went() {
    within(async {
        let (parts, receiver) = tokio::sync::mpsc::channel(4);
        let receiver = std::sync::Mutex::new(Some(receiver));
        let upstream = Upstream::plain(move |_| Reaction::Live(receiver.lock().unwrap().take().unwrap())).await;
        let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
        let proxy = harness.record().await;
        let mut client = Client::plain(proxy.address).await;
        client.send(b"GET http://api.test/events HTTP/1.1\r\nHost: api.test\r\n\r\n").await;
        parts
            .send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n".to_vec())
            .await
            .unwrap();
        client.until(b"data: 1\n\n").await.unwrap();
        drop(client);
        // The upstream learns of it: its connection is closed, and writing to it fails.
        while parts.send(b"1\r\n:\r\n".to_vec()).await.is_ok() {
            tokio::task::yield_now().await;
        }
        let report = proxy.stop().await;
        assert_eq!(report.recorded, 1, "{:?}", report.warnings);
        let file = std::fs::read_to_string(harness.session()).unwrap();
        assert!(file.contains("data: 1"), "{file}");
    })
    .await;
}

#[tokio::test]
async fn r12_no_secret_in_logs_reports_and_files() {
    within(async {
        use mcpeak_core::secret::Secret;
        const SECRET: &str = "s3cr3t-value-of-the-user";
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        let _guard = tracing::subscriber::set_default(subscriber);
        let ca = TestCa::new();
        let upstream = Upstream::tls(&ca, "api.test", |asked| {
            // The secret itself went out: redaction is for the disk, not for the wire.
            assert_eq!(asked.field("authorization"), Some(&*format!("Bearer {SECRET}")));
            let body = format!("{{\"echo\":\"{SECRET}\"}}");
            Reaction::Keep(
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
                .into_bytes(),
            )
        })
        .await;
        let mut harness = Harness::new().trusting(&ca).resolving("api.test", upstream.port);
        harness.redactor =
            mcpeak_core::redact::Redactor::new([("API_TOKEN".to_owned(), Secret::new(SECRET.to_owned()))]);
        let request = format!(
            "GET /me?key={SECRET} HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer {SECRET}\r\n\r\n"
        );
        let recording = harness.record().await;
        let mut client = Client::secure(recording.address, &harness.authority, "api.test", &[]).await;
        assert!(client.ask(&request).await.text().contains(SECRET), "the client gets the answer as it is");
        let report = recording.stop().await;
        let replaying = harness.replay().await;
        let mut client = Client::secure(replaying.address, &harness.authority, "api.test", &[]).await;
        assert!(client.ask(&request).await.text().contains(SECRET), "a known value is put back");
        let miss = client.ask(&request.replace("/me", "/other")).await;
        assert_eq!(miss.status(), 599);
        let replayed = replaying.stop().await;

        let mut written = vec![
            log.text(),
            serde_json::to_string(&report).unwrap(),
            serde_json::to_string(&replayed).unwrap(),
            miss.text(),
        ];
        for entry in std::fs::read_dir(harness.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                written.push(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
            }
        }
        assert!(written.len() >= 5, "the session file is among them");
        for text in &written {
            assert!(!text.contains(SECRET), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn credentials_for_a_proxy_are_hidden_where_somebody_echoes_them() {
    within(async {
        // The proxy in front and the upstream are one: it echoes what it was shown, and what the client showed to this proxy.
        let client_pair = "client:q8Zr51xvT0cW22Lm";
        let front = Upstream::plain(move |asked| {
            let shown = asked.field("proxy-authorization").unwrap().to_owned();
            let body = format!("{shown} front:k3Vt90dLwS7aQ4 k3Vt90dLwS7aQ4xx {client_pair}");
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}", body.len());
            Reaction::Keep(format!("{head}\r\n\r\n{body}").into_bytes())
        })
        .await;
        let mut harness = Harness::new();
        let address = format!("http://front:k3Vt90dLwS7aQ4xx@127.0.0.1:{}", front.port);
        harness.upstream.proxy = Some(mcpeak_proxy::settings::UpstreamProxy {
            http: Some(address.parse().unwrap()),
            ..Default::default()
        });
        let recording = harness.record().await;
        let credentials = base64(client_pair);
        let mut client = Client::plain(recording.address).await;
        let connect = "CONNECT api.test:80 HTTP/1.1\r\nHost: api.test:80";
        client
            .send(format!("{connect}\r\nProxy-Authorization: Basic {credentials}\r\n\r\n").as_bytes())
            .await;
        client.until(b"\r\n\r\n").await.unwrap();
        let answer = client.get("api.test", "/").await;
        let shown = base64("front:k3Vt90dLwS7aQ4xx");
        assert!(answer.text().contains(&shown), "{}", answer.text());
        let journal = harness.folder.path().join("test.session.json.journal");
        let journal = std::fs::read_to_string(journal).unwrap();
        recording.stop().await;
        let file = std::fs::read_to_string(harness.session()).unwrap();
        for text in [journal, file] {
            for secret in [&*shown, "k3Vt90dLwS7aQ4xx", &credentials, "q8Zr51xvT0cW22Lm"] {
                assert!(!text.contains(secret), "{secret} in {text}");
            }
        }
    })
    .await;
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl tracing_subscriber::fmt::MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
