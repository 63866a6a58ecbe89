//! Recordings by key: first in, first out, each taken once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::key::Key;

/// What happens when all recordings of a key are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// A miss.
    #[default]
    Error,
    /// The last recording again.
    Last,
    /// From the first again.
    Cycle,
}

/// The outcome of a take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// This entry.
    Hit(usize),
    /// All entries of the key are used; this many there are.
    Exhausted(usize),
    /// No entry has the key.
    Unknown,
}

/// Entries by exact and by loose key. Immutable but for the counters, so any number of threads take at once.
#[derive(Debug)]
pub(crate) struct Index {
    repeat: Repeat,
    exact: HashMap<Key, Queue>,
    loose: HashMap<Key, Queue>,
    uses: Vec<AtomicUsize>,
}

/// Entries of one key in recorded order.
#[derive(Debug, Default)]
struct Queue {
    entries: Vec<usize>,
    /// Entries before this one are used.
    cursor: AtomicUsize,
    /// Answers given after all were used.
    repeated: AtomicUsize,
}

impl Index {
    /// Indexes entries by their exact and loose keys, in the order given.
    pub(crate) fn new(keys: impl IntoIterator<Item = (Key, Key)>, repeat: Repeat) -> Self {
        let keys = keys.into_iter();
        let (count, _) = keys.size_hint();
        let (exact, loose) = (HashMap::with_capacity(count), HashMap::with_capacity(count));
        let mut index = Self { repeat, exact, loose, uses: Vec::with_capacity(count) };
        for (entry, (exact, loose)) in keys.enumerate() {
            index.exact.entry(exact).or_default().entries.push(entry);
            index.loose.entry(loose).or_default().entries.push(entry);
            index.uses.push(AtomicUsize::new(0));
        }
        index
    }

    /// Takes the next entry of an exact key.
    pub(crate) fn take_exact(&self, key: Key) -> Taken {
        self.exact.get(&key).map_or(Taken::Unknown, |queue| self.take(queue))
    }

    /// Takes the next entry of a loose key.
    pub(crate) fn take_loose(&self, key: Key) -> Taken {
        self.loose.get(&key).map_or(Taken::Unknown, |queue| self.take(queue))
    }

    /// How often an entry was taken.
    pub(crate) fn uses(&self, entry: usize) -> usize {
        self.uses[entry].load(Ordering::Acquire)
    }

    /// The entries of each exact key, in recorded order.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[usize]> {
        self.exact.values().map(|queue| queue.entries.as_slice())
    }

    fn take(&self, queue: &Queue) -> Taken {
        let from = queue.cursor.load(Ordering::Acquire);
        for (at, &entry) in queue.entries.iter().enumerate().skip(from) {
            // An entry has two queues; whoever turns its count from 0 to 1 has it.
            if self.uses[entry].compare_exchange(0, 1, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                queue.cursor.fetch_max(at + 1, Ordering::AcqRel);
                return Taken::Hit(entry);
            }
        }
        queue.cursor.fetch_max(queue.entries.len(), Ordering::AcqRel);
        let count = queue.entries.len();
        let entry = match self.repeat {
            Repeat::Error => return Taken::Exhausted(count),
            Repeat::Last => queue.entries[count - 1],
            Repeat::Cycle => queue.entries[queue.repeated.fetch_add(1, Ordering::AcqRel) % count],
        };
        self.uses[entry].fetch_add(1, Ordering::AcqRel);
        Taken::Hit(entry)
    }
}
