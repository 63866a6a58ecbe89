//! The recorder and its writer thread: redacts, journals, and in the end writes the file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use mcpeak_core::redact::Redactor;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::oneshot;

use super::assemble::{assemble, remove_unreferenced};
use super::capture::{Capture, Finished};
use super::error::SessionError;
use super::journal::{Journal, folder_of};
use super::on_disk::OnDisk;
use super::sink::{BodySink, Shared};
use crate::exchange::{Captured, Headers, Origin, Outcome, RequestHead, ResponseHead};
use crate::redact::{Ledger, Redaction, learn_request, without_ids};
use crate::report::{Counts, Mode, SessionReport, Warning};

/// Most exchanges that share one wait for the disk.
const BATCH: usize = 256;

/// Records exchanges; a handle that is cheap to clone.
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    path: PathBuf,
    shared: Arc<Shared>,
    jobs: Sender<Job>,
    arrivals: AtomicU64,
    finished: AtomicU64,
    by_origin: Mutex<BTreeMap<Origin, u64>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

enum Job {
    /// The sender is dropped when the exchange is on the disk.
    Exchange(Box<Finished>, oneshot::Sender<()>),
    Complete(oneshot::Sender<Result<Completed, SessionError>>),
    Abandon(oneshot::Sender<()>),
}

struct Completed {
    recorded: u64,
    warnings: Vec<Warning>,
}

impl Recorder {
    /// Begins a recording. Nothing is overwritten without `force`: neither the file nor the journal of an interrupted run.
    pub fn create(path: &Path, force: bool, redactor: Redactor) -> Result<Self, SessionError> {
        Self::create_with_fields(path, force, redactor, Vec::new())
    }

