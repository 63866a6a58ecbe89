//! A stream cut into pieces none of which splits a pseudonym.

use sha2::{Digest, Sha256};

use super::pseudonym::collapse;

/// Longer than any pseudonym, percent-encoded or not.
const LONGEST: usize = 512;
/// How much is gathered before a piece is given out.
const PIECE: usize = 64 * 1024;

/// Cuts a stream so that each piece holds its pseudonyms whole, wherever the chunks were cut.
#[derive(Debug, Default)]
pub(crate) struct Segments(Vec<u8>);

impl Segments {
    /// Takes a chunk and gives out the pieces that are whole.
    pub(crate) fn push(&mut self, chunk: &[u8], give: &mut dyn FnMut(&[u8])) {
        self.0.extend_from_slice(chunk);
        if self.0.len() < PIECE {
            return;
        }
        let limit = self.0.len() - LONGEST;
        // A pseudonym that begins before the limit may end behind it: the cut goes before its beginning.
        let window = &self.0[limit - LONGEST..limit];
        let opens = |at: &usize| window[*at..].starts_with(b"{") || window[*at..].starts_with(b"%7");
        let cut = (0..window.len()).find(opens).map_or(limit, |at| limit - LONGEST + at);
        give(&self.0[..cut]);
        self.0.drain(..cut);
    }

    /// Gives out the rest.
    pub(crate) fn finish(self, give: &mut dyn FnMut(&[u8])) {
        give(&self.0);
    }
}

/// SHA-256 of a stream with its pseudonyms collapsed.
#[derive(Debug, Default)]
pub(crate) struct CollapsedHash {
    segments: Segments,
    hasher: Sha256,
}

impl CollapsedHash {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let hasher = &mut self.hasher;
        self.segments.push(chunk, &mut |piece| hasher.update(collapse(piece)));
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        let mut hasher = self.hasher;
        self.segments.finish(&mut |piece| hasher.update(collapse(piece)));
        hasher.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::super::collapse;
    use super::CollapsedHash;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn cuts_do_not_matter(pad in 62_000..67_000_usize, size in 1..9000_usize) {
            let text = format!("{}{{{{token:12}}}}{}%7B%7Btoken%3A3%7D%7D", "{".repeat(3), "a{b%7".repeat(pad / 5));
            let text = format!("{}{text}", "x".repeat(pad));
            let mut hash = CollapsedHash::default();
            for chunk in text.as_bytes().chunks(size) { hash.push(chunk); }
            let whole: [u8; 32] = Sha256::digest(collapse(text.as_bytes())).into();
            prop_assert!(hash.finish() == whole);
        }
    }
}
