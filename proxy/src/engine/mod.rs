//! What becomes of a request once it is read: [`Mode`] as settings, `Engine` at run time.
//!
//! Only the recording and the passing engine own an upstream. The replaying one owns a session and nothing else, so that no
//! branch of it, however wrong, could open a connection.
//!
//! | module | what it holds |
//! |---|---|
//! | `mode` | the modes as a caller gives them |
//! | `run` | the engine of a running proxy |
//! | `replay` | answers out of a session |
//! | `record` | forwards, and stores what went by |
//! | `pass` | forwards, and counts |
//! | `tee` | bodies copied into a recording while they stream |
//! | `outgoing` | requests as they leave |

mod mode;
mod outgoing;
mod pass;
mod record;
mod replay;
mod run;
mod tee;

pub use mode::Mode;
pub(crate) use outgoing::Outgoing;
pub(crate) use run::Engine;
