//! A text with its escapes undone, each byte with the place it came from: what a value is looked for in when nobody knows how it
//! was written (`%2f` beside `%2B`, `\u002d`, `&amp;`, `%252F`, base64 in lines).

use std::ops::Range;

/// How often escapes of escapes are undone.
const LAYERS: usize = 3;
/// A line break after this many characters of base64 is one within base64 (RFC 2045 section 6.8 has 76, RFC 7468 64).
const LINE: usize = 48;

const ENTITIES: [(&[u8], u8); 9] = [
    (b"&amp;", b'&'),
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&quot;", b'"'),
    (b"&apos;", b'\''),
    (b"&#39;", b'\''),
    (b"&#x27;", b'\''),
    (b"&#34;", b'"'),
    (b"&#47;", b'/'),
];

/// One layer of escapes undone.
#[derive(Debug)]
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Offsets in the text, one more than there are bytes.
    places: Vec<usize>,
}

impl View {
    /// The layers of a text, as long as there is something to undo.
    pub(super) fn layers(text: &[u8]) -> Vec<Self> {
        let mut layers: Vec<Self> = Vec::new();
        while layers.len() < LAYERS {
            let before = layers.last();
            let Some(mut next) = undo(before.map_or(text, |before| &before.bytes)) else { break };
            if let Some(before) = before {
                for place in &mut next.places {
                    *place = before.places[*place];
                }
            }
            layers.push(next);
        }
        layers
    }

    /// Where in the view a place of the text is, or the first place after it.
    pub(super) fn at(&self, place: usize) -> usize {
        self.places.partition_point(|&known| known < place).min(self.bytes.len())
    }

    /// Where in the text a range of the view is.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        self.places[range.start]..self.places[range.end]
    }
}

fn undo(text: &[u8]) -> Option<View> {
    let special = |byte: &u8| matches!(byte, b'%' | b'\\' | b'&' | b'\n');
    if !text.iter().any(special) {
        return None;
    }
    let mut view = View { bytes: Vec::with_capacity(text.len()), places: Vec::with_capacity(text.len() + 1) };
    let (mut at, mut line) = (0, 0);
    while let Some(&byte) = text.get(at) {
        let mut encoded = [0; 4];
        let (length, plain): (usize, &[u8]) = match byte {
            b'%' => percent(&text[at..], &mut encoded),
            b'\\' => json(&text[at..], &mut encoded),
            b'&' => entity(&text[at..], &mut encoded),
            b'\r' | b'\n' if line >= LINE => (1, &[]),
            _ => (1, std::slice::from_ref(&text[at])),
        };
        let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
        line = match byte {
            byte if base64(byte) => line + 1,
            b'\r' => line,
            _ => 0,
        };
        view.places.resize(view.places.len() + plain.len(), at);
        view.bytes.extend_from_slice(plain);
        at += length;
    }
    view.places.push(at);
    (view.bytes.len() < text.len()).then_some(view)
}

fn percent<'e>(text: &[u8], out: &'e mut [u8; 4]) -> (usize, &'e [u8]) {
    let digits = text.get(1..3).and_then(hex);
    out[0] = digits.and_then(|byte| u8::try_from(byte).ok()).unwrap_or(b'%');
    (if digits.is_some() { 3 } else { 1 }, &out[..1])
}

fn json<'e>(text: &[u8], out: &'e mut [u8; 4]) -> (usize, &'e [u8]) {
    let unit = |at: usize| {
        let marked = text.get(at..at + 2) == Some(b"\\u");
        text.get(at + 2..at + 6).filter(|_| marked).and_then(hex)
    };
    if let Some(first) = unit(0) {
        let pair = unit(6).and_then(|second| char::decode_utf16([first, second]).next()?.ok());
        let (character, length) = match (char::from_u32(u32::from(first)), pair) {
            (Some(character), _) => (character, 6),
            (None, Some(character)) => (character, 12),
            (None, None) => (char::REPLACEMENT_CHARACTER, 6),
        };
        return (length, character.encode_utf8(out).as_bytes());
    }
    let plain = match text.get(1) {
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(&same @ (b'"' | b'\\' | b'/')) => same,
        _ => {
            out[0] = b'\\';
            return (1, &out[..1]);
        }
    };
    out[0] = plain;
    (2, &out[..1])
}

fn entity<'e>(text: &[u8], out: &'e mut [u8; 4]) -> (usize, &'e [u8]) {
    let known = ENTITIES.iter().find(|(written, _)| text.starts_with(written));
    let (length, plain) = known.map_or((1, b'&'), |(written, plain)| (written.len(), *plain));
    out[0] = plain;
    (length, &out[..1])
}

fn hex(digits: &[u8]) -> Option<u16> {
    let text =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::View;

    #[test]
    fn escapes_are_undone_layer_by_layer() {
        let layers = View::layers(br"a%252Fb \u002d&amp;\ud83d\ude00");
        let texts: Vec<_> = layers.iter().map(|layer| String::from_utf8_lossy(&layer.bytes)).collect();
        assert_eq!(texts, ["a%2Fb -&😀", "a/b -&😀"]);
        assert_eq!(layers[1].place(&(1..2)), 1..6);
        assert!(View::layers(b"plain").is_empty());
    }

    proptest! {
        #[test]
        fn places_are_in_order(text in r"([a-z]|%|\\|&amp;|%41|\\u0041|\\n|\n|[A-Za-z]{50}\n){0,30}") {
            for layer in View::layers(text.as_bytes()) {
                prop_assert_eq!(layer.places.len(), layer.bytes.len() + 1);
                prop_assert!(layer.places.windows(2).all(|pair| pair[0] <= pair[1]));
                prop_assert_eq!(layer.places.last(), Some(&text.len()));
            }
        }
    }
}
