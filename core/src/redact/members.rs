//! Members under sensitive names in anything that looks like JSON, whole or not: `"name": value`.
//!
//! The document is not parsed: a colon behind a quoted name is where a look begins. So it does not matter what surrounds it
//! (JavaScript, lines of an event stream, a cut), how deep it lies, or that it is itself inside a JSON string: there the quotes of a
//! level have one, three, seven backslashes before them.

use super::is_sensitive_name;
use super::lexer::{Named, Writing};
use super::named::is_count;

/// Longest name that is looked at, with its escapes.
pub(super) const NAME: usize = 160;
/// A secret that is longer is cut into several.
pub(super) const LONGEST: usize = 32 * 1024;

/// Where in the text.
#[derive(Debug, Default)]
pub(super) struct Members {
    state: State,
    /// Backslashes just before.
    run: usize,
    /// The latest sensitive name.
    name: String,
    quote: Quote,
    /// Open brackets below the sensitive name.
    depth: usize,
    /// The last string below a sensitive name, which is a name itself if a colon follows.
    last: Option<(u64, u64)>,
    /// How much of `data:` was seen on a new line of an event stream.
    prefix: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Behind a sensitive name and its colon.
    Value,
    /// In an array or object below a sensitive name.
    Below,
    /// In a string that began there.
    String(u64),
    /// In a number that began there.
    Number(u64),
}

/// How the strings of a level are quoted.
#[derive(Clone, Copy, Debug, Default)]
struct Quote {
    byte: u8,
    backslashes: usize,
}

impl Members {
    /// Where a secret began that has not ended.
    pub(super) fn open(&self) -> Option<u64> {
        match self.state {
            State::String(start) | State::Number(start) => Some(start),
            _ => self.last.map(|(start, _)| start),
        }
    }

    /// Reads on, from `at` (an offset in the stream; the haystack begins at `base`) to the end of the haystack.
    pub(super) fn feed(&mut self, haystack: &[u8], base: u64, at: u64, found: &mut Vec<Named>) {
        let mut index = position(base, at);
        while let Some(&byte) = haystack.get(index) {
            if self.state == State::Outside {
                let Some(colon) = haystack[index..].iter().position(|&byte| byte == b':') else { return };
                index += colon;
                if let Some((name, quote)) = name_before(haystack, index)
                    && is_sensitive_name(&name)
                {
                    (self.name, self.quote, self.state) = (name, quote, State::Value);
                    (self.run, self.depth, self.last, self.prefix) = (0, 0, None, None);
                }
                index += 1;
            } else if self.step(haystack, base, index, byte, found) {
                index += 1;
            }
        }
    }

    /// Ends the stream: a secret that is cut is one all the same.
    pub(super) fn finish(&mut self, haystack: &[u8], base: u64, found: &mut Vec<Named>) {
        let end = base + haystack.len() as u64;
        match std::mem::take(&mut self.state) {
            State::String(start) => self.emit(haystack, base, (start, end), false, found),
            State::Number(start) => self.emit(haystack, base, (start, end), true, found),
            _ => {}
        }
        if let Some(range) = self.last.take() {
            self.emit(haystack, base, range, false, found);
        }
    }

    /// Takes one byte; false if it has to be looked at again.
    fn step(&mut self, haystack: &[u8], base: u64, index: usize, byte: u8, found: &mut Vec<Named>) -> bool {
        let here = base + index as u64;
        match self.state {
            State::Outside => return false,
            State::String(start) => self.in_string(haystack, base, (start, here), byte, found),
            State::Number(start) => {
                if byte.is_ascii_digit() || b"+-.eE".contains(&byte) {
                    return true;
                }
                self.state = self.around();
                self.emit(haystack, base, (start, here), true, found);
                return false;
            }
            State::Value | State::Below => return self.between(haystack, base, here, byte, found),
        }
        true
    }

    fn in_string(&mut self, haystack: &[u8], base: u64, range: (u64, u64), byte: u8, found: &mut Vec<Named>) {
        let (start, here) = range;
        if byte == b'\\' {
            self.run += 1;
        } else if byte == self.quote.byte && self.closes() {
            let end = here - self.run.min(self.quote.backslashes) as u64;
            let outer = self.run < self.quote.backslashes;
            self.run = 0;
            self.state = self.around();
            if self.depth > 0 {
                self.last = Some((start, end));
            } else {
                self.emit(haystack, base, (start, end), false, found);
            }
            if outer {
                self.leave(haystack, base, found);
            }
        } else {
            self.run = 0;
        }
        if let State::String(start) = self.state
            && here - start >= LONGEST as u64
            && self.run == 0
        {
            self.emit(haystack, base, (start, here + 1), false, found);
            self.state = State::String(here + 1);
        }
    }

    /// Whether a quote ends the string: the one of its own level, or one of a level above.
    const fn closes(&self) -> bool {
        let own = self.quote.backslashes;
        self.run < own || self.run % (2 * (own + 1)) == own
    }

