//! Where and when the pieces of a stream came, kept beside its bytes.
//!
//! The bytes change after they came: secrets are replaced, pseudonyms get their numbers, secrets are put back. The places of the
//! pieces are then found again by what did not change; a piece that was cut within a secret becomes one with the next.

use bytes::Bytes;

use super::model::{Event, Form};
use crate::exchange::Mark;
use crate::redact::BodyKind;

/// A silence of so many milliseconds makes a text a stream that is worth its times.
const SILENCE: u64 = 250;

/// Whether a body is kept in pieces: event streams and lines of JSON always are, so that recording again gives the same form;
/// of other texts those that came apart in time. A JSON document is one thing, however slowly it came.
pub(crate) fn worth_keeping(content_type: Option<&str>, marks: &[Mark]) -> bool {
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    let lines = ["application/x-ndjson", "application/jsonl", "application/x-jsonlines"];
    match BodyKind::of(content_type, b"") {
        _ if marks.is_empty() => false,
        BodyKind::EventStream => true,
        _ if lines.iter().any(|known| essence.eq_ignore_ascii_case(known)) => true,
        BodyKind::Json | BodyKind::Form | BodyKind::Multipart(_) => false,
        BodyKind::Other => marks.windows(2).any(|pair| pair[1].at - pair[0].at >= SILENCE),
    }
}

/// The places of the pieces of `old` in `new`, which is the same text with some of its parts replaced.
pub(crate) fn moved(old: &[u8], new: &[u8], marks: &[Mark]) -> Vec<Mark> {
    if old == new || marks.is_empty() {
        return marks.to_vec();
    }
    let (old_lines, new_lines) = (line_starts(old), line_starts(new));
    if old_lines.len() != new_lines.len() {
        // A secret of several lines: what came before the first difference and after the last one is still known.
        return within((0, old), (0, new), marks).collect::<Vec<_>>().into_iter().flatten().collect();
    }
    let mut found: Vec<Mark> = Vec::with_capacity(marks.len());
    for mark in marks {
        let offset = usize::try_from(mark.offset).unwrap_or(usize::MAX);
        let line = old_lines.partition_point(|&start| start <= offset).saturating_sub(1);
        let end = |starts: &[usize], all: &[u8]| starts.get(line + 1).copied().unwrap_or(all.len());
        let (from, to) = (old_lines[line], new_lines[line]);
        let was = (from, &old[from..end(&old_lines, old)]);
        let is = (to, &new[to..end(&new_lines, new)]);
        found.extend(within(was, is, std::slice::from_ref(mark)).flatten());
    }
    found
}

/// The places of marks in a text that was replaced somewhere in its middle; `None` for one in that middle.
fn within<'a>(
    (from, was): (usize, &'a [u8]),
    (to, is): (usize, &'a [u8]),
    marks: &'a [Mark],
) -> impl Iterator<Item = Option<Mark>> + 'a {
    let head = was.iter().zip(is).take_while(|(left, right)| left == right).count();
    let tail = was.iter().rev().zip(is.iter().rev()).take_while(|(left, right)| left == right).count();
    marks.iter().map(move |mark| {
        let offset = usize::try_from(mark.offset).ok()?.checked_sub(from)?;
        let place = if offset == 0 || was == is || offset < head {
            Some(offset)
        } else if was.len() - offset < tail.max(1) {
            is.len().checked_sub(was.len() - offset)
        } else {
            None
        };
        Some(Mark { offset: (to + place?) as u64, at: mark.at })
    })
}

fn line_starts(text: &[u8]) -> Vec<usize> {
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
}

/// The pieces of a text; `None` if it is not one. A piece never ends within a character.
pub(crate) fn events(content: &Bytes, marks: &[Mark]) -> Option<Form> {
    let text = std::str::from_utf8(content).ok()?;
    let mut events: Vec<Event> = Vec::with_capacity(marks.len());
    let mut starts = marks.iter().map(|mark| {
        let mut offset = usize::try_from(mark.offset).unwrap_or(usize::MAX).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        (offset, mark.at)
    });
    let (_, mut at) = starts.next()?;
    let mut from = 0;
    for (offset, next_at) in starts {
        if offset > from {
            events.push(Event { at, data: text[from..offset].to_owned() });
            from = offset;
        }
        at = next_at;
    }
    events.push(Event { at, data: text[from..].to_owned() });
    Some(Form::Events(events))
}

/// The marks of events that were read from a file.
pub(crate) fn marks(events: &[Event]) -> Vec<Mark> {
    let mut offset = 0;
    let mark = |event: &Event| {
        let mark = Mark { offset, at: event.at };
        offset += event.data.len() as u64;
        mark
    };
    events.iter().map(mark).collect()
}

