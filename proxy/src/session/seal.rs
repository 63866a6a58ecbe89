//! A journal line that shows whether it is whole: the first 16 hex digits of its SHA-256, a space, the JSON.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::assemble::sha256_of;
use super::journal::{Blob, Data, Entry, EntryAnswer};

/// Hex digits of the checksum.
const DIGITS: usize = 16;

/// The line of a JSON document, its line feed included.
pub(crate) fn seal(json: &[u8]) -> Vec<u8> {
    let mut line = checksum(json).into_bytes();
    line.push(b' ');
    line.extend_from_slice(json);
    line.push(b'\n');
    line
}

/// The JSON of a line; `None` if the line was cut off or damaged.
pub(crate) fn open(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\n")?;
    let (sum, json) = line.split_at_checked(DIGITS)?;
    let json = json.strip_prefix(b" ")?;
    (sum == checksum(json).as_bytes()).then_some(json)
}

/// Whether the files that an entry names are there and have the bytes they had.
pub(crate) fn files_are_whole(entry: &Entry, folder: &Path) -> bool {
    let answer =
        if let EntryAnswer::Response(response) = &entry.answer { response.body.as_ref() } else { None };
    let whole = |data: &Data| match data {
        Data::File { path, sha256, .. } => {
            sha256_of(&folder.join(path)).is_ok_and(|actual| actual == *sha256)
        }
        Data::Text(_) | Data::Base64(_) => true,
    };
    let blob = |blob: &Blob| whole(&blob.content) && blob.wire.as_ref().is_none_or(whole);
    entry.body.iter().chain(answer).all(blob)
}

fn checksum(json: &[u8]) -> String {
    hex::encode(&Sha256::digest(json)[..DIGITS / 2])
}

#[cfg(test)]
mod tests {
    use super::{open, seal};

    #[test]
    fn every_changed_or_missing_byte_shows() {
        let line = seal(br#"{"seq":1}"#);
        assert_eq!(open(&line), Some(&br#"{"seq":1}"#[..]));
        for at in 0..line.len() {
            let mut damaged = line.clone();
            damaged[at] ^= 1;
            assert_eq!(open(&damaged), None, "byte {at}");
            assert_eq!(open(&line[..at]), None, "cut at {at}");
        }
    }
}
