//! Counts and latencies.

use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// What one worker saw.
#[derive(Default)]
pub(crate) struct Tally {
    latencies: Vec<u32>,
    answered: u64,
    statuses: BTreeMap<u16, u64>,
    errors: u64,
    first_error: Option<String>,
}

/// The line that is printed.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// Right answers within the measured time.
    requests: u64,
    /// Right answers at any time, the warm-up included: what the processor time of the proxy was spent on.
    answered: u64,
    per_second: u64,
    p50_us: u32,
    p99_us: u32,
    p999_us: u32,
    /// Wrong answers, broken connections and requests without an answer.
    errors: u64,
    statuses: BTreeMap<u16, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_error: Option<String>,
}

impl Tally {
    /// A right answer; its latency unless it fell outside the measured time.
    pub(crate) fn right(&mut self, status: u16, latency: Option<Duration>) {
        *self.statuses.entry(status).or_default() += 1;
        self.answered += 1;
        self.latencies.extend(latency.map(|latency| u32::try_from(latency.as_micros()).unwrap_or(u32::MAX)));
    }

    pub(crate) fn wrong(&mut self, status: u16) {
        *self.statuses.entry(status).or_default() += 1;
        self.error(|| format!("status {status} or the length of its body"));
    }

    pub(crate) fn error(&mut self, text: impl FnOnce() -> String) {
        self.errors += 1;
        self.first_error.get_or_insert_with(text);
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.latencies.extend(other.latencies);
        self.answered += other.answered;
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    pub(crate) fn summary(mut self, measured: Duration) -> Summary {
        self.latencies.sort_unstable();
        let requests = self.latencies.len() as u64;
        let milliseconds = u64::try_from(measured.as_millis()).unwrap_or(u64::MAX).max(1);
        Summary {
            requests,
            answered: self.answered,
            per_second: requests.saturating_mul(1_000) / milliseconds,
            p50_us: self.per_mille(500),
            p99_us: self.per_mille(990),
            p999_us: self.per_mille(999),
            errors: self.errors,
            statuses: self.statuses,
            first_error: self.first_error,
        }
    }

    /// Nearest rank; 0 without any answer.
    fn per_mille(&self, rank: usize) -> u32 {
        let index = (self.latencies.len() * rank).div_ceil(1_000).saturating_sub(1);
        self.latencies.get(index).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use std::time::Duration;

    #[test]
    fn percentiles_are_nearest_rank() {
        let mut tally = Tally::default();
        for microseconds in 1..=1_000 {
            tally.right(200, Some(Duration::from_micros(microseconds)));
        }
        tally.right(200, None);
        tally.wrong(599);
        let summary = tally.summary(Duration::from_secs(2));
        assert_eq!((summary.p50_us, summary.p99_us, summary.p999_us), (500, 990, 999));
        assert_eq!(
            (summary.requests, summary.answered, summary.per_second, summary.errors),
            (1_000, 1_001, 500, 1)
        );
        assert_eq!(summary.statuses.get(&599), Some(&1));
    }
}
