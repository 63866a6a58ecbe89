//! Events out of an event stream (WHATWG HTML, 9.2.6).

/// An event with its data lines joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// `event`, empty if there was none (which means `message`).
    pub kind: String,
    /// `data`; several lines are joined by `\n`.
    pub data: String,
    /// The last `id` seen on the stream.
    pub id: String,
}

impl Event {
    /// Whether it carries a message, by its type and by not being blank (a primer has an id only).
    pub fn is_message(&self) -> bool {
        matches!(self.kind.as_str(), "" | "message") && !self.data.trim().is_empty()
    }
}

/// An event or line over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of more than {limit} bytes")]
pub struct SseOverflow {
    /// The limit in bytes.
    pub limit: usize,
}

/// Parses an event stream that may be cut anywhere. An event that the stream's end leaves incomplete is dropped, as the standard says.
#[derive(Debug)]
pub struct SseParser {
    line: Vec<u8>,
    data: String,
    has_data: bool,
    kind: String,
    id: String,
    after_cr: bool,
    at_start: bool,
    limit: usize,
}

impl SseParser {
    /// A parser that refuses lines and events of more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: String::new(),
            has_data: false,
            kind: String::new(),
            id: String::new(),
            after_cr: false,
            at_start: true,
            limit,
        }
    }

    /// Takes bytes and returns the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, SseOverflow> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
                self.extend_line(rest)?;
                break;
            };
            self.extend_line(&rest[..end])?;
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            events.extend(self.end_line()?);
        }
        Ok(events)
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), SseOverflow> {
        if self.line.len() + bytes.len() > self.limit {
            return Err(SseOverflow { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, SseOverflow> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.data.len() + value.len() > self.limit {
                    return Err(SseOverflow { limit: self.limit });
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.kind),
            "id" if !value.contains('\0') => value.clone_into(&mut self.id),
            // Comments (an empty field name), `retry` (nothing is ever reconnected) and unknown fields.
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<Event> {
        let kind = std::mem::take(&mut self.kind);
        let data = std::mem::take(&mut self.data);
        std::mem::take(&mut self.has_data).then(|| Event { kind, data, id: self.id.clone() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Event, SseParser};

    fn parse(chunks: &[&[u8]]) -> Vec<Event> {
        let mut parser = SseParser::new(10_000);
        chunks.iter().flat_map(|chunk| parser.push(chunk).unwrap()).collect()
    }

    fn data(chunks: &[&[u8]]) -> Vec<String> {
        parse(chunks).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn samples_of_the_standard() {
        assert_eq!(data(&[b"data: YHOO\ndata: +2\ndata: 10\n\n"]), ["YHOO\n+2\n10"]);
        assert_eq!(data(&[b"data\n\ndata\ndata\n\ndata:"]), ["", "\n"]);
        assert_eq!(data(&[b"data:test\n\ndata: test\n\n"]), ["test", "test"]);
        assert_eq!(data(&[b": note\n\ndata: x\nid: 1\n\ndata:second\nid\n\n"]), ["x", "second"]);
    }

    #[test]
    fn every_line_end_and_a_byte_order_mark() {
        assert_eq!(data(&[b"\xef\xbb\xbfdata: a\r\n\r\ndata: b\r\rdata: c\n\n"]), ["a", "b", "c"]);
        assert_eq!(data(&[b"data: a\r", b"\n\r", b"\ndata: b\r\n\r\n"]), ["a", "b"]);
    }

    #[test]
    fn a_primer_is_no_message() {
        let events = parse(&[b"id: 7\ndata:\n\nevent: ping\ndata: {}\n\nevent: message\ndata: {}\n\n"]);
        assert_eq!(events.iter().map(Event::is_message).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(events[0].id, "7");
    }

    #[test]
    fn limits_lines_and_events() {
        assert!(SseParser::new(8).push(b"data: 0123456789").is_err());
        assert!(SseParser::new(9).push(b"data: 012\ndata: 3456\ndata: 78901\n").is_err());
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(
            lines in proptest::collection::vec("(data|id|event|:)?:? ?[a-z서 ]{0,6}(\r\n|\n|\r|\n\n)", 0..20),
            cut in 1usize..12,
        ) {
            let bytes = lines.concat().into_bytes();
            let chunks: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(parse(&[&bytes]), parse(&chunks));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 1usize..12) {
            let chunks: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(parse(&[&bytes]), parse(&chunks));
        }
    }
}
