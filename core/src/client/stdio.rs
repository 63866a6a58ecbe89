//! The channel over a process's pipes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::channel::{Call, Channel, Outcome, encode_notification, encode_reply};
use super::connection::{Closed, ForceReason, ServerFacts};
use super::failure::{timed_out, violated};
use crate::error::{Detail, ErrorCode, McpError, Phase};
use crate::process::{Ended, Ladder, ServerPipes, ServerProcess};
use crate::wire::judge::{IdMatch, match_id};
use crate::wire::{
    Direction, Kind, Line, LineFramer, MAX_MESSAGE_BYTES, Message, Noise, Oddity, Reply, Transcript, Verdict,
    Version, excerpt, judge_reply,
};

/// How long stdout is read on after the process ended: its last words may still be in the pipe, or a grandchild may hold it.
const DRAIN: Duration = Duration::from_millis(300);
/// How long an exit is waited for when a pipe closes: usually the process is just ending.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// How long queued messages may take to leave before stdin is closed.
const FLUSH: Duration = Duration::from_millis(100);

/// A server process and the requests that wait for it.
pub(super) struct StdioChannel {
    shared: Arc<Shared>,
    reader: Mutex<JoinHandle<()>>,
    writer: Mutex<JoinHandle<()>>,
    ladder: Ladder,
    closed: Mutex<Option<Closed>>,
}

struct Shared {
    process: ServerProcess,
    state: StdMutex<State>,
    transcript: Transcript,
}

struct State {
    next_id: u64,
    waiting: BTreeMap<u64, oneshot::Sender<Result<Message, McpError>>>,
    /// Why no answer will come any more.
    lost: Option<McpError>,
    /// The queue to stdin; gone once stdin is to be closed.
    outgoing: Option<mpsc::UnboundedSender<Bytes>>,
}

impl StdioChannel {
    /// Takes over a started process.
    pub(super) fn new(process: ServerProcess, pipes: ServerPipes, ladder: Ladder) -> Self {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let state = State { next_id: 1, waiting: BTreeMap::new(), lost: None, outgoing: Some(outgoing) };
        let shared =
            Arc::new(Shared { process, state: StdMutex::new(state), transcript: Transcript::default() });
        let reader = tokio::spawn(read(Arc::clone(&shared), pipes.stdout, ladder));
        let writer = tokio::spawn(write(Arc::clone(&shared), pipes.stdin, queue));
        Self {
            shared,
            reader: Mutex::new(reader),
            writer: Mutex::new(writer),
            ladder,
            closed: Mutex::new(None),
        }
    }

    async fn end(&self) -> Closed {
        self.shared.lose(&McpError::new(ErrorCode::TransportFailed, Phase::Close, Detail::Closed));
        self.shared.state().outgoing = None;
        join(&mut *self.writer.lock().await, FLUSH).await;
        let ended = self.shared.process.end(self.ladder).await;
        join(&mut *self.reader.lock().await, DRAIN).await;
        let forced = match ended {
            Ended::ByItself(_) | Ended::Terminated(_) => None,
            Ended::Killed(_) | Ended::Alive => Some(ForceReason::GracefulCloseDeadlineExceeded),
        };
        let error = (ended == Ended::Alive)
            .then(|| McpError::new(ErrorCode::ForceCloseTimeout, Phase::ForceClose, Detail::None));
        Closed { facts: self.shared.facts(), forced, error }
    }
}

impl Drop for StdioChannel {
    fn drop(&mut self) {
        self.reader.get_mut().abort();
        self.writer.get_mut().abort();
    }
}

async fn join(handle: &mut JoinHandle<()>, patience: Duration) {
    if handle.is_finished() || timeout(patience, &mut *handle).await.is_ok() {
        return;
    }
    handle.abort();
    let _ = handle.await;
}

