//! The reader (RFC 8259).

use super::{Kind, Node};

/// Deeper documents are not read.
const MAX_DEPTH: usize = 128;

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParseError {
    /// Where, in bytes.
    pub(crate) offset: usize,
    /// What.
    pub(crate) problem: &'static str,
}

/// Reads one document.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, ParseError> {
    outline(text, usize::MAX)
}

/// Reads one document of which only the upper `levels` are kept: what lies deeper is checked all the same, but arrays and
/// objects there come out empty, to be read by [`Node::read`]. A large file never stands in memory as nodes.
pub(crate) fn outline(text: &str, levels: usize) -> Result<Node<'_>, ParseError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, base: 0, levels };
    parser.space();
    let node = parser.value(0)?;
    parser.space();
    if parser.at < text.len() {
        parser.fail("there is more text after the end of the document")
    } else {
        Ok(node)
    }
}

impl Node<'_> {
    /// The same value with everything in it, whatever an outline left out.
    pub(crate) fn read(&self) -> Result<Self, ParseError> {
        let (text, base) = (self.raw, self.offset);
        Parser { text, bytes: text.as_bytes(), at: 0, base, levels: usize::MAX }.value(0)
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Where `text` begins in the document.
    base: usize,
    /// Arrays and objects this deep and deeper are left empty.
    levels: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Node<'a>, ParseError> {
        if depth > MAX_DEPTH {
            return self.fail("values are nested deeper than 128 levels");
        }
        let start = self.at;
        let kind = match self.bytes.get(self.at) {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(_) => return self.fail("expected a value"),
            None => return self.fail("the text ends where a value is expected"),
        };
        Ok(Node { raw: &self.text[start..self.at], offset: self.base + start, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'a>, ParseError> {
        let mut members = Vec::new();
        self.at += 1;
        self.space();
        if self.take(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            if self.bytes.get(self.at) != Some(&b'"') {
                return self.fail("expected a member name in double quotes");
            }
            let name = self.value(depth + 1)?;
            self.space();
            if !self.take(b':') {
                return self.fail("expected `:` after a member name");
            }
            self.space();
            let value = self.value(depth + 1)?;
            if depth < self.levels {
                members.push((name, value));
            }
            self.space();
            if self.take(b'}') {
                return Ok(Kind::Object(members));
            }
            if !self.take(b',') {
                return self.fail("expected `,` or `}`");
            }
            self.space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind<'a>, ParseError> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.take(b']') {
            return Ok(Kind::Array(items));
        }
        loop {
            let item = self.value(depth + 1)?;
            if depth < self.levels {
                items.push(item);
            }
            self.space();
            if self.take(b']') {
                return Ok(Kind::Array(items));
            }
            if !self.take(b',') {
                return self.fail("expected `,` or `]`");
            }
            self.space();
        }
    }

    fn string(&mut self) -> Result<Kind<'a>, ParseError> {
        self.at += 1;
        loop {
            // Most of a document is this: characters of strings that stand for themselves.
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
            self.at += plain.unwrap_or(rest.len());
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Kind::String);
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail("a control character in a string must be escaped"),
                None => return self.fail("a string is not closed"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), ParseError> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return self.fail("`\\u` needs four hex digits");
                }
                self.at += 6;
            }
            _ => return self.fail("unknown escape in a string"),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Kind<'a>, ParseError> {
        self.take(b'-');
        if !self.take(b'0') && !self.digits() {
            return self.fail("a number needs digits");
        }
        if self.take(b'.') && !self.digits() {
            return self.fail("a number needs digits after the point");
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            if !self.digits() {
                return self.fail("an exponent needs digits");
            }
        }
        Ok(Kind::Number)
    }

    fn word(&mut self, word: &str, kind: Kind<'a>) -> Result<Kind<'a>, ParseError> {
        if !self.text[self.at..].starts_with(word) {
            return self.fail("expected a value");
        }
        self.at += word.len();
        Ok(kind)
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > start
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(taken);
        taken
    }

    fn space(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let space = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        self.at += space.unwrap_or(rest.len());
    }

    fn fail<T>(&self, problem: &'static str) -> Result<T, ParseError> {
        Err(ParseError { offset: self.base + self.at, problem })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Kind, Layout};
    use super::{outline, parse};

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in r#"[\[\]{}",:0-9eE+\-.tfn\\u a-d]{0,24}"#) {
            let serde: Result<serde_json::Value, _> = serde_json::from_str(&text);
            // serde_json refuses numbers beyond the range of a double and lone surrogates; this reader keeps them.
            match (serde, parse(&text)) {
                (Ok(_), read) => prop_assert!(read.is_ok(), "{}", text),
                (Err(error), Ok(_)) => {
                    let message = error.to_string();
                    prop_assert!(message.contains("out of range") || message.contains("surrogate")
                        || message.contains("hex escape"), "{}: {}", text, message);
                }
                (Err(_), Err(_)) => {}
            }
        }
    }

    #[test]
    fn keeps_what_was_written() {
        let text = r#"{"a":12345678901234567890123,"a":1.0,"b":"\u00e9\/"}"#;
        let node = parse(text).unwrap();
        let members = node.members().unwrap();
        assert_eq!(members.len(), 3);
        assert_eq!(members[0].1.raw, "12345678901234567890123");
        assert_eq!(members[2].1.text().unwrap(), "é/");
        assert_eq!(&text[members[1].1.offset..][..3], "1.0");
        assert_eq!(Layout::Compact.write(&node), text);
    }

    #[test]
    fn an_outline_is_read_piece_by_piece() {
        let text = r#"{"a": [[1, {"b": 2}], []], "c": {"d": "e"}}"#;
        let whole = parse(text).unwrap();
        let upper = outline(text, 2).unwrap();
        let (_, list) = &upper.members().unwrap()[0];
        let item = &list.items().unwrap()[0];
        assert_eq!(item.items().unwrap().len(), 0);
        let expected = &whole.members().unwrap()[0].1.items().unwrap()[0];
        assert_eq!(
            format!("{:?}", item.read().unwrap()),
            format!("{expected:?}"),
            "offsets are of the document"
        );
        assert_eq!(
            outline(r#"[[[1, 2], {"x" 1}]]"#, 1).unwrap_err().offset,
            15,
            "what is left out is checked"
        );
    }

    #[test]
    fn says_where_and_what() {
        let error = parse("{\"a\": 1,\n \"b\" 2}").unwrap_err();
        assert_eq!((error.offset, error.problem), (14, "expected `:` after a member name"));
        assert_eq!(parse("[1] x").unwrap_err().offset, 4);
        assert!(parse(&"[".repeat(200_000)).is_err());
        assert!(matches!(parse(" null ").unwrap().kind, Kind::Null));
    }
}
