//! What was seen, for the report.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use crate::capture::CaptureReport;

/// Entries kept of each kind; more would be a scan and not a test.
const MOST: usize = 1024;

/// Collects while the tree runs.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<CaptureReport>);

impl Ledger {
    /// A datagram, or the connecting of a socket for them.
    pub(super) fn refused(&self, destination: SocketAddr) {
        self.note(|report| &mut report.refused, format!("udp://{destination}"));
    }

    pub(super) fn local_socket(&self, path: String) {
        self.note(|report| &mut report.local_sockets, path);
    }

    pub(super) fn passed(&self, destination: SocketAddr) {
        self.note(|report| &mut report.passed, format!("tcp://{destination}"));
    }

    pub(super) fn unreadable(&self, program: String) {
        self.note(|report| &mut report.unreadable, program);
    }

    pub(super) fn report(&self) -> CaptureReport {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, kind: impl FnOnce(&mut CaptureReport) -> &mut BTreeSet<String>, entry: String) {
        let mut report = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = kind(&mut report);
        if entries.len() < MOST {
            entries.insert(entry);
        }
    }
}
