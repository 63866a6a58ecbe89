//! The certificate as a PKCS #12 trust store (RFC 7292), for runtimes and devices that read nothing else.
//!
//! The certificate is public and stands in clear, so that readers without a password find it too. The integrity check has the
//! password [`PASSWORD`], which keeps nothing secret: many readers demand one.

use sha2::{Digest as _, Sha256};

/// Password of the integrity check.
pub const PASSWORD: &str = "mcpeak";
const ITERATIONS: u16 = 2048;

const DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1];
const CERT_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 10, 1, 3];
const X509_CERTIFICATE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 22, 1];
const FRIENDLY_NAME: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 20];
/// Java takes a certificate without a key for trusted only with this attribute (2.16.840.1.113894.746875.1.1).
const TRUSTED_KEY_USAGE: &[u8] = &[0x60, 0x86, 0x48, 1, 0x86, 0xf9, 0x66, 0xad, 0xca, 0x7b, 1, 1];
const ANY_EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25, 0];
const SHA256: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];

const OCTETS: u8 = 0x04;
const NULL: u8 = 0x05;
const OBJECT: u8 = 0x06;
const BMP_STRING: u8 = 0x1e;
const INTEGER: u8 = 0x02;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const EXPLICIT_0: u8 = 0xa0;

/// A store that trusts one certificate. The same certificate gives the same bytes.
pub(super) fn trust_store(certificate: &[u8]) -> Vec<u8> {
    // Derived, for no secret depends on it, and the file is to be the same each time.
    let salt = &Sha256::digest(certificate)[..8];
    let safe = authenticated_safe(certificate);
    let mac = hmac(&mac_key(PASSWORD, salt), &safe);
    let digest = sequence(&[sequence(&[tlv(OBJECT, SHA256), tlv(NULL, &[])]), tlv(OCTETS, &mac)]);
    let mac_data = sequence(&[digest, tlv(OCTETS, salt), tlv(INTEGER, &ITERATIONS.to_be_bytes())]);
    sequence(&[tlv(INTEGER, &[3]), content(&safe), mac_data])
}

fn authenticated_safe(certificate: &[u8]) -> Vec<u8> {
    let bag = sequence(&[tlv(OBJECT, X509_CERTIFICATE), tlv(EXPLICIT_0, &tlv(OCTETS, certificate))]);
    let name: Vec<u8> = "mcpeak".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let attribute = |kind, value: Vec<u8>| sequence(&[tlv(OBJECT, kind), tlv(SET, &value)]);
    let attributes = [
        attribute(FRIENDLY_NAME, tlv(BMP_STRING, &name)),
        attribute(TRUSTED_KEY_USAGE, tlv(OBJECT, ANY_EXTENDED_KEY_USAGE)),
    ];
    let safe_bag = sequence(&[tlv(OBJECT, CERT_BAG), tlv(EXPLICIT_0, &bag), tlv(SET, &attributes.concat())]);
    sequence(&[content(&sequence(&[safe_bag]))])
}

/// A `ContentInfo` of the kind `data`.
fn content(bytes: &[u8]) -> Vec<u8> {
    sequence(&[tlv(OBJECT, DATA), tlv(EXPLICIT_0, &tlv(OCTETS, bytes))])
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tlv(SEQUENCE, &parts.concat())
}

/// Tag, length and value in DER (X.690 section 8.1).
fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = value.len().to_be_bytes();
    let bytes = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    match bytes {
        [] => out.push(0),
        [short] if *short < 0x80 => out.push(*short),
        long => {
            out.push(0x80 | u8::try_from(long.len()).expect("a length has at most eight bytes"));
            out.extend_from_slice(long);
        }
    }
    out.extend_from_slice(value);
    out
}

/// The key of the integrity check (RFC 7292 appendix B.2 with identifier 3). SHA-256 gives all its bytes in one round.
fn mac_key(password: &str, salt: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let password: Vec<u8> = password.encode_utf16().chain([0]).flat_map(u16::to_be_bytes).collect();
    let fill = |bytes: &[u8]| -> Vec<u8> {
        bytes.iter().copied().cycle().take(bytes.len().div_ceil(BLOCK) * BLOCK).collect()
    };
    let mut key: [u8; 32] = Sha256::new()
        .chain_update([3; BLOCK])
        .chain_update(fill(salt))
        .chain_update(fill(&password))
        .finalize()
        .into();
    for _ in 1..ITERATIONS {
        key = Sha256::digest(key).into();
    }
    key
}

/// HMAC with SHA-256 (RFC 2104), for a key shorter than a block.
fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}