#[async_trait]
impl Channel for StdioChannel {
    async fn call(&self, call: Call<'_>) -> Result<Outcome, McpError> {
        let in_phase = |error: McpError| McpError { phase: call.phase, ..error };
        let waiter = Waiter::register(&self.shared).map_err(in_phase)?;
        let id = waiter.id;
        self.shared.send(call.encode(id));
        let Ok(answer) = timeout_at(call.deadline, waiter.answer()).await else {
            if call.cancel {
                let params = json!({"requestId": id, "reason": "no answer in time"});
                self.shared.send(encode_notification("notifications/cancelled", Some(params)));
            }
            return Err(timed_out(call.phase, call.method, call.patience, false));
        };
        let message = answer.map_err(in_phase)?;
        match judge_reply(&message, id).map_err(|violation| violated(call.phase, violation))? {
            Reply::Result(result) => Ok(Outcome::Result(result, message.raw().clone())),
            Reply::Error(error) => Ok(Outcome::Error(error)),
        }
    }

    async fn notify(&self, method: &str, _: &'static Version, _: Instant) -> Result<(), McpError> {
        if let Some(lost) = &self.shared.state().lost {
            return Err(lost.clone());
        }
        self.shared.send(encode_notification(method, None));
        Ok(())
    }

    fn facts(&self) -> ServerFacts {
        self.shared.facts()
    }

    fn transcript(&self) -> &Transcript {
        &self.shared.transcript
    }

    fn over_http(&self) -> bool {
        false
    }

    async fn close(&self) -> Closed {
        let mut closed = self.closed.lock().await;
        if let Some(closed) = &*closed {
            return closed.clone();
        }
        closed.insert(self.end().await).clone()
    }
}

/// A place in the waiting list; dropping it gives the place up, and a late answer is discarded.
struct Waiter<'a> {
    shared: &'a Shared,
    id: u64,
    answer: oneshot::Receiver<Result<Message, McpError>>,
}

impl<'a> Waiter<'a> {
    fn register(shared: &'a Shared) -> Result<Self, McpError> {
        let mut state = shared.state();
        if let Some(lost) = &state.lost {
            return Err(lost.clone());
        }
        let (sender, answer) = oneshot::channel();
        let id = state.next_id;
        state.next_id += 1;
        state.waiting.insert(id, sender);
        Ok(Self { shared, id, answer })
    }

