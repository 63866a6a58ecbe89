//! Bodies captured while they stream by.
//!
//! Up to 4 MiB a body is held. Beyond that a thread of its own whole it, replaces its secrets and writes it to a file; the
//! stream is held back while that thread is more than 1 MiB behind.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;

use bytes::{Bytes, BytesMut};
use mcpeak_core::redact::{Names, Scanner};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

use super::coding::{Codings, Decoder, STEP, content_encoding, is_bomb};
use crate::exchange::{Captured, EncodedFile, Headers, SpoolFile, Spooled};
use crate::redact::{BodyKind, Redaction};

/// Most bytes of a body that are held.
pub(crate) const HELD: usize = 4 * 1024 * 1024;
/// How far the disk may be behind a spooled body.
const BEHIND: usize = 1024 * 1024;
/// How many bytes of finished exchanges may wait for the journal before bodies are held back.
const QUEUED: usize = 64 * 1024 * 1024;

/// What all sinks of a recording share.
pub(crate) struct Shared {
    pub(crate) redaction: Redaction,
    /// Folder of the side files.
    pub(crate) folder: PathBuf,
    /// Whether what upstreams wrote holds pseudonyms of ours: it comes from a session.
    pub(crate) own: bool,
    queued: AtomicUsize,
    waiting: Mutex<Vec<Waker>>,
    threads: Mutex<Vec<(Weak<Pipe>, JoinHandle<()>)>>,
}

impl Shared {
    pub(crate) fn new(redaction: Redaction, folder: PathBuf) -> Self {
        let (queued, waiting, threads) = Default::default();
        Self { redaction, folder, own: false, queued, waiting, threads }
    }

    /// Counts bytes that wait for the journal.
    pub(crate) fn queue(&self, bytes: usize) {
        self.queued.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Counts bytes that the journal has taken.
    pub(crate) fn unqueue(&self, bytes: usize) {
        self.queued.fetch_sub(bytes, Ordering::AcqRel);
        for waker in lock(&self.waiting).drain(..) {
            waker.wake();
        }
    }

    /// Ends the bodies that are still streaming, and waits for the threads of all.
    pub(crate) fn close(&self) {
        let threads = std::mem::take(&mut *lock(&self.threads));
        for (pipe, thread) in threads {
            if let Some(pipe) = pipe.upgrade() {
                pipe.end(End::Aborted);
            }
            // A thread that panicked has dropped its sender, which the journal takes for a failed body.
            let _ = thread.join();
        }
    }

    fn spawn(&self, pipe: &Arc<Pipe>, work: impl FnOnce() + Send + 'static) {
        let mut threads = lock(&self.threads);
        threads.retain(|(_, thread)| !thread.is_finished());
        threads.push((Arc::downgrade(pipe), std::thread::spawn(work)));
    }
}

/// Captures a body: [`BodySink::poll_ready`], then [`BodySink::push`], in the end [`BodySink::finish`]. Dropped unfinished, it
/// leaves nothing behind.
pub struct BodySink {
    shared: Arc<Shared>,
    /// Name of the spool file.
    name: String,
    codings: Option<Codings>,
    names: Names,
    length: u64,
    state: State,
}

enum State {
    Held(Vec<Bytes>),
    Spooling(Arc<Pipe>, Option<oneshot::Receiver<io::Result<SpoolFile>>>),
}

impl BodySink {
    pub(crate) fn new(shared: Arc<Shared>, name: String, headers: &Headers) -> Self {
        let kind = BodyKind::of(headers.get("content-type"), b"");
        Self {
            shared,
            name,
            codings: Codings::parse(content_encoding(headers).as_deref()),
            names: kind.names(),
            length: 0,
            state: State::Held(Vec::new()),
        }
    }