/// The bytes of each piece with its time.
pub(crate) fn cut(content: &Bytes, marks: &[Mark]) -> Vec<(u64, Bytes)> {
    let ends = marks.iter().skip(1).map(|mark| mark.offset).chain(std::iter::once(content.len() as u64));
    let mut from = 0;
    let mut pieces = Vec::with_capacity(marks.len());
    for (mark, end) in marks.iter().zip(ends) {
        let end = usize::try_from(end).unwrap_or(usize::MAX).clamp(from, content.len());
        if end > from {
            pieces.push((mark.at, content.slice(from..end)));
            from = end;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{Event, Form, Mark, cut, events, marks, moved, worth_keeping};

    fn at(offsets: &[u64]) -> Vec<Mark> {
        offsets.iter().map(|&offset| Mark { offset, at: offset }).collect()
    }

    fn pieces(old: &str, new: &str, offsets: &[u64]) -> Vec<String> {
        let moved = moved(old.as_bytes(), new.as_bytes(), &at(offsets));
        match events(&Bytes::copy_from_slice(new.as_bytes()), &moved) {
            Some(Form::Events(events)) => events.into_iter().map(|event| event.data).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn p13_pieces_stay_where_they_were_cut_when_a_secret_is_replaced() {
        let (old, new) = ("data: ab SECRET cd\n\ndata: 2\n\n", "data: ab {{token:1}} cd\n\ndata: 2\n\n");
        assert_eq!(pieces(old, new, &[0, 20]), ["data: ab {{token:1}} cd\n\n", "data: 2\n\n"]);
        assert_eq!(pieces(old, new, &[0, 7, 20]), ["data: a", "b {{token:1}} cd\n\n", "data: 2\n\n"]);
        assert_eq!(pieces(old, new, &[0, 17, 22]), ["data: ab {{token:1}} c", "d\n\nda", "ta: 2\n\n"]);
    }

    #[test]
    fn r5_a_piece_cut_within_a_secret_is_one_with_the_next() {
        let (old, new) = ("data: ab SECRET cd\n\n", "data: ab {{token:1}} cd\n\n");
        assert_eq!(pieces(old, new, &[0, 12]), [new]);
        assert_eq!(
            pieces("a\nS1\nS2\nb\n", "a\n{{token:1}}\nb\n", &[0, 2, 5, 8]).concat(),
            "a\n{{token:1}}\nb\n"
        );
    }

    #[test]
    fn a_piece_does_not_end_within_a_character() {
        assert_eq!(pieces("서울", "서울", &[0, 4]), ["서", "울"]);
    }

    #[test]
    fn json_documents_are_no_streams_and_event_streams_always_are() {
        let slow = [Mark { offset: 0, at: 0 }, Mark { offset: 9, at: 900 }];
        assert!(worth_keeping(Some("text/event-stream; charset=utf-8"), &slow[..1]));
        assert!(worth_keeping(Some("application/x-ndjson"), &slow[..1]));
        assert!(worth_keeping(Some("text/plain"), &slow) && !worth_keeping(Some("text/plain"), &slow[..1]));
        assert!(
            !worth_keeping(Some("application/json"), &slow) && !worth_keeping(Some("text/event-stream"), &[])
        );
    }

    proptest! {
        #[test]
        fn any_cut_of_any_replacement_gives_the_text_back(
            before in "[a-c\n{}]{0,8}", secret in "[A-C\n]{1,6}", after in "[a-c\n{}é]{0,8}",
            mut offsets in proptest::collection::vec(0..24_u64, 0..6),
        ) {
            let old = format!("{before}{secret}{after}");
            let new = format!("{before}{{{{token:12}}}}{after}");
            offsets.retain(|&offset| offset < old.len() as u64);
            offsets.push(0);
            offsets.sort_unstable();
            let moved = moved(old.as_bytes(), new.as_bytes(), &at(&offsets));
            prop_assert!(moved.is_sorted_by_key(|mark| mark.offset));
            let content = Bytes::from(new.clone());
            let Some(Form::Events(events)) = events(&content, &moved) else { panic!("no events") };
            let whole: String = events.iter().map(|event: &Event| event.data.as_str()).collect();
            prop_assert_eq!(&whole, &new);
            // Numbers are given to whole pseudonyms only.
            prop_assert_eq!(events.iter().filter(|event| event.data.contains("{{token:12}}")).count(), 1);
            let sent: Vec<u8> = cut(&content, &marks(&events)).into_iter().flat_map(|(_, bytes)| bytes).collect();
            prop_assert_eq!(sent, new.into_bytes());
        }
    }
}
