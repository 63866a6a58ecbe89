//! Signals: those that ask a run to end in order, and the end of adopted processes.

use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The signal that cancelled the token; 0 before.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// The signal that asked for the end, to be handed on; SIGTERM where the wish came from elsewhere.
pub(crate) fn received() -> Signal {
    Signal::from_named_raw(RECEIVED.load(Ordering::Relaxed)).unwrap_or(Signal::TERM)
}

/// Buries adopted processes. As the first process of a container, or with captured sockets, orphans are ours.
pub(crate) fn bury_adopted() -> std::io::Result<()> {
    let mut ended = signal(SignalKind::child())?;
    // Ends with the runtime; there is nothing to join.
    tokio::spawn(async move {
        while ended.recv().await.is_some() {
            mcpeak_core::process::reap_adopted();
        }
    });
    Ok(())
}

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
            let received = tokio::select! {
                _ = interrupt.recv() => SignalKind::interrupt(),
                _ = terminate.recv() => SignalKind::terminate(),
                _ = hangup.recv() => SignalKind::hangup(),
            };
            RECEIVED.store(received.as_raw_value(), Ordering::Relaxed);
            if cancelled.is_cancelled() {
                #[expect(
                    clippy::exit,
                    clippy::disallowed_methods,
                    reason = "the user asked twice; the orderly end is under way"
                )]
                std::process::exit(i32::from(mcpeak_core::exit::ExitCode::Interrupted.code()));
            }
            cancelled.cancel();
        }
    });
    Ok(token)
}