    /// Ready unless the disk is too far behind.
    pub fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let State::Spooling(pipe, _) = &self.state {
            return pipe.poll_ready(context);
        }
        if self.shared.queued.load(Ordering::Acquire) < QUEUED {
            return Poll::Ready(());
        }
        lock(&self.shared.waiting).push(context.waker().clone());
        // The journal may have caught up between the look and the registration.
        if self.shared.queued.load(Ordering::Acquire) < QUEUED { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Waits until the sink takes a further chunk.
    pub async fn ready(&mut self) {
        std::future::poll_fn(|context| self.poll_ready(context)).await;
    }

    /// Takes a chunk; never waits.
    pub fn push(&mut self, chunk: &Bytes) {
        self.length += chunk.len() as u64;
        match &mut self.state {
            State::Spooling(pipe, _) => pipe.push(chunk.clone()),
            State::Held(chunks) => {
                chunks.push(chunk.clone());
                if self.length > HELD as u64 {
                    let chunks = std::mem::take(chunks);
                    self.spool(chunks);
                }
            }
        }
    }

    /// The whole body.
    pub fn finish(mut self) -> Captured {
        match &mut self.state {
            State::Spooling(pipe, file) => {
                pipe.end(End::Finished);
                match file.take() {
                    Some(file) => Captured::Spooled(Spooled { wire_length: self.length, file }),
                    None => Captured::Empty,
                }
            }
            State::Held(chunks) => match std::mem::take(chunks).as_slice() {
                [] => Captured::Empty,
                _ if self.length == 0 => Captured::Empty,
                [one] => Captured::Memory(one.clone()),
                many => {
                    let mut whole = BytesMut::with_capacity(many.iter().map(Bytes::len).sum());
                    for chunk in many {
                        whole.extend_from_slice(chunk);
                    }
                    Captured::Memory(whole.freeze())
                }
            },
        }
    }

    fn spool(&mut self, chunks: Vec<Bytes>) {
        let (sender, receiver) = oneshot::channel();
        let pipe = Arc::new(Pipe::default());
        let path = self.shared.folder.join(&self.name);
        let mut spool = Spool::new(&self.shared.redaction, self.codings.clone(), self.names.clone(), path);
        let source = Arc::clone(&pipe);
        self.shared.spawn(&pipe, move || {
            let result = spool.run(&source);
            // Nobody waits for the file of an aborted exchange.
            if let Some(Err(file)) = result.map(|file| sender.send(file)) {
                drop(file.map(|file| std::fs::remove_file(file.path)));
            }
        });
        for chunk in chunks {
            pipe.push(chunk);
        }
        self.state = State::Spooling(pipe, Some(receiver));
    }
}

impl Drop for BodySink {
    fn drop(&mut self) {
        if let State::Spooling(pipe, _) = &self.state {
            pipe.end(End::Aborted);
        }
    }
}

impl fmt::Debug for BodySink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BodySink")
            .field("name", &self.name)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// Chunks between an async stream and a thread.
#[derive(Default)]
struct Pipe {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    chunks: VecDeque<Bytes>,
    bytes: usize,
    end: Option<End>,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Finished,
    Aborted,
}

impl Pipe {
    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut queue = lock(&self.queue);
        if queue.bytes <= BEHIND || queue.end.is_some() {
            return Poll::Ready(());
        }
        queue.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn push(&self, chunk: Bytes) {
        let mut queue = lock(&self.queue);
        if queue.end.is_some() {
            return;
        }
        queue.bytes += chunk.len();
        queue.chunks.push_back(chunk);
        self.arrived.notify_one();
    }

    /// The first end counts: a sink that is dropped after it was finished is finished.
    fn end(&self, end: End) {
        let mut queue = lock(&self.queue);
        queue.end.get_or_insert(end);
        queue.waker.take().into_iter().for_each(Waker::wake);
        self.arrived.notify_one();
    }

    /// The next chunk, or how the stream ended. Waits for the producer, who ends the stream when it is dropped.
    fn next(&self) -> Result<Bytes, End> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.end == Some(End::Aborted) {
                return Err(End::Aborted);
            }
            if let Some(chunk) = queue.chunks.pop_front() {
                queue.bytes -= chunk.len();
                let waker = if queue.bytes <= BEHIND { queue.waker.take() } else { None };
                waker.into_iter().for_each(Waker::wake);
                return Ok(chunk);
            }
            if let Some(end) = queue.end {
                return Err(end);
            }
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Decodes, redacts and writes one body. The encoded bytes are kept beside it: they are what is replayed if there was nothing to
/// redact, and all there is if they cannot be decoded.
pub(crate) struct Spool {
    path: PathBuf,
    codings: Option<Codings>,
    /// `None` where there is nothing to undo, and after it turned out that it cannot be undone.
    decoder: Option<Decoder>,
    wire: SpoolOut,
    scanner: Option<Scanner>,
    out: SpoolOut,
}

impl Spool {
    pub(crate) fn new(redaction: &Redaction, codings: Option<Codings>, names: Names, path: PathBuf) -> Self {
        let codings = codings.filter(|codings| !codings.is_identity());
        let scanner = Scanner::new(redaction.redactor.clone(), Arc::clone(&redaction.tokens), names);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self {
            wire: SpoolOut::new(path.with_file_name(format!("{stem}-wire.part"))),
            out: SpoolOut::new(path.clone()),
            decoder: codings.as_ref().map(Decoder::new),
            codings,
            scanner: Some(scanner),
            path,
        }
    }

