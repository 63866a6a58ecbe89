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
//! pending.finish(request_captured, Outcome::…);              // queued to the journal; dropped unfinished it counts as aborted
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
//! | module | what it holds |
//! |---|---|
//! | `model` | the exchanges of a file as typed values |
//! | `body` | body forms: JSON when its bytes can be rebuilt, text, base64, side file |
//! | `coding` | `Content-Encoding` undone and done again |
//! | `read` | the file read strictly, every error with line and column |
//! | `write` | the file written in canonical order |
//! | `journal` | one line per finished exchange, on disk before the run ends |
//! | `assemble` | a journal turned into a session file |
//! | `recorder` | the recorder and its writer thread |
//! | `sink` | bodies captured while they stream by |
//! | `replay` | the loaded session that answers requests |
//! | `error` | what can be wrong with a session on disk |

mod coding;
mod error;
mod recorder;
mod replay;
mod sink;

pub use error::{Place, SessionError};
pub use recorder::{Pending, Recorder};
pub use replay::{KeySink, Replay, ReplayOptions, RequestBody, Stored, StoredBody, StoredResponse, Take};
pub use sink::BodySink;
