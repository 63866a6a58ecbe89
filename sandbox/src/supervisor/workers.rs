//! Handles the notifications of other users.
//!
//! Root in a container may not look at processes of other users (no `CAP_SYS_PTRACE`), which entrypoints that drop their user
//! make: gosu, su-exec, setpriv. A thread that has become that user may.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use libc::seccomp_notif;

use super::handle::State;
use super::listener;
use super::sys::user;

/// Threads by user and group. They end with this value.
pub(super) struct Workers {
    listener: Arc<OwnedFd>,
    state: Arc<State>,
    threads: HashMap<(u32, u32), Sender<seccomp_notif>>,
}

impl Workers {
    pub(super) fn new(listener: Arc<OwnedFd>, state: Arc<State>) -> Self {
        Self { listener, state, threads: HashMap::new() }
    }

    /// Takes a call that could not be looked at.
    pub(super) fn take(&mut self, notification: &seccomp_notif) {
        let Some(ids) = listener::other_user(notification) else {
            return listener::refuse_unreadable(&self.listener, &self.state, notification);
        };
        let worker = self.threads.entry(ids).or_insert_with(|| {
            let (sender, receiver) = mpsc::channel();
            let (listener, state) = (Arc::clone(&self.listener), Arc::clone(&self.state));
            // Without a thread the receiver is dropped, and the call is refused below.
            let _ = thread::Builder::new()
                .name(format!("mcpeak-user-{}", ids.0))
                .spawn(move || work(ids, &receiver, &listener, &state));
            sender
        });
        if worker.send(*notification).is_err() {
            self.threads.remove(&ids);
            listener::refuse_unreadable(&self.listener, &self.state, notification);
        }
    }
}

fn work((uid, gid): (u32, u32), calls: &Receiver<seccomp_notif>, listener: &OwnedFd, state: &State) {
    let became = user::become_user(uid, gid);
    for notification in calls {
        if became.is_err() || listener::handle(listener, state, &notification).is_err() {
            listener::refuse_unreadable(listener, state, &notification);
        }
    }
}