    /// [`Recorder::create`] that also stores these request fields, so that they can take part in matching.
    pub fn create_with_fields(
        path: &Path,
        force: bool,
        redactor: Redactor,
        fields: Vec<String>,
    ) -> Result<Self, SessionError> {
        if !force && path.exists() {
            return Err(SessionError::Exists { path: path.to_owned() });
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|source| SessionError::io("create", folder, source))?;
        }
        let journal = Journal::create(path, force)?;
        let redaction = Redaction { redactor, tokens: Arc::new(Ledger::default()) };
        Self::start(path, journal, Shared::new(redaction, folder_of(path)), fields)
    }

    /// [`Recorder::create`] for exchanges that are redacted already: their pseudonyms, written as provisional ones, are kept.
    pub(crate) fn create_again(path: &Path, force: bool, redactor: Redactor) -> Result<Self, SessionError> {
        if !force && path.exists() {
            return Err(SessionError::Exists { path: path.to_owned() });
        }
        let journal = Journal::create(path, force)?;
        let redaction = Redaction { redactor, tokens: Arc::new(Ledger::beside_another()) };
        let mut shared = Shared::new(redaction, folder_of(path));
        shared.own = true;
        Self::start(path, journal, shared, Vec::new())
    }

    fn start(
        path: &Path,
        journal: Journal,
        shared: Shared,
        fields: Vec<String>,
    ) -> Result<Self, SessionError> {
        let shared = Arc::new(shared);
        let (jobs, receiver) = channel();
        let writer = Writer {
            path: path.to_owned(),
            shared: Arc::clone(&shared),
            fields,
            journal: Some(journal),
            recorded: 0,
            warnings: Vec::new(),
            failure: None,
        };
        let writer = std::thread::Builder::new()
            .name("mcpeak-journal".to_owned())
            .spawn(move || writer.run(&receiver));
        let writer = writer.map_err(|source| SessionError::io("create", path, source))?;
        let (arrivals, finished, by_origin) = Default::default();
        let (path, writer) = (path.to_owned(), Mutex::new(Some(writer)));
        Ok(Self(Arc::new(Inner { path, shared, jobs, arrivals, finished, by_origin, writer })))
    }

    /// Makes the secrets of fields known that belong to no recorded request, such as the credentials for a proxy in front, so that
    /// they are redacted wherever somebody echoes them.
    pub(crate) fn learn(&self, headers: &Headers) {
        learn_request(&self.0.shared.redaction, headers);
    }

    /// Takes the place of a request in the order of arrival.
    pub fn begin(&self, head: &RequestHead) -> Pending {
        let seq = self.0.arrivals.fetch_add(1, Ordering::AcqRel);
        Pending { recorder: self.clone(), seq, head: head.clone() }
    }

    /// Waits for the journal, writes the session file and removes the journal. Exchanges that are still under way count as
    /// aborted. On an error the journal stays, for [`super::recover`].
    pub async fn complete(&self, counts: &Counts) -> Result<SessionReport, SessionError> {
        let (sender, receiver) = oneshot::channel();
        let gone = || SessionError::Finished { path: self.0.path.clone() };
        let aborted = self.aborted();
        self.0.jobs.send(Job::Complete(sender)).map_err(|_| gone())?;
        let completed = receiver.await.map_err(|_| gone())?;
        // The writer has answered and only returns now.
        if let Some(writer) = self.0.writer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = writer.join();
        }
        let completed = completed?;
        let mut report = self.report(counts, completed.recorded, aborted);
        report.warnings.extend(completed.warnings);
        report.warnings.sort();
        report.warnings.dedup();
        Ok(report)
    }

    /// Ends a recording that could not begin: the empty journal goes, so that it blocks no later one. A journal that holds an
    /// exchange stays.
    pub async fn abandon(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.0.jobs.send(Job::Abandon(sender)).is_ok() {
            // A writer that is gone has nothing to abandon.
            let _ = receiver.await;
        }
    }

    /// The report so far.
    pub fn progress(&self, counts: &Counts) -> SessionReport {
        self.report(counts, self.0.finished.load(Ordering::Acquire), 0)
    }

    /// A text as reports may show it.
    pub(crate) fn shown(&self, text: &str) -> String {
        without_ids(&self.0.shared.redaction.text(text))
    }

    fn aborted(&self) -> u64 {
        self.0.arrivals.load(Ordering::Acquire) - self.0.finished.load(Ordering::Acquire)
    }

    fn report(&self, counts: &Counts, recorded: u64, aborted: u64) -> SessionReport {
        let name = self.0.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut report = SessionReport::new(Mode::Record, name, counts);
        report.recorded = recorded;
        for (origin, count) in &*self.0.by_origin.lock().unwrap_or_else(PoisonError::into_inner) {
            report.destinations.entry(origin.to_string()).or_default().recorded = *count;
        }
        let unsearched = self.0.shared.redaction.redactor.unsearched().iter();
        report.warnings.extend(unsearched.map(|name| Warning::ValueNotSearched { name: name.clone() }));
        if aborted > 0 {
            report.warnings.push(Warning::Aborted { count: aborted });
        }
        report.warnings.sort();
        report
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").field("path", &self.0.path).finish_non_exhaustive()
    }
}

/// An exchange under way. Dropped unfinished, it counts as aborted.
#[derive(Debug)]
#[must_use]
pub struct Pending {
    recorder: Recorder,
    seq: u64,
    head: RequestHead,
}

impl Pending {
    /// Captures the request's body.
    pub fn request_sink(&self) -> BodySink {
        let name = format!("{}-request.part", self.seq);
        BodySink::new(Arc::clone(&self.recorder.0.shared), name, &self.head.headers)
    }

    /// Captures the response's body.
    pub fn response_sink(&self, head: &ResponseHead) -> BodySink {
        let name = format!("{}-response.part", self.seq);
        BodySink::new(Arc::clone(&self.recorder.0.shared), name, &head.headers)
    }

    /// Hands the exchange to the journal; never waits. After the recording was completed it counts as aborted. What is
    /// returned is ready when the exchange is on the disk.
    pub fn finish(self, request: Captured, outcome: Outcome) -> OnDisk {
        let inner = &self.recorder.0;
        let origin = self.head.origin.clone();
        let finished = Box::new(Finished { seq: self.seq, head: self.head, request, outcome });
        let held = finished.held();
        inner.shared.queue(held);
        let (sender, written) = oneshot::channel();
        if inner.jobs.send(Job::Exchange(finished, sender)).is_ok() {
            inner.finished.fetch_add(1, Ordering::AcqRel);
            *inner.by_origin.lock().unwrap_or_else(PoisonError::into_inner).entry(origin).or_default() += 1;
        } else {
            inner.shared.unqueue(held);
        }
        OnDisk::new(written)
    }
}