    fn between(&mut self, haystack: &[u8], base: u64, here: u64, byte: u8, found: &mut Vec<Named>) -> bool {
        if self.is_space(byte) {
            return true;
        }
        let run = std::mem::take(&mut self.run);
        if let Some((start, end)) = self.last.take() {
            if byte == b':' {
                let name =
                    text_of(&haystack[position(base, start)..position(base, end)], self.quote.backslashes);
                if is_sensitive_name(&name) {
                    self.name = name;
                }
            } else if byte == b'\\' {
                // Escaped white space or a quote may follow: not decided yet.
                self.last = Some((start, end));
            } else {
                self.emit(haystack, base, (start, end), false, found);
            }
        }
        match byte {
            b'\\' => self.run = run + 1,
            b'"' | b'\'' if run == self.quote.backslashes => {
                self.quote.byte = byte;
                self.state = State::String(here + 1);
            }
            b'"' if run < self.quote.backslashes => self.leave(haystack, base, found),
            b'0'..=b'9' | b'-' => self.state = State::Number(here),
            b'{' | b'[' => {
                self.depth += 1;
                self.state = State::Below;
            }
            b'}' | b']' if self.depth > 1 => self.depth -= 1,
            _ if self.state == State::Value || b"}]".contains(&byte) => {
                self.leave(haystack, base, found);
                return byte != b':';
            }
            _ => {}
        }
        true
    }

    /// White space, as it is or escaped on a level below, and the `data:` of an event stream's next line.
    fn is_space(&mut self, byte: u8) -> bool {
        if matches!(byte, b'\n' | b'\r') {
            self.prefix = Some(0);
            return true;
        }
        if let Some(seen) = self.prefix {
            self.prefix = (b"data:".get(seen) == Some(&byte)).then_some(seen + 1);
            if self.prefix.is_some() {
                return true;
            }
        }
        if byte.is_ascii_whitespace() {
            return true;
        }
        let escaped = self.quote.backslashes > 0 && self.run > 0 && matches!(byte, b'n' | b'r' | b't');
        if escaped {
            self.run = 0;
        }
        escaped
    }

    const fn around(&self) -> State {
        if self.depth > 0 { State::Below } else { State::Outside }
    }

    fn leave(&mut self, haystack: &[u8], base: u64, found: &mut Vec<Named>) {
        if let Some(range) = self.last.take() {
            self.emit(haystack, base, range, false, found);
        }
        (self.state, self.depth) = (State::Outside, 0);
    }

    fn emit(&self, haystack: &[u8], base: u64, range: (u64, u64), number: bool, found: &mut Vec<Named>) {
        let raw = &haystack[position(base, range.0)..position(base, range.1)];
        let value = text_of(raw, self.quote.backslashes);
        if raw.is_empty() || is_count(&self.name, &value) {
            return;
        }
        let backslashes = self.quote.backslashes;
        let writing = if number { Writing::Number { backslashes } } else { Writing::Text };
        found.push(Named { range: range.0..range.1, name: self.name.clone(), value, writing });
    }
}

fn position(base: u64, at: u64) -> usize {
    usize::try_from(at.saturating_sub(base)).unwrap_or(usize::MAX)
}

/// The quoted name before a colon, and how it is quoted.
fn name_before(haystack: &[u8], colon: usize) -> Option<(String, Quote)> {
    let before = &haystack[colon.saturating_sub(NAME)..colon];
    let mut end = before.len();
    loop {
        let trimmed = before[..end].trim_ascii_end();
        // Escaped white space of a level below.
        match trimmed {
            [.., b'\\', b'n' | b'r' | b't'] => end = trimmed.len() - 2,
            [.., b'\\'] => end = trimmed.len() - 1,
            _ => {
                end = trimmed.len();
                break;
            }
        }
    }
    let byte = *before[..end].last().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let backslashes = backslashes_before(before, end - 1);
    // On its own level the closing quote has as many backslashes as the opening one.
    let close = end - 1 - backslashes;
    let mut open = close;
    loop {
        open = before[..open].iter().rposition(|&other| other == byte)?;
        let run = backslashes_before(before, open);
        if run <= backslashes {
            let name = text_of(&before[open + 1..close], backslashes);
            return (run == backslashes).then_some((name, Quote { byte, backslashes }));
        }
    }
}

fn backslashes_before(text: &[u8], at: usize) -> usize {
    text[..at].iter().rev().take_while(|&&byte| byte == b'\\').count()
}

/// A string of a level without its escapes.
fn text_of(raw: &[u8], backslashes: usize) -> String {
    let mut text = String::from_utf8_lossy(raw).into_owned();
    let mut left = backslashes;
    while text.contains('\\') {
        let Ok(plain) = serde_json::from_str::<String>(&format!("\"{text}\"")) else { return text };
        text = plain;
        if left == 0 {
            break;
        }
        left /= 2;
    }
    text
}
