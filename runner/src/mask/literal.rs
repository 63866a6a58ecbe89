//! Literal secret values, in every spelling in which they travel.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use mcpeak_core::secret::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::masker::REPLACEMENT;

/// Shortest value that is replaced inside longer text. `DEBUG=1` would otherwise eat every digit one.
const MIN_INSIDE: usize = 4;

/// Shortest value whose base64 digits are recognised inside a longer encoded text.
const MIN_BASE64_PART: usize = 8;

/// Everything but RFC 3986's unreserved characters.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The values with their spellings, longest first.
#[derive(Clone, Default)]
pub(super) struct Literals {
    exact: Vec<Secret<String>>,
    inside: Vec<Secret<String>>,
}

impl Literals {
    pub(super) fn new(values: &[Secret<String>]) -> Self {
        let exact: Vec<_> =
            values.iter().filter(|value| !value.expose_secret().is_empty()).cloned().collect();
        let mut spellings: Vec<String> = exact
            .iter()
            .map(Secret::expose_secret)
            .filter(|value| value.chars().count() >= MIN_INSIDE)
            .flat_map(|value| spellings(value))
            .collect();
        // Longest first: a value that contains another one must not leave its rest behind.
        spellings.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        spellings.dedup();
        Self { exact, inside: spellings.into_iter().map(Secret::new).collect() }
    }

    pub(super) fn is_exactly(&self, text: &str) -> bool {
        self.exact.iter().any(|value| value.expose_secret() == text)
    }

    pub(super) fn replace(&self, text: &str) -> String {
        if self.is_exactly(text) {
            return REPLACEMENT.to_owned();
        }
        let mut out = text.to_owned();
        for value in &self.inside {
            if out.contains(value.expose_secret().as_str()) {
                out = out.replace(value.expose_secret().as_str(), REPLACEMENT);
            }
        }
        out
    }
}

/// The value itself, JSON-escaped, percent-encoded (both cases, both spellings of a space), base64 (both alphabets, also as
/// part of a longer text such as `user:password`).
fn spellings(value: &str) -> Vec<String> {
    let mut all = vec![value.to_owned()];
    let json = serde_json::Value::String(value.to_owned()).to_string();
    all.push(json[1..json.len() - 1].to_owned());
    let percent = utf8_percent_encode(value, ESCAPED).to_string();
    all.push(percent.replace("%20", "+"));
    all.push(lower_case_escapes(&percent));
    all.push(percent);
    all.push(STANDARD.encode(value));
    all.push(URL_SAFE.encode(value));
    if value.len() >= MIN_BASE64_PART {
        all.extend((0..3).flat_map(|shift| base64_parts(value.as_bytes(), shift)));
    }
    all
}

fn lower_case_escapes(percent: &str) -> String {
    let mut digits = 0_u8;
    percent
        .chars()
        .map(|character| {
            if character == '%' {
                digits = 2;
                return character;
            }
            let is_digit = digits > 0;
            digits = digits.saturating_sub(1);
            if is_digit { character.to_ascii_lowercase() } else { character }
        })
        .collect()
}

/// The digits that only depend on the value when it stands `shift` bytes after a multiple of three.
fn base64_parts(value: &[u8], shift: usize) -> [String; 2] {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(value);
    let first = (shift * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    [
        STANDARD_NO_PAD.encode(&bytes)[first..last].to_owned(),
        URL_SAFE_NO_PAD.encode(&bytes)[first..last].to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_those_of_the_wire() {
        let all = spellings("a b/서");
        for spelling in
            ["a%20b%2F%EC%84%9C", "a+b%2F%EC%84%9C", "a%20b%2f%ec%84%9c", "YSBiL+yEnA==", "YSBiL-yEnA=="]
        {
            assert!(all.iter().any(|each| each == spelling), "{spelling}: {all:?}");
        }
    }

    #[test]
    fn base64_of_a_text_around_the_value() {
        let literals = Literals::new(&[Secret::new("hunter2-secret".to_owned())]);
        for user in ["", "u", "us", "user"] {
            let encoded = STANDARD.encode(format!("{user}:hunter2-secret/x"));
            let masked = literals.replace(&encoded);
            assert!(masked.contains(REPLACEMENT) && masked.len() <= 24, "{masked}");
        }
    }

    #[test]
    fn short_values_only_as_a_whole() {
        let literals = Literals::new(&[Secret::new("1".to_owned()), Secret::new("tok-42".to_owned())]);
        assert_eq!(literals.replace("1"), "[REDACTED]");
        assert_eq!(literals.replace("101 tok-42!"), "101 [REDACTED]!");
    }
}
