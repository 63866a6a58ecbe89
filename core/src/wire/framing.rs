//! Newline-delimited messages out of a byte stream (MCP, stdio transport).

use bytes::{Bytes, BytesMut};

/// A line of the stream, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line that is not blank.
    Whole(Bytes),
    /// A line over the limit: its first kilobytes. The rest of it is skipped.
    TooLong(Bytes),
}

/// Splits a byte stream into lines, however it is cut. Blank lines are dropped, `\r\n` counts as `\n`.
#[derive(Debug)]
pub struct LineFramer {
    buffer: BytesMut,
    scanned: usize,
    limit: usize,
    skipping: bool,
}

const HEAD_BYTES: usize = 8 * 1024;

impl LineFramer {
    /// A framer that refuses lines of more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), scanned: 0, limit, skipping: false }
    }

    /// Takes bytes from the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line, if one is complete or too long already.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let Some(end) = self.buffer[self.scanned..].iter().position(|&byte| byte == b'\n') else {
                self.scanned = self.buffer.len();
                return self.cut_too_long();
            };
            let mut line = self.buffer.split_to(self.scanned + end + 1);
            self.scanned = 0;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            line.truncate(line.len() - 1);
            if let Some(line) = self.finish(line) {
                return Some(line);
            }
        }
    }

    /// The rest after the end of the stream: a last line without its newline.
    pub fn finish_stream(&mut self) -> Option<Line> {
        let rest = self.buffer.split();
        self.scanned = 0;
        if std::mem::take(&mut self.skipping) { None } else { self.finish(rest) }
    }

    fn finish(&self, mut line: BytesMut) -> Option<Line> {
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        if line.len() > self.limit {
            line.truncate(HEAD_BYTES);
            return Some(Line::TooLong(line.freeze()));
        }
        (!line.iter().all(u8::is_ascii_whitespace)).then(|| Line::Whole(line.freeze()))
    }

    fn cut_too_long(&mut self) -> Option<Line> {
        if self.skipping {
            self.buffer.clear();
            self.scanned = 0;
            return None;
        }
        // One more for the `\r` that may stand before the end.
        if self.buffer.len() <= self.limit + 1 {
            return None;
        }
        let mut head = self.buffer.split();
        head.truncate(HEAD_BYTES);
        self.scanned = 0;
        self.skipping = true;
        Some(Line::TooLong(head.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{Line, LineFramer};

    fn frame(chunks: &[&[u8]], limit: usize) -> Vec<Line> {
        let mut framer = LineFramer::new(limit);
        let mut lines = Vec::new();
        for chunk in chunks {
            framer.push(chunk);
            while let Some(line) = framer.next_line() {
                lines.push(line);
            }
        }
        lines.extend(framer.finish_stream());
        lines
    }

    fn whole(text: &'static str) -> Line {
        Line::Whole(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn tolerates_blank_lines_and_crlf() {
        assert_eq!(frame(&[b"a\r\n\n \r\nb\nc"], 10), [whole("a"), whole("b"), whole("c")]);
    }

    #[test]
    fn a_long_line_is_described_and_skipped() {
        assert_eq!(
            frame(&[b"0123456789", b"01", b"23", b"4\nok\n"], 10),
            [Line::TooLong(Bytes::from_static(b"012345678901")), whole("ok")]
        );
        assert_eq!(frame(&[b"0123456789\r\n"], 10), [whole("0123456789")]);
        assert_eq!(
            frame(&[b"01234567890\nok\n"], 10),
            [Line::TooLong(Bytes::from_static(b"01234567890")), whole("ok")]
        );
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'x'), any::<u8>()], 0..300), cut in 1usize..40) {
            let whole = frame(&[&bytes], 1_000);
            let chunks: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(whole, frame(&chunks, 1_000));
        }

        #[test]
        fn limits_hold_for_every_cut(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 1usize..40) {
            let chunks: Vec<&[u8]> = bytes.chunks(cut).collect();
            for line in frame(&chunks, 8) {
                if let Line::Whole(line) = line {
                    prop_assert!(line.len() <= 8);
                }
            }
        }
    }
}
