//! A Java trust store (JKS) without a password.
//!
//! Java loads a PKCS12 store without its password as an empty one, so the older format is written. The layout is that of
//! `sun.security.provider.JavaKeyStore`: magic, version 2, entries, and a SHA-1 over all of it that is only checked when a
//! password is given.

use sha1::{Digest as _, Sha1};

const MAGIC: u32 = 0xFEED_FEED;
const VERSION: u32 = 2;
const TRUSTED_CERTIFICATE: u32 = 2;
/// The whitener that `JavaKeyStore` mixes into its integrity hash.
const WHITENER: &[u8] = b"Mighty Aphrodite";

/// Writes a store that trusts these DER certificates. The same certificates give the same bytes.
pub(super) fn trust_store<'a>(certificates: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut entries = Vec::new();
    let mut count: u32 = 0;
    for der in certificates {
        let Ok(length) = u32::try_from(der.len()) else { continue };
        entries.extend(TRUSTED_CERTIFICATE.to_be_bytes());
        utf(&mut entries, &format!("mcpeak-{count}"));
        entries.extend(0u64.to_be_bytes());
        utf(&mut entries, "X.509");
        entries.extend(length.to_be_bytes());
        entries.extend(der);
        count += 1;
    }
    let mut store = Vec::with_capacity(entries.len() + 32);
    store.extend(MAGIC.to_be_bytes());
    store.extend(VERSION.to_be_bytes());
    store.extend(count.to_be_bytes());
    store.extend(entries);
    // The hash covers password, whitener and data; the password is empty.
    let digest = Sha1::new().chain_update(WHITENER).chain_update(&store).finalize();
    store.extend(digest);
    store
}

/// `DataOutputStream.writeUTF`, for the short ASCII texts used here.
fn utf(out: &mut Vec<u8>, ascii: &str) {
    let length = u16::try_from(ascii.len()).unwrap_or(u16::MAX);
    out.extend(length.to_be_bytes());
    out.extend(ascii.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::trust_store;

    #[test]
    fn layout_is_that_of_java_key_store() {
        let store = trust_store([b"abc".as_slice()].into_iter());
        let mut expected = vec![0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 8];
        expected.extend(b"mcpeak-0");
        expected.extend([0; 8]);
        expected.extend([0, 5]);
        expected.extend(b"X.509");
        expected.extend([0, 0, 0, 3]);
        expected.extend(b"abc");
        assert_eq!(store[..store.len() - 20], expected);
    }
}