    async fn answer(mut self) -> Result<Message, McpError> {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            // The sender is only ever dropped after the connection was lost.
            Err(_) => Err(self.shared.state().lost.clone().unwrap_or_else(|| {
                McpError::new(ErrorCode::TransportFailed, Phase::Transport, Detail::StdoutClosed)
            })),
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.shared.state().waiting.remove(&self.id);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn facts(&self) -> ServerFacts {
        ServerFacts::Process { exit: self.process.exit(), stderr: self.process.stderr() }
    }

    fn send(&self, message: Bytes) {
        self.transcript.push(Direction::Sent, &message);
        if let Some(outgoing) = &self.state().outgoing {
            // The writer is gone only when the connection is: whoever waits learns it from there.
            let _ = outgoing.send(message);
        }
    }

    /// Ends every request that waits, and every later one, with this error. The first reason stays.
    fn lose(&self, error: &McpError) {
        let mut state = self.state();
        state.lost.get_or_insert_with(|| error.clone());
        for (_, sender) in std::mem::take(&mut state.waiting) {
            let _ = sender.send(Err(error.clone()));
        }
    }

    /// Takes a line from stdout.
    fn take(&self, line: Line) -> Result<(), McpError> {
        let (noise, line) = match line {
            Line::TooLong(head) => (Noise::TooLong, excerpt(&head)),
            Line::Whole(bytes) => {
                self.transcript.push(Direction::Received, &bytes);
                match Message::parse(bytes) {
                    Ok(message) => {
                        for message in message.into_singles() {
                            self.dispatch(message);
                        }
                        return Ok(());
                    }
                    Err(not) => (not.noise, not.excerpt),
                }
            }
        };
        if Oddity::Noise.verdict() != Verdict::EndsConnection {
            return Ok(());
        }
        let detail = Detail::StdoutNoise { noise, line };
        Err(McpError::new(ErrorCode::TransportFailed, Phase::Transport, detail))
    }

    fn dispatch(&self, message: Message) {
        match message.kind() {
            Kind::Request => {
                if let (Some(id), Some(method)) = (message.id(), message.method()) {
                    self.send(encode_reply(id, method));
                }
            }
            Kind::Response => self.settle(message),
            Kind::Notification | Kind::Batch | Kind::Invalid => {}
        }
    }

    /// Gives a reply to whom it is for. One that cannot be for anybody else ends the only request that waits, so that a
    /// server with a broken id is described instead of timed out; an answer to a request given up is dropped.
    fn settle(&self, message: Message) {
        let mut state = self.state();
        let id = match match_id(message.id()) {
            IdMatch::Exact(id) | IdMatch::AsText(id) if state.waiting.contains_key(&id) => id,
            IdMatch::Exact(id) | IdMatch::AsText(id) if (1..state.next_id).contains(&id) => return,
            _ => match state.waiting.first_key_value() {
                Some((&only, _))
                    if state.waiting.len() == 1 && Oddity::StrayReply.verdict() == Verdict::EndsRequest =>
                {
                    only
                }
                _ => return,
            },
        };
        if let Some(sender) = state.waiting.remove(&id) {
            let _ = sender.send(Ok(message));
        }
    }
}

async fn write(shared: Arc<Shared>, mut stdin: ChildStdin, mut queue: mpsc::UnboundedReceiver<Bytes>) {
    while let Some(message) = queue.recv().await {
        let mut line = Vec::with_capacity(message.len() + 1);
        line.extend_from_slice(&message);
        line.push(b'\n');
        if stdin.write_all(&line).await.is_ok() && stdin.flush().await.is_ok() {
            continue;
        }
        // A process that ends is the reader's to describe.
        if shared.process.ended_within(EXIT_GRACE).await.is_none() {
            let detail = Detail::StdinClosed;
            shared.lose(&McpError::new(ErrorCode::TransportFailed, Phase::Transport, detail));
        }
        return;
    }
}

async fn read(shared: Arc<Shared>, mut stdout: ChildStdout, ladder: Ladder) {
    if let Err(noise) = read_lines(&shared, &mut stdout).await {
        shared.lose(&noise);
        shared.state().outgoing = None;
        shared.process.end(ladder).await;
        return;
    }
    let error = match shared.process.ended_within(EXIT_GRACE).await {
        Some(exit) => {
            let stderr_empty = shared.process.stderr().text.is_empty();
            let detail = Detail::Exit { exit, stderr_empty };
            McpError::new(ErrorCode::ProcessExited, Phase::Process, detail)
        }
        None => McpError::new(ErrorCode::TransportFailed, Phase::Transport, Detail::StdoutClosed),
    };
    shared.lose(&error);
}

/// Reads until the end of stdout, or a while beyond the end of the process. An error is the first line that is no message.
async fn read_lines(shared: &Shared, stdout: &mut ChildStdout) -> Result<(), McpError> {
    let mut framer = LineFramer::new(MAX_MESSAGE_BYTES);
    let mut buffer = vec![0; 64 * 1024];
    let mut drained: Option<Instant> = None;
    loop {
        tokio::select! {
            biased;
            count = stdout.read(&mut buffer) => {
                let count = count.unwrap_or(0);
                if count == 0 {
                    break;
                }
                framer.push(&buffer[..count]);
            }
            _ = shared.process.ended(), if drained.is_none() => drained = Some(Instant::now() + DRAIN),
            () = sleep_until(drained.unwrap_or_else(Instant::now)), if drained.is_some() => break,
        }
        while let Some(line) = framer.next_line() {
            shared.take(line)?;
        }
    }
    match framer.finish_stream() {
        Some(line) => shared.take(line),
        None => Ok(()),
    }
}
