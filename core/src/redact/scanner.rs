//! The redactor over a stream of chunks: a secret split over two chunks is found.

use std::fmt;
use std::sync::Arc;

use super::Redactor;
use super::lexer::{Lexer, Named, Names};
use super::redactor::{Search, Tokens};

/// Bytes held back, so that a shape is seen whole before it is decided on.
const WINDOW: usize = 16 * 1024;
/// A hit that is still growing at this length is replaced as it is.
const LONGEST_HIT: usize = 64 * 1024;
/// Emitted bytes kept as the left context of the next hit: a name, a boundary.
const CONTEXT: usize = 256;

/// Redacts a stream. What comes out does not depend on how the stream was cut into chunks, for secrets of up to 16 KiB.
pub struct Scanner {
    redactor: Redactor,
    tokens: Arc<dyn Tokens>,
    names: Names,
    lexer: Lexer,
    /// What the lexer found and was not emitted yet, in order.
    found: Vec<Named>,
    buffer: Vec<u8>,
    /// Where in the stream the buffer begins.
    base: u64,
    emitted: usize,
    hit: bool,
}

impl Scanner {
    /// A scanner; values under sensitive names are secrets too, where there are such names.
    pub fn new(redactor: Redactor, tokens: Arc<dyn Tokens>, names: Names) -> Self {
        let lexer = Lexer::new(&names);
        Self {
            redactor,
            tokens,
            names,
            lexer,
            found: Vec::new(),
            buffer: Vec::new(),
            base: 0,
            emitted: 0,
            hit: false,
        }
    }

    /// Whether a secret was replaced so far.
    pub const fn hit(&self) -> bool {
        self.hit
    }

    /// Takes a chunk and appends what is decided to `out`.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        self.buffer.extend_from_slice(chunk);
        let window = WINDOW.max(self.redactor.longest());
        // Scanning once a window keeps the work linear when chunks are tiny.
        if self.buffer.len() - self.emitted > 2 * window {
            let limit = self.buffer.len() - window;
            self.read(false);
            // A value that has not ended is not emitted; it is cut where it gets too long.
            let open = self.lexer.open().map(|at| usize::try_from(at - self.base).unwrap_or(limit));
            self.emit(open.map_or(limit, |open| open.min(limit)).max(self.emitted), out);
        }
    }

    /// Appends the rest.
    pub fn finish(mut self, out: &mut Vec<u8>) -> bool {
        let limit = self.buffer.len();
        self.read(true);
        self.emit(limit, out);
        self.hit
    }

    fn read(&mut self, last: bool) {
        let found = self.lexer.feed(&self.buffer, self.base, last);
        self.found.extend(found);
        self.found.sort_by_key(|named| named.range.start);
    }

    fn emit(&mut self, limit: usize, out: &mut Vec<u8>) {
        let last = limit == self.buffer.len();
        let tokens = Arc::clone(&self.tokens);
        let redactor = self.redactor.clone();
        let found_by_name = std::mem::take(&mut self.found);
        let names = (self.names != Names::None).then_some((found_by_name.as_slice(), self.base));
        let mut search = Search::new(&redactor, &*tokens, names);
        while self.emitted < limit {
            let found = search.next(&self.buffer, self.emitted).filter(|found| found.range.start < limit);
            let Some(found) = found else {
                out.extend_from_slice(&self.buffer[self.emitted..limit]);
                self.emitted = limit;
                break;
            };
            out.extend_from_slice(&self.buffer[self.emitted..found.range.start]);
            self.emitted = found.range.start;
            let may_grow = found.range.end == self.buffer.len() && found.range.len() < LONGEST_HIT;
            if may_grow && !last {
                break;
            }
            let end = found.range.end.min(self.buffer.len());
            self.hit |= self.buffer[self.emitted..end] != *found.pseudonym.as_bytes();
            out.extend_from_slice(found.pseudonym.as_bytes());
            self.emitted = end;
        }
        let keep_from = self.emitted.saturating_sub(CONTEXT);
        self.buffer.drain(..keep_from);
        self.base += keep_from as u64;
        self.emitted -= keep_from;
        let emitted = self.base + self.emitted as u64;
        self.found = found_by_name.into_iter().filter(|named| named.range.end > emitted).collect();
    }
}

impl fmt::Debug for Scanner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scanner").field("held", &self.buffer.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::{Scanner, WINDOW};
    use crate::redact::{Names, Redactor, UnknownTokens};
    use crate::secret::Secret;

    const SECRET: &str = "s3cr3t/value+1";
    const SHAPE: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";

    fn scan(chunks: &[&[u8]]) -> String {
        let redactor = Redactor::new([("KEY".to_owned(), Secret::new(SECRET.to_owned()))]);
        let mut scanner = Scanner::new(redactor, Arc::new(UnknownTokens), Names::Members);
        let mut out = Vec::new();
        for chunk in chunks {
            scanner.push(chunk, &mut out);
        }
        scanner.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn r5_cuts_do_not_matter(pad in 0..3 * WINDOW, sizes in proptest::collection::vec(1..20_000_usize, 1..20)) {
            let filler = "lorem ipsum ".repeat(6000);
            let text = format!("{}{SECRET},{},{SHAPE} {{\"password\": \"hunter2\"}}", &filler[..pad], &filler[..40_000]);
            let mut chunks = Vec::new();
            let mut rest = text.as_bytes();
            for size in sizes.into_iter().cycle() {
                if rest.is_empty() { break; }
                let (chunk, tail) = rest.split_at(size.min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            let expected = format!(
                "{}{{{{secret:KEY}}}},{},{{{{token}}}} {{\"password\": \"{{{{token}}}}\"}}", &filler[..pad], &filler[..40_000]);
            prop_assert!(scan(&chunks) == expected);
        }
    }

    #[test]
    fn one_byte_chunks() {
        let text = format!("x {SECRET} y {SHAPE}");
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(scan(&chunks), "x {{secret:KEY}} y {{token}}");
    }
}
