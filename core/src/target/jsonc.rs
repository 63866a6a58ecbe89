//! JSON with comments and trailing commas, as editors write it.

/// The same text with comments and trailing commas blanked out: every other byte keeps its line and column.
pub(super) fn to_json(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut comma: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => {
                comma = None;
                at = string_end(&bytes, at);
                continue;
            }
            (b'/', Some(b'/')) => {
                let end = find(&bytes, at, b"\n").unwrap_or(bytes.len());
                blank(&mut bytes[at..end]);
                at = end;
                continue;
            }
            (b'/', Some(b'*')) => {
                let end = find(&bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
                blank(&mut bytes[at..end]);
                at = end;
                continue;
            }
            (b',', _) => comma = Some(at),
            (b'}' | b']', _) => {
                if let Some(trailing) = comma.take() {
                    bytes[trailing] = b' ';
                }
            }
            (other, _) if !other.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        at += 1;
    }
    // Only whole comments and single ASCII bytes were replaced, by ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The index after the closing quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(needle.len()).position(|window| window == needle).map(|index| from + index)
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::to_json;

    #[test]
    fn comments_and_trailing_commas() {
        let text =
            "{ // a \"comment\"\n \"url\": \"http://x/*no*/,}\", /* 서울\n */ \"a\": [1, 2, /* c */ ], \n}";
        let value: Value = serde_json::from_str(&to_json(text)).unwrap();
        assert_eq!(value, json!({"url": "http://x/*no*/,}", "a": [1, 2]}));
    }

    #[test]
    fn positions_stay() {
        let error = serde_json::from_str::<Value>(&to_json("{\n // c\n \"a\": nope\n}")).unwrap_err();
        assert_eq!((error.line(), error.column()), (3, 8));
    }

    proptest! {
        #[test]
        fn never_panics_and_keeps_lines(text in "[/*\\\\\",}\\]\n a서]{0,60}") {
            let json = to_json(&text);
            prop_assert_eq!(json.lines().count(), text.lines().count());
        }
    }
}
