//! What the network side counts while it runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use crate::exchange::Origin;
use crate::report::{Counts, DestinationCounts, RefusedCertificate, Warning};
use crate::route::Target;

/// Different hosts that are counted one by one; more would be a scan and not a test.
const MOST_ORIGINS: usize = 4096;

/// Counters that many connections share.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    passed_through: AtomicU64,
    tunnelled: AtomicU64,
    upstream_connections: AtomicU64,
    origins: Tallies<Origin>,
    places: Tallies<Target>,
    handshakes: Mutex<BTreeMap<(String, Option<String>), Handshakes>>,
    warnings: Mutex<BTreeSet<Warning>>,
}

impl Counters {
    /// A request that was forwarded without being recorded.
    pub(crate) fn passed_through(&self, origin: &Origin) {
        self.passed_through.fetch_add(1, Ordering::Relaxed);
        self.origins.count(origin, Event::Passed);
    }

    /// A request that was answered from the file.
    pub(crate) fn replayed(&self, origin: &Origin) {
        self.origins.count(origin, Event::Replayed);
    }

    /// A request without a recording.
    pub(crate) fn missed(&self, origin: &Origin) {
        self.origins.count(origin, Event::Missed);
    }

    /// Whether there was a request for an origin that was replayed, missed or passed.
    pub(crate) fn has_asked(&self, origin: &Origin) -> bool {
        self.origins.0.read().unwrap_or_else(PoisonError::into_inner).contains_key(origin)
    }

    /// A connection whose bytes nobody reads.
    pub(crate) fn tunnelled(&self, target: &Target) {
        self.tunnelled.fetch_add(1, Ordering::Relaxed);
        self.places.count(target, Event::Tunnelled);
    }

    /// A connection that changed from HTTP to a protocol that nobody reads.
    pub(crate) fn switched(&self, origin: &Origin) {
        self.tunnelled.fetch_add(1, Ordering::Relaxed);
        self.origins.count(origin, Event::Tunnelled);
    }

    /// A connection that was not let through.
    pub(crate) fn refused(&self, target: &Target) {
        self.places.count(target, Event::Refused);
    }

    pub(crate) fn upstream_connection(&self) {
        self.upstream_connections.fetch_add(1, Ordering::Relaxed);
    }

    /// A client that broke the handshake off on seeing the certificate.
    pub(crate) fn refused_certificate(&self, host: &str, program: Option<&str>) {
        self.handshake(host, program, |seen| seen.refused += 1);
    }

    /// A client that went away after the handshake without a word.
    pub(crate) fn left(&self, host: &str, program: Option<&str>) {
        self.handshake(host, program, |seen| seen.left += 1);
    }

    /// A client that spoke after the handshake.
    pub(crate) fn trusted(&self, host: &str, program: Option<&str>) {
        self.handshake(host, program, |seen| seen.trusted = true);
    }

    fn handshake(&self, host: &str, program: Option<&str>, note: impl FnOnce(&mut Handshakes)) {
        let mut handshakes = self.handshakes.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (host.to_owned(), program.map(str::to_owned));
        if handshakes.len() < MOST_ORIGINS || handshakes.contains_key(&key) {
            note(handshakes.entry(key).or_default());
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
        let handshakes = self.handshakes.lock().unwrap_or_else(PoisonError::into_inner);
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        Counts {
            passed_through: self.passed_through.load(Ordering::Relaxed),
            tunnelled: self.tunnelled.load(Ordering::Relaxed),
            upstream_connections: self.upstream_connections.load(Ordering::Relaxed),
            destinations: self.destinations(),
            refused_certificates: handshakes
                .iter()
                .map(|((host, program), seen)| RefusedCertificate {
                    host: host.clone(),
                    program: program.clone(),
                    count: seen.refusals(),
                })
                .filter(|refused| refused.count > 0)
                .collect(),
            warnings: warnings.iter().cloned().collect(),
        }
    }

    fn destinations(&self) -> BTreeMap<String, DestinationCounts> {
        let mut all = BTreeMap::new();
        self.origins.each(|origin, counts| _ = all.insert(origin.to_string(), counts));
        self.places.each(|target, counts| _ = all.insert(target.url(), counts));
        all
    }
}

/// What happens to a request or a connection; recordings are counted where they are stored.
#[derive(Clone, Copy)]
enum Event {
    Replayed,
    Missed,
    Passed,
    Tunnelled,
    Refused,
}

/// The handshakes of one program with one host.
#[derive(Clone, Copy, Debug, Default)]
struct Handshakes {
    refused: u64,
    left: u64,
    trusted: bool,
}

impl Handshakes {
    /// A program that never says a word after the handshake refuses the certificate; one that does at times opens
    /// connections ahead of need.
    const fn refusals(&self) -> u64 {
        if self.trusted { self.refused } else { self.refused + self.left }
    }
}

/// Counters by destination.
#[derive(Debug)]
struct Tallies<K>(RwLock<HashMap<K, Tally>>);

type Tally = [AtomicU64; 5];

impl<K> Default for Tallies<K> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Clone + Eq + Hash> Tallies<K> {
    fn count(&self, key: &K, event: Event) {
        let add = |tally: &Tally| _ = tally[event as usize].fetch_add(1, Ordering::Relaxed);
        // The write lock is taken once per destination; requests share the read lock.
        if let Some(tally) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(key) {
            return add(tally);
        }
        let mut tallies = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if tallies.len() < MOST_ORIGINS || tallies.contains_key(key) {
            add(tallies.entry(key.clone()).or_default());
        }
    }

    fn each(&self, mut visit: impl FnMut(&K, DestinationCounts)) {
        for (key, tally) in &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            let of = |event: Event| tally[event as usize].load(Ordering::Relaxed);
            let counts = DestinationCounts {
                recorded: 0,
                replayed: of(Event::Replayed),
                missed: of(Event::Missed),
                passed: of(Event::Passed),
                tunnelled: of(Event::Tunnelled),
                refused: of(Event::Refused),
            };
            visit(key, counts);
        }
    }
}
