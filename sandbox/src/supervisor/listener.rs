//! Receives notifications and answers them, in one thread: a second one only makes each call dearer.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use libc::seccomp_notif;

use super::call::{Call, Obstacle, Outcome};
use super::handle::State;
use super::process;
use super::sys::Errno;
use super::sys::seccomp::{self, Verdict};
use super::sys::user;
use super::workers::Workers;

/// Starts the thread. It ends when the thread `stopper` signals, and closes the listener: then the tree has no network.
pub(super) fn start(listener: OwnedFd, state: Arc<State>, stopper: u32) -> std::io::Result<JoinHandle<()>> {
    seccomp::wake_synchronously(listener.as_fd());
    let listener = Arc::new(listener);
    thread::Builder::new().name("mcpeak-listener".to_owned()).spawn(move || serve(&listener, &state, stopper))
}

fn serve(listener: &Arc<OwnedFd>, state: &Arc<State>, stopper: u32) {
    let mut workers = Workers::new(Arc::clone(listener), Arc::clone(state));
    loop {
        let notification = match seccomp::receive(listener.as_fd()) {
            Ok(notification) => notification,
            // The caller was killed meanwhile, or a signal came: nothing was received.
            Err(Errno(libc::ENOENT | libc::EINTR)) => continue,
            Err(errno) => {
                tracing::error!(errno = errno.0, "the listener cannot receive");
                return;
            }
        };
        if is_signal(&notification, stopper) {
            seccomp::respond(listener.as_fd(), notification.id, Verdict::Fail(Errno(libc::EBADF)));
            return;
        }
        if handle(listener, state, &notification).is_err() {
            workers.take(&notification);
        }
    }
}

fn is_signal(notification: &seccomp_notif, stopper: u32) -> bool {
    notification.pid == stopper
        && i64::from(notification.data.nr) == libc::SYS_connect
        && (notification.data.args[0] as u32).cast_signed() == -1
}

/// The thread that waits cannot be looked at from here.
pub(super) struct Unreadable;

/// Handles one notification.
pub(super) fn handle(
    listener: &OwnedFd,
    state: &State,
    notification: &seccomp_notif,
) -> Result<(), Unreadable> {
    let call = Call::new(notification, listener.as_fd());
    match state.handle(&call) {
        Ok(Outcome::Answer(verdict)) => seccomp::respond(listener.as_fd(), notification.id, verdict),
        Ok(Outcome::Answered) => {}
        Err(Obstacle::Fails(errno)) => {
            seccomp::respond(listener.as_fd(), notification.id, Verdict::Fail(errno));
        }
        // It may be gone from our sight only; an answer to nobody does no harm.
        Err(Obstacle::Gone) => {
            seccomp::respond(listener.as_fd(), notification.id, Verdict::Fail(Errno(libc::ESRCH)));
        }
        Err(Obstacle::Unreadable) => return Err(Unreadable),
    }
    Ok(())
}

/// Refuses a call that nobody here may look at.
pub(super) fn refuse_unreadable(listener: &OwnedFd, state: &State, notification: &seccomp_notif) {
    let (_, program) = process::identity(notification.pid);
    state.ledger.unreadable(program);
    seccomp::respond(listener.as_fd(), notification.id, Verdict::Fail(Errno(libc::EACCES)));
}

/// Whether another user's thread could be looked at by becoming that user.
pub(super) fn other_user(notification: &seccomp_notif) -> Option<(u32, u32)> {
    if !user::is_root() {
        return None;
    }
    process::user(notification.pid).filter(|(uid, _)| *uid != 0)
}
