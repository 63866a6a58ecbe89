//! Pseudonyms of secrets that a recording discovers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use aho_corasick::{AhoCorasick, Input, MatchKind};
use mcpeak_core::redact::{Encoding, Found, Tokens, UnknownTokens};

/// A discovered secret is searched for elsewhere from this length on, if it mixes letters and digits.
const MIN_SEARCHED: usize = 16;

/// Numbers secrets in the order of discovery, provisionally (`{{token:~3}}`), and finds them again in later messages, so that
/// a token that one answer hands out is recognised in the next request. The file's own numbers are given when it is written.
#[derive(Default)]
pub(crate) struct Ledger {
    /// Numbers up to this one are somebody else's.
    taken: usize,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    ids: HashMap<Vec<u8>, usize>,
    searched: Searched,
    recent: Searched,
}

/// Writings of secrets with their ids, and the automaton over them.
#[derive(Default)]
struct Searched {
    writings: Vec<(Vec<u8>, usize)>,
    automaton: Option<AhoCorasick>,
}

impl Ledger {
    /// A ledger for texts that hold numbers of another, which are not known.
    pub(crate) fn beside_another() -> Self {
        Self { taken: 1 << 40, entries: Mutex::default() }
    }

    /// Whether a discovered secret is long and mixed enough to be looked for elsewhere.
    pub(crate) fn searches_for(secret: &str) -> bool {
        let has = |test: fn(&u8) -> bool| secret.as_bytes().iter().any(test);
        secret.len() >= MIN_SEARCHED && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // The map is whole between any two statements, so a panic elsewhere leaves it usable.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tokens for Ledger {
    fn pseudonym(&self, secret: &[u8]) -> String {
        let mut entries = self.entries();
        let next = self.taken + entries.ids.len() + 1;
        let known = entries.ids.get(secret).copied();
        let id = known.unwrap_or(next);
        if known.is_none() {
            entries.ids.insert(secret.to_vec(), id);
            entries.search_for(secret, id);
        }
        format!("{{{{token:~{id}}}}}")
    }

    fn find_at(&self, haystack: &[u8], from: usize) -> Option<Found> {
        let entries = self.entries();
        let found =
            [&entries.searched, &entries.recent].into_iter().filter_map(|set| set.find_at(haystack, from));
        let (range, id) = found.min_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)))?;
        Some(Found { range, pseudonym: format!("{{{{token:~{id}}}}}") })
    }

    fn known(&self) -> usize {
        self.entries().ids.len()
    }
}

impl Entries {
    fn search_for(&mut self, secret: &[u8], id: usize) {
        let Ok(text) = std::str::from_utf8(secret) else { return };
        if !Ledger::searches_for(text) {
            return;
        }
        for encoding in Encoding::textual() {
            let writing = encoding.encode(text).into_bytes();
            if !self.recent.writings.iter().any(|(known, _)| *known == writing) {
                self.recent.writings.push((writing, id));
            }
        }
        // Two automata, the small one rebuilt for each secret, keep the whole linear in the number of secrets (amortised).
        if self.recent.writings.len() > 64.max(self.searched.writings.len() / 2) {
            self.searched.writings.append(&mut self.recent.writings);
            self.searched.build();
        }
        self.recent.build();
    }
}

impl Searched {
    fn build(&mut self) {
        let writings = self.writings.iter().map(|(writing, _)| writing);
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(writings).ok();
        self.automaton = if self.writings.is_empty() { None } else { build() };
    }

    fn find_at(&self, haystack: &[u8], from: usize) -> Option<(std::ops::Range<usize>, usize)> {
        let found = self.automaton.as_ref()?.find(Input::new(haystack).range(from..))?;
        Some((found.range(), self.writings[found.pattern().as_usize()].1))
    }
}

/// The secrets of one live request. They have no numbers: a recording has other ones for them. A first reading learns them; where
/// one may stand elsewhere in the request too, [`Live::search`] makes them searched for, and what was read is read again.
#[derive(Default)]
pub(crate) struct Live {
    learned: Mutex<Vec<String>>,
    searched: OnceLock<Ledger>,
}

impl Live {
    /// Whether a secret may stand in one of these texts.
    pub(crate) fn may_be_in(&self, texts: &[&[u8]]) -> bool {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        learned.iter().any(|secret| {
            // Letters and digits are the same in every writing that is searched for.
            let runs = secret.split(|character: char| !character.is_ascii_alphanumeric());
            let plain = runs.max_by_key(|run| run.len()).unwrap_or_default();
            texts.iter().any(|text| contains(text, plain.as_bytes()))
        })
    }

    /// Searches for what was learned from now on.
    pub(crate) fn search(&self) {
        let ledger = Ledger::default();
        for secret in self.learned.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            ledger.pseudonym(secret.as_bytes());
        }
        // A second call finds the same secrets.
        let _ = self.searched.set(ledger);
    }
}

impl Tokens for Live {
    fn pseudonym(&self, secret: &[u8]) -> String {
        if let Some(text) = std::str::from_utf8(secret).ok().filter(|text| Ledger::searches_for(text)) {
            let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
            if !learned.iter().any(|known| known == text) {
                learned.push(text.to_owned());
            }
        }
        UnknownTokens.pseudonym(secret)
    }

    fn find_at(&self, haystack: &[u8], from: usize) -> Option<Found> {
        let found = self.searched.get()?.find_at(haystack, from)?;
        Some(Found { pseudonym: UnknownTokens.pseudonym(b""), ..found })
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    match needle.first() {
        None => true,
        Some(first) => {
            haystack.iter().enumerate().any(|(at, byte)| byte == first && haystack[at..].starts_with(needle))
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpeak_core::redact::{Redactor, Tokens as _};

    use super::Ledger;

    #[test]
    fn r13_a_discovered_token_is_found_again() {
        let ledger = Ledger::default();
        let tokens: Vec<String> = (0..300).map(|index| format!("tok/{index:04}-abcdefgh1234")).collect();
        for token in &tokens {
            ledger.pseudonym(token.as_bytes());
        }
        let redactor = Redactor::default();
        for (index, token) in tokens.iter().enumerate() {
            let text = format!("GET /use/{token}?x={}", token.replace('/', "%2F"));
            let id = index + 1;
            assert_eq!(
                redactor.redact_text(&text, &ledger),
                format!("GET /use/{{{{token:~{id}}}}}?x={{{{token:~{id}}}}}")
            );
        }
    }

    #[test]
    fn short_and_plain_secrets_are_not_searched_for() {
        let ledger = Ledger::default();
        assert_eq!(ledger.pseudonym(b"hunter2"), "{{token:~1}}");
        assert_eq!(ledger.pseudonym(b"production-environment"), "{{token:~2}}");
        assert_eq!(ledger.find_at(b"hunter2 in the production-environment", 0), None);
    }
}
