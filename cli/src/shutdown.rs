//! Signals that ask a run to end in order.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that is cancelled by the first SIGINT, SIGTERM or SIGHUP. A second one ends the process at once, as users expect
/// of a second Ctrl-C; by then the journal holds every finished exchange.
pub(crate) fn token() -> std::io::Result<CancellationToken> {
    let token = CancellationToken::new();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let cancelled = token.clone();
    // Ends with the runtime; there is nothing to join.
    tokio::spawn(async move {
        for _ in 0..2 {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            if cancelled.is_cancelled() {
                #[expect(clippy::exit, clippy::disallowed_methods, reason = "the user asked twice; the orderly end is under way")]
                std::process::exit(i32::from(mcpeak_core::exit::ExitCode::Interrupted.code()));
            }
            cancelled.cancel();
        }
    });
    Ok(token)
}