    /// Spools bytes that are held.
    pub(crate) fn write_all(mut self, bytes: &[u8]) -> io::Result<SpoolFile> {
        let written = bytes.chunks(HELD / 64).try_for_each(|chunk| self.write(chunk));
        written.and_then(|()| self.finish()).inspect_err(|_| self.discard())
    }

    /// `None` if the stream was aborted.
    fn run(&mut self, pipe: &Pipe) -> Option<io::Result<SpoolFile>> {
        let mut result = Ok(());
        loop {
            match pipe.next() {
                // After an error the rest is passed over, so that the live stream goes on.
                Ok(chunk) => result = result.and_then(|()| self.write(&chunk)),
                Err(End::Finished) => break,
                Err(End::Aborted) => {
                    self.discard();
                    return None;
                }
            }
        }
        let file = result.and_then(|()| self.finish());
        Some(file.inspect_err(|_| self.discard()))
    }

    fn discard(&self) {
        drop(std::fs::remove_file(&self.path));
        drop(std::fs::remove_file(&self.wire.path));
    }

    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        if self.codings.is_none() {
            return self.scan(chunk);
        }
        for step in chunk.chunks(STEP) {
            self.wire.write(step)?;
            let Some(decoder) = &mut self.decoder else { continue };
            let mut plain = Vec::new();
            let whole = decoder.push(step, &mut plain).is_ok();
            self.scan(&plain)?;
            if !whole || is_bomb(self.wire.length, self.out.length) {
                self.decoder = None;
            }
        }
        Ok(())
    }

    fn scan(&mut self, plain: &[u8]) -> io::Result<()> {
        let mut out = Vec::new();
        if let Some(scanner) = &mut self.scanner {
            scanner.push(plain, &mut out);
        }
        self.out.write(&out)
    }

    fn finish(&mut self) -> io::Result<SpoolFile> {
        let mut rest = Vec::new();
        let whole = self.decoder.take().is_some_and(|decoder| decoder.finish(&mut rest).is_ok());
        self.scan(&rest)?;
        let mut out = Vec::new();
        let redacted = self.scanner.take().is_some_and(|scanner| scanner.finish(&mut out));
        self.out.write(&out)?;
        let (length, sha256) = self.out.finish()?;
        let mut file = SpoolFile {
            path: self.path.clone(),
            length,
            sha256,
            redacted,
            decoded: self.codings.is_some() && redacted,
            encoded: None,
        };
        if let Some(codings) = self.codings.as_ref().filter(|_| !redacted) {
            let (length, sha256) = self.wire.finish()?;
            let path = self.wire.path.clone();
            if whole {
                file.encoded = Some(EncodedFile { encoding: codings.names(), path, length, sha256 });
            } else {
                drop(std::fs::remove_file(&self.path));
                (file.path, file.length, file.sha256) = (path, length, sha256);
            }
        } else {
            drop(std::fs::remove_file(&self.wire.path));
        }
        Ok(file)
    }
}

/// A file that is being written, its length and its hash.
struct SpoolOut {
    path: PathBuf,
    hasher: Sha256,
    length: u64,
    file: Option<BufWriter<File>>,
}

impl SpoolOut {
    fn new(path: PathBuf) -> Self {
        Self { path, hasher: Sha256::new(), length: 0, file: None }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            self.file = Some(BufWriter::with_capacity(256 * 1024, File::create(&self.path)?));
        }
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(bytes))
    }

    /// Waits for the disk.
    fn finish(&mut self) -> io::Result<(u64, [u8; 32])> {
        if let Some(file) = self.file.take() {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
        }
        Ok((self.length, std::mem::take(&mut self.hasher).finalize().into()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every critical section here leaves its value whole, so a panic elsewhere does not spoil it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
