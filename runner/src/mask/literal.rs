//! Literal secret values, in every spelling in which they travel.

use std::fmt::Write as _;

use mcpeak_core::secret::Secret;

use super::masker::REPLACEMENT;

/// Shortest value that is replaced inside longer text. `DEBUG=1` would otherwise eat every digit one.
const MIN_INSIDE: usize = 4;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

/// The value itself, JSON-escaped, percent-encoded (both spellings of a space), base64 (both alphabets, with and without padding).
fn spellings(value: &str) -> Vec<String> {
    let mut all = vec![value.to_owned()];
    let json = serde_json::Value::String(value.to_owned()).to_string();
    all.push(json[1..json.len() - 1].to_owned());
    let percent = percent_encoded(value);
    all.push(percent.replace("%20", "+"));
    all.push(percent);
    let base64 = base64(value.as_bytes());
    let unpadded = base64.trim_end_matches('=').to_owned();
    all.push(unpadded.replace('+', "-").replace('/', "_"));
    all.push(unpadded);
    all.push(base64);
    all
}

fn percent_encoded(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for index in 0..4_usize {
            if index > chunk.len() {
                out.push('=');
            } else {
                let sextet = group >> (18 - 6 * index) & 0x3f;
                out.push(char::from(BASE64[sextet as usize]));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_those_of_the_wire() {
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(percent_encoded("a b/서"), "a%20b%2F%EC%84%9C");
    }

    #[test]
    fn short_values_only_as_a_whole() {
        let literals = Literals::new(&[Secret::new("1".to_owned()), Secret::new("tok-42".to_owned())]);
        assert_eq!(literals.replace("1"), "[REDACTED]");
        assert_eq!(literals.replace("101 tok-42!"), "101 [REDACTED]!");
    }
}
