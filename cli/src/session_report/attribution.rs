//! Which case a call without a recording belongs to: cases run one after the other, so a miss belongs to the one during which it came.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use mcpeak_proxy::matching::MissReport;

/// Cases by missed request.
#[derive(Debug, Default)]
pub(crate) struct MissedIn(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    counts: BTreeMap<(String, String), u64>,
    cases: BTreeMap<(String, String), BTreeSet<String>>,
}

impl MissedIn {
    /// A case is done; `missed` are all misses until now.
    pub(crate) fn case_done(&self, case: &str, missed: &[MissReport]) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for miss in missed {
            let key = (miss.method.clone(), miss.url.clone());
            let before = seen.counts.insert(key.clone(), miss.count).unwrap_or_default();
            if miss.count > before {
                seen.cases.entry(key).or_default().insert(case.to_owned());
            }
        }
    }

    /// The cases of a miss, by name; empty for a call outside of any.
    pub(crate) fn cases_of(&self, miss: &MissReport) -> Vec<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (miss.method.clone(), miss.url.clone());
        seen.cases.get(&key).map(|cases| cases.iter().cloned().collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use mcpeak_proxy::matching::{MissReason, MissReport};

    use super::MissedIn;

    fn miss(url: &str, count: u64) -> MissReport {
        MissReport {
            method: "GET".to_owned(),
            url: url.to_owned(),
            reason: MissReason::NothingForHost,
            count,
        }
    }

    #[test]
    fn a_miss_belongs_to_the_case_during_which_its_count_grew() {
        let missed_in = MissedIn::default();
        missed_in.case_done("first", &[miss("a", 1)]);
        missed_in.case_done("second", &[miss("a", 1), miss("b", 2)]);
        missed_in.case_done("third", &[miss("a", 2), miss("b", 2)]);
        assert_eq!(missed_in.cases_of(&miss("a", 2)), ["first", "third"]);
        assert_eq!(missed_in.cases_of(&miss("b", 2)), ["second"]);
        assert!(missed_in.cases_of(&miss("c", 1)).is_empty());
    }
}
