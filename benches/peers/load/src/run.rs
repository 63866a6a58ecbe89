//! The workers and their clock.

use crate::route::{Link, Route};
use crate::session::{Answer, Sender, Targets, with_sender};
use crate::settings::Settings;
use crate::tally::{Summary, Tally};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long an exchange that began in time may take beyond the end.
const GRACE: Duration = Duration::from_secs(5);

/// The part of the run that counts.
#[derive(Clone, Copy)]
struct Window {
    begin: Instant,
    end: Instant,
}

struct Worker {
    route: Route,
    targets: Arc<Targets>,
    window: Window,
    next: usize,
    tally: Tally,
}

pub(crate) async fn run(settings: Settings) -> Result<Summary, Box<dyn Error>> {
    let route = Route::new(&settings)?;
    let targets = Arc::new(Targets::new(&settings)?);
    let begin = Instant::now() + settings.warm_up;
    let window = Window { begin, end: begin + settings.measured };
    let mut workers = JoinSet::new();
    for index in 0..settings.connections {
        let worker = Worker {
            route: route.clone(),
            targets: Arc::clone(&targets),
            window,
            next: index * settings.paths / settings.connections,
            tally: Tally::default(),
        };
        workers.spawn(worker.work(settings.http2, settings.new_connections));
    }
    let mut tally = Tally::default();
    while let Some(worker) = workers.join_next().await {
        tally.add(worker?);
    }
    Ok(tally.summary(settings.measured))
}

impl Window {
    fn over(self) -> bool {
        Instant::now() >= self.end
    }

    fn latency(self, asked: Instant, answered: Instant) -> Option<Duration> {
        (self.begin..self.end).contains(&answered).then(|| answered - asked)
    }
}

impl Worker {
    async fn work(mut self, http2: bool, new_connections: bool) -> Tally {
        let deadline = tokio::time::Instant::from_std(self.window.end + GRACE);
        while !self.window.over() {
            let connection = self.connection(http2, new_connections);
            match tokio::time::timeout_at(deadline, connection).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => self.tally.error(|| describe(error.as_ref())),
                Err(_) => self.tally.error(|| "no answer within the grace time".to_owned()),
            }
        }
        self.tally
    }

    /// One connection: one exchange on it, or as many as fit in the time.
    async fn connection(&mut self, http2: bool, one: bool) -> Result<(), Box<dyn Error + Send + Sync>> {
        let opened = Instant::now();
        let link = self.route.open().await?;
        let work = async |sender| {
            if one { self.exchange(sender, opened).await } else { self.exchanges(sender).await }
        };
        match link {
            Link::Plain(stream) => with_sender(stream, http2, work).await??,
            Link::Tls(stream) => with_sender(stream, http2, work).await??,
        }
        Ok(())
    }

    async fn exchange(&mut self, mut sender: Sender, opened: Instant) -> hyper::Result<()> {
        let answer = sender.get(&self.targets, self.next).await?;
        self.next += 1;
        self.count(answer, opened);
        Ok(())
    }

    async fn exchanges(&mut self, mut sender: Sender) -> hyper::Result<()> {
        while !self.window.over() {
            let asked = Instant::now();
            let answer = sender.get(&self.targets, self.next).await?;
            self.next += 1;
            self.count(answer, asked);
        }
        Ok(())
    }

    fn count(&mut self, answer: Answer, asked: Instant) {
        if answer.right {
            self.tally.right(answer.status, self.window.latency(asked, Instant::now()));
        } else {
            self.tally.wrong(answer.status);
        }
    }
}

/// The chain of causes in one line: hyper's own text rarely says what happened.
fn describe(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
