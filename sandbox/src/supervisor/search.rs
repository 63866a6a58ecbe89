//! Which look-ups are only made by a resolver's search list.
//!
//! With every name in existence, `api.example.test.corp.local` would be one too, and a resolver that tries the search list first
//! (fewer dots than `ndots`, as in Kubernetes) would stop at it. Such a name is denied, and the name that was meant is
//! remembered: it may itself end with an entry of the list.

use std::collections::HashSet;

/// Names remembered; beyond it the oldest knowledge is dropped.
const MOST: usize = 4096;

/// The search list and what was learnt from look-ups.
#[derive(Debug, Default)]
pub(super) struct Search {
    suffixes: Vec<String>,
    ndots: usize,
    meant: HashSet<String>,
}

impl Search {
    /// Reads the text of a resolv.conf (`man 5 resolv.conf`).
    pub(super) fn parse(text: &str) -> Self {
        let (mut suffixes, mut ndots) = (Vec::new(), 1);
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                // The last of the two keywords wins.
                Some("search" | "domain") => {
                    suffixes = words
                        .map(|word| word.trim_matches('.').to_ascii_lowercase())
                        .filter(|word| !word.is_empty())
                        .collect();
                }
                Some("options") => {
                    if let Some(dots) = words.find_map(|word| word.strip_prefix("ndots:")) {
                        ndots = dots.parse().unwrap_or(1);
                    }
                }
                _ => {}
            }
        }
        Self { suffixes, ndots, meant: HashSet::new() }
    }

    /// Whether a name (lower-case, without the final dot) is to be denied.
    pub(super) fn is_ghost(&mut self, name: &str) -> bool {
        if self.meant.contains(name) {
            return false;
        }
        let shortest = self
            .suffixes
            .iter()
            .filter_map(|suffix| name.strip_suffix(suffix)?.strip_suffix('.'))
            .min_by_key(|base| base.len());
        // A base without a dot is a name within the search domain, which exists as any other does.
        let Some(base) = shortest.filter(|base| (1..self.ndots).contains(&base.matches('.').count())) else {
            return false;
        };
        if self.meant.len() >= MOST {
            self.meant.clear();
        }
        self.meant.insert(base.to_owned());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Search;

    const CLUSTER: &str = "nameserver 10.0.0.10\nsearch ns.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n";

    #[test]
    fn a_cluster_looks_names_up_by_the_list_first() {
        let mut search = Search::parse(CLUSTER);
        assert!(search.is_ghost("api.example.test.ns.svc.cluster.local"));
        assert!(search.is_ghost("api.example.test.svc.cluster.local"));
        assert!(search.is_ghost("api.example.test.cluster.local"));
        assert!(!search.is_ghost("api.example.test"));
        assert!(!search.is_ghost("redis.ns.svc.cluster.local"), "a name of the cluster itself");
    }

    #[test]
    fn a_full_name_within_the_cluster_is_found_after_its_ghosts() {
        let mut search = Search::parse(CLUSTER);
        for suffix in ["ns.svc.cluster.local", "svc.cluster.local", "cluster.local"] {
            assert!(search.is_ghost(&format!("api.other.svc.cluster.local.{suffix}")));
        }
        assert!(!search.is_ghost("api.other.svc.cluster.local"));
    }

    #[test]
    fn with_one_dot_the_name_itself_comes_first() {
        let mut search = Search::parse("domain ignored.example\nsearch corp.local\n");
        assert!(!search.is_ghost("api.eu.corp.local"));
        assert!(!search.is_ghost("api.corp.local"));
        assert!(!Search::default().is_ghost("a.b.c"));
    }
}