/// The thread that owns the journal.
struct Writer {
    path: PathBuf,
    shared: Arc<Shared>,
    fields: Vec<String>,
    journal: Option<Journal>,
    recorded: u64,
    warnings: Vec<Warning>,
    /// The first thing that went wrong; nothing is written after it.
    failure: Option<SessionError>,
}

impl Writer {
    fn run(mut self, jobs: &Receiver<Job>) {
        // Ends when every handle is gone: the journal stays and can be recovered.
        while let Ok(first) = jobs.recv() {
            let (mut batch, mut waiting) = (Vec::new(), Vec::new());
            let mut next = Some(first);
            while let Some(job) = next.take() {
                match job {
                    Job::Exchange(finished, written) => {
                        batch.push(*finished);
                        waiting.push(written);
                    }
                    Job::Complete(answer) => {
                        self.write(batch);
                        drop(waiting);
                        // The caller may have given up waiting.
                        let _ = answer.send(self.complete());
                        return;
                    }
                    Job::Abandon(done) => {
                        self.write(batch);
                        if self.recorded == 0
                            && let Some(journal) = self.journal.take()
                            && let Err(error) = journal.remove()
                        {
                            tracing::warn!("the empty journal stays: {error}");
                        }
                        let _ = done.send(());
                        return;
                    }
                }
                next = if batch.len() < BATCH { jobs.try_recv().ok() } else { None };
            }
            self.write(batch);
            drop(waiting);
        }
    }

    fn write(&mut self, batch: Vec<Finished>) {
        let held: usize = batch.iter().map(Finished::held).sum();
        if self.failure.is_none()
            && let Err(error) = self.try_write(batch)
        {
            tracing::error!(code = error.code(), "recording stopped: {error}");
            self.failure = Some(error);
        }
        self.shared.unqueue(held);
    }

    fn try_write(&mut self, batch: Vec<Finished>) -> Result<(), SessionError> {
        let mut entries = Vec::with_capacity(batch.len());
        for finished in batch {
            let mut capture = Capture {
                own: self.shared.own,
                redaction: &self.shared.redaction,
                folder: &self.shared.folder,
                fields: &self.fields,
                warnings: &mut self.warnings,
            };
            let entry = capture.entry(finished);
            entries.push(entry.map_err(|source| SessionError::io("write", &self.shared.folder, source))?);
        }
        if let Some(journal) = &mut self.journal {
            journal.append(&entries)?;
        }
        self.recorded += entries.len() as u64;
        Ok(())
    }

    fn complete(&mut self) -> Result<Completed, SessionError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let Some(journal) = self.journal.take() else {
            return Err(SessionError::Finished { path: self.path.clone() });
        };
        self.shared.close();
        let content = journal.read(&self.shared.folder)?;
        if content.broken_lines > 0 {
            let source = std::io::Error::other("what was written to the journal is not what is in it");
            return Err(SessionError::io("finish", &self.path, source));
        }
        let session = assemble(&self.path, content.entries, &self.shared.redaction, &now())?;
        journal.remove()?;
        remove_unreferenced(&session, &self.path)?;
        Ok(Completed { recorded: self.recorded, warnings: std::mem::take(&mut self.warnings) })
    }
}

/// What [`recover`] found in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Exchanges that are in the session file now.
    pub exchanges: usize,
    /// Lines that were cut off or damaged, and left out: one exchange each.
    pub broken_lines: usize,
}

/// Finishes an interrupted recording from its journal. A session file that is already there is
/// replaced only with `force`. The redactor's values are looked for once more; the journal itself does not hold any.
pub fn recover(path: &Path, force: bool, redactor: Redactor) -> Result<Recovered, SessionError> {
    let journal = Journal::reopen(path)?;
    if !force && path.exists() {
        return Err(SessionError::Exists { path: path.to_owned() });
    }
    let content = journal.read(&folder_of(path))?;
    let late = Redaction { redactor, tokens: Arc::new(Ledger::beside_another()) };
    let session = assemble(path, content.entries, &late, &now())?;
    journal.remove()?;
    remove_unreferenced(&session, path)?;
    Ok(Recovered { exchanges: session.exchanges.len(), broken_lines: content.broken_lines })
}

fn now() -> String {
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    now.format(&Rfc3339).unwrap_or_default()
}
