//! What the network side counts while it runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use crate::exchange::Origin;
use crate::report::{Counts, RefusedCertificate, Warning};

/// Different hosts that are counted one by one; more would be a scan and not a test.
const MOST_ORIGINS: usize = 4096;

/// Counters that many connections share.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    passed_through: AtomicU64,
    tunnelled: AtomicU64,
    upstream_connections: AtomicU64,
    destinations: RwLock<HashMap<Origin, AtomicU64>>,
    refused: Mutex<BTreeMap<(String, Option<String>), u64>>,
    warnings: Mutex<BTreeSet<Warning>>,
}

impl Counters {
    pub(crate) fn passed_through(&self) {
        self.passed_through.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn tunnelled(&self) {
        self.tunnelled.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn upstream_connection(&self) {
        self.upstream_connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn destination(&self, origin: &Origin) {
        // The write lock is taken once per origin; requests share the read lock.
        if let Some(count) = self.destinations.read().unwrap_or_else(PoisonError::into_inner).get(origin) {
            count.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let mut destinations = self.destinations.write().unwrap_or_else(PoisonError::into_inner);
        if destinations.len() < MOST_ORIGINS || destinations.contains_key(origin) {
            destinations.entry(origin.clone()).or_default().fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A client that broke the handshake off on seeing the certificate.
    pub(crate) fn refused_certificate(&self, host: &str, program: Option<&str>) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < MOST_ORIGINS {
            *refused.entry((host.to_owned(), program.map(str::to_owned))).or_default() += 1;
        }
    }

    /// A remark for the report, given once however often it is made.
    pub(crate) fn warn(&self, warning: Warning) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < MOST_ORIGINS {
            warnings.insert(warning);
        }
    }

    /// The counts now.
    pub(crate) fn snapshot(&self) -> Counts {
        let destinations = self.destinations.read().unwrap_or_else(PoisonError::into_inner);
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        Counts {
            passed_through: self.passed_through.load(Ordering::Relaxed),
            tunnelled: self.tunnelled.load(Ordering::Relaxed),
            upstream_connections: self.upstream_connections.load(Ordering::Relaxed),
            destinations: destinations
                .iter()
                .map(|(origin, count)| (origin.to_string(), count.load(Ordering::Relaxed)))
                .collect(),
            refused_certificates: refused
                .iter()
                .map(|((host, program), &count)| RefusedCertificate {
                    host: host.clone(),
                    program: program.clone(),
                    count,
                })
                .collect(),
            warnings: warnings.iter().cloned().collect(),
        }
    }
}
