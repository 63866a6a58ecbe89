//! Sessions: the HTTP exchanges a server had with the outside, recorded once and replayed ever after.
//!
//! The network side records like this; everything but `complete` is synchronous and cheap:
//!
//! ```text
//! let recorder = Recorder::create(path, force, redactor)?;   // refuses an existing file, a stale journal, a second recorder
//! let pending = recorder.begin(&request_head);               // takes the place in the order of arrival
//! let mut sink = pending.request_sink();                     // BodySink: poll_ready (back-pressure), push, finish
//! let captured = sink.finish();
//! let mut sink = pending.response_sink(&response_head);
//! pending.finish(request_captured, Outcome::…).await;        // queued to the journal; ready when it is on the disk
//! let report = recorder.complete(&counts).await?;            // canonical file, atomic rename
//! ```
//!
//! and replays like this; nothing here waits or locks:
//!
//! ```text
//! let replay = Replay::load(path, redactor, options)?;
//! let mut sink = replay.request_sink(&request_head);         // KeySink: push, finish -> RequestBody
//! match replay.take(&request_head, &sink.finish()) {
//!     Take::Hit(stored) => …,                                // Arc<Stored>: Response(StoredResponse) | Failure
//!     Take::Miss(miss) => …,                                 // miss.body(): JSON of at most 16 KiB, sent with 599
//! }
//! let report = replay.report(&counts);
//! ```
//!
//! `recover(path, force, redactor)` finishes an interrupted recording; `Session::open(path)` gives the typed content of a
//! file, `check(path)` also looks at its side files and hashes.
//!
//! | module | what it holds |
//! |---|---|
//! | `model` | the exchanges of a file as typed values |
//! | `body` | body forms: JSON when its bytes can be rebuilt, text, base64, side file |
//! | `coding` | `Content-Encoding` undone and done again |
//! | `read`, `write` | the file read strictly, every error with line and column; the file written |
//! | `syntax` | what a value of the file may hold |
//! | `recorder` | the recorder and its writer thread |
//! | `sink` | bodies captured while they stream by |
//! | `capture` | a captured exchange made into a journal entry |
//! | `journal` | `….session.json.journal`: one line per finished exchange, on disk before the run ends |
//! | `seal` | a line of it that shows whether it is whole |
//! | `on_disk` | waiting until an exchange is on the disk |
//! | `late` | secrets that were known only after a part was redacted |
//! | `assemble` | a journal turned into `….session.json` and `….session.files/` |
//! | `load` | a file made ready for replay |
//! | `replay` | the loaded session that answers requests |
//! | `stored` | a recorded outcome ready to be sent |
//! | [`tools`] | secrets looked for, files compared, recordings taken out |
//! | `error` | what can be wrong with a session on disk |
//!
//! How bodies are kept: the content is stored decoded and readable, `sha256` is of the bytes that are replayed. Where a
//! `Content-Encoding` was undone, `wire` holds the encoded bytes (inline below 64 KiB, else `<sha256>.gz` and the like), because
//! compressing again does not give the same bytes; a body with a secret in it is encoded again once, when the file is written.
//! An edited content no longer decodes from `wire` and is encoded again at load. A body of more than 4 MiB is captured in a
//! stream: if a secret is in it, it is stored decoded and replayed without `Content-Encoding`. A request with such a body is
//! matched by hash.

mod assemble;
mod body;
mod capture;
mod coding;
mod error;
mod journal;
mod late;
mod load;
mod model;
mod on_disk;
mod read;
mod recorder;
mod replay;
mod seal;
mod sink;
mod stored;
mod syntax;
pub mod tools;
mod write;

pub(crate) use coding::{Codings, Decoder as Inflate, STEP as INFLATE_STEP, content_encoding};
pub use error::{Place, SessionError};
pub use load::check;
pub use model::{Answer, Body, Event, Exchange, Form, Layout, Meta, Request, Response, Session, Wire};
pub(crate) use model::{names, split_url};
pub use on_disk::OnDisk;
pub use recorder::{Pending, Recorder, Recovered, recover};
pub use replay::{KeySink, Replay, ReplayOptions, RequestBody, Take};
pub use sink::BodySink;
pub use stored::{Stored, StoredBody, StoredResponse};

#[cfg(test)]
mod tests;
