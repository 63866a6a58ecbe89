//! What a client sees in replay is what it saw while recording, whatever the upstream sent.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::{Answer, Client, Harness, Reaction, Running, Upstream, within};

const KINDS: &[&str] = &["text/event-stream", "application/json", "text/plain", "application/octet-stream"];

/// How an upstream ends its body.
#[derive(Clone, Debug)]
enum Framing {
    Length,
    Chunked(Vec<String>),
    Close,
    Bodiless(u16),
    Head,
}

/// An answer of an upstream.
#[derive(Clone, Debug)]
struct Planned {
    status: u16,
    reason: String,
    fields: Vec<(String, String)>,
    body: Vec<Vec<u8>>,
    framing: Framing,
}

impl Planned {
    fn head(&self) -> String {
        let status = if let Framing::Bodiless(status) = self.framing { status } else { self.status };
        let fields = self.fields.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let fields = fields.collect::<Vec<_>>().concat();
        let length: usize = self.body.iter().map(Vec::len).sum();
        let framing = match &self.framing {
            Framing::Length | Framing::Head => format!("content-LENGTH: {length}\r\n"),
            Framing::Chunked(_) => "Transfer-encoding: chunked\r\n".to_owned(),
            Framing::Close | Framing::Bodiless(_) => String::new(),
        };
        format!("HTTP/1.1 {status} {}\r\n{framing}{fields}\r\n", self.reason)
    }

    fn reaction(&self) -> Reaction {
        let mut wire = self.head().into_bytes();
        match &self.framing {
            Framing::Length | Framing::Close => wire.extend(self.body.concat()),
            Framing::Chunked(trailers) => {
                for piece in self.body.iter().filter(|piece| !piece.is_empty()) {
                    wire.extend(format!("{:x}\r\n", piece.len()).bytes());
                    wire.extend(piece);
                    wire.extend(b"\r\n");
                }
                wire.extend(b"0\r\n");
                wire.extend(trailers.iter().flat_map(|value| format!("X-Bcd: {value}\r\n").into_bytes()));
                wire.extend(b"\r\n");
            }
            Framing::Bodiless(_) | Framing::Head => {}
        }
        if matches!(self.framing, Framing::Close) { Reaction::Close(wire) } else { Reaction::Keep(wire) }
    }
}

fn planned() -> impl Strategy<Value = Planned> {
    let value = "([b-d0-9]([b-d0-9 ,;=]{0,12}[b-d0-9])?)?";
    // Letters of which no sensitive name is made.
    let field = ("[Xx]-[b-dB-D]{1,6}", value).prop_map(|(name, value)| (name, value));
    let kind = prop::sample::select(KINDS);
    let fields = (kind, prop::collection::vec(field, 0..5)).prop_map(|(kind, mut fields)| {
        fields.insert(fields.len() / 2, ("Content-type".to_owned(), kind.to_owned()));
        fields
    });
    let piece = prop_oneof![
        "(data: [b-d]{0,9}\n\n){0,3}".prop_map(String::into_bytes),
        "[b-d서울\r\n]{0,40}".prop_map(String::into_bytes),
        r#"\{"b": ?[0-9]{1,20}(\.0)?\}"#.prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..300),
    ];
    let framing = prop_oneof![
        Just(Framing::Length),
        prop::collection::vec(value, 0..3).prop_map(Framing::Chunked),
        Just(Framing::Close),
        prop_oneof![Just(204_u16), Just(304)].prop_map(Framing::Bodiless),
        Just(Framing::Head),
    ];
    let status = prop_oneof![Just(200_u16), 201..=203_u16, 205..=299_u16, 300..=303_u16, 400..=599_u16];
    (status, "([A-Z][a-z]{0,6} ?)?[a-z]{0,4}", fields, prop::collection::vec(piece, 0..5), framing)
        .prop_map(|(status, reason, fields, body, framing)| Planned { status, reason, fields, body, framing })
}

/// Asks for all of them, each on a connection of its own.
async fn ask(proxy: &Running, plan: &[Planned]) -> Vec<Answer> {
    let mut answers = Vec::new();
    for (index, planned) in plan.iter().enumerate() {
        let method = if matches!(planned.framing, Framing::Head) { "HEAD" } else { "GET" };
        let request = format!("{method} http://api.test/{index} HTTP/1.1\r\nHost: api.test\r\n\r\n");
        answers.push(Client::plain(proxy.address).await.ask(&request).await);
    }
    answers
}

async fn recorded_and_replayed(plan: Arc<Vec<Planned>>) -> (Vec<Answer>, Vec<Answer>) {
    let answers = Arc::clone(&plan);
    let upstream = Upstream::plain(move |asked| {
        let index: usize = asked.target().trim_start_matches('/').parse().unwrap();
        answers[index].reaction()
    })
    .await;
    let harness = Harness::new().resolving_port("api.test", 80, upstream.port);
    let recording = harness.record().await;
    let live = ask(&recording, &plan).await;
    assert_eq!(recording.stop().await.recorded, plan.len() as u64);
    upstream.stop().await;
    let replaying = harness.replay().await;
    let replayed = ask(&replaying, &plan).await;
    let report = replaying.stop().await;
    assert_eq!((report.missed.len(), report.upstream_connections), (0, 0));
    (live, replayed)
}

#[test]
fn h1_h2_h5_b7_any_answer_is_replayed_byte_for_byte() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = Config { cases: 16, failure_persistence: None, ..Config::default() };
    let plans = prop::collection::vec(planned(), 1..12);
    let result = TestRunner::new(config).run(&plans, |plan| {
        let plan = Arc::new(plan);
        let (live, replayed) = runtime.block_on(within(recorded_and_replayed(Arc::clone(&plan))));
        for ((planned, live), replayed) in plan.iter().zip(live).zip(replayed) {
            prop_assert_eq!(&live.head, &planned.head(), "nothing is added, dropped or moved");
            prop_assert_eq!(live, replayed);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
