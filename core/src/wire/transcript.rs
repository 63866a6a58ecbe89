//! The last bytes in both directions.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// Who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// We to the server.
    Sent,
    /// The server to us.
    Received,
}

/// A message or line, byte for byte. It may hold secrets: redact it before it is written anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Who sent it.
    pub direction: Direction,
    /// The bytes, without the line's end.
    pub bytes: Bytes,
}

/// The last messages in both directions, bounded by their bytes: the oldest are dropped first.
#[derive(Debug)]
pub struct Transcript {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: VecDeque<Entry>,
    bytes: usize,
    dropped: u64,
}

impl Default for Transcript {
    fn default() -> Self {
        Self::new(1024 * 1024)
    }
}

impl Transcript {
    /// A transcript of at most `limit` bytes. A message larger than that is cut to it.
    pub fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Notes a message.
    pub fn push(&self, direction: Direction, bytes: &Bytes) {
        let bytes = bytes.slice(..bytes.len().min(self.limit));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += bytes.len();
        state.entries.push_back(Entry { direction, bytes });
        while state.bytes > self.limit {
            let Some(oldest) = state.entries.pop_front() else { break };
            state.bytes -= oldest.bytes.len();
            state.dropped += 1;
        }
    }

    /// The messages that are kept, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).entries.iter().cloned().collect()
    }

    /// How many older messages were dropped.
    pub fn dropped(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).dropped
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Direction, Transcript};

    #[test]
    fn keeps_the_last_bytes() {
        let transcript = Transcript::new(10);
        for text in ["aaaa", "bbbb", "cccc"] {
            transcript.push(Direction::Sent, &Bytes::from_static(text.as_bytes()));
        }
        transcript.push(Direction::Received, &Bytes::from_static(b"dd"));
        let kept: Vec<_> = transcript.entries().into_iter().map(|entry| entry.bytes).collect();
        assert_eq!(kept, ["bbbb", "cccc", "dd"]);
        assert_eq!(transcript.dropped(), 1);
        transcript.push(Direction::Received, &Bytes::from(vec![b'x'; 100]));
        assert_eq!(transcript.entries()[0].bytes.len(), 10);
    }
}
