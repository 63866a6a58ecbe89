//! The hash by which OpenSSL finds a root in a folder: it opens `<hash of the subject>.<n>`.
//!
//! The hash covers the subject in a canonical form, so that names which differ in case, spacing or the type of their strings
//! are the same name. What is canonical is said in OpenSSL's manual page `X509_NAME_hash_ex(3)` and shown by
//! `openssl x509 -subject_hash`.

use sha1::{Digest as _, Sha1};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const EXPLICIT_0: u8 = 0xa0;
const UTF8_STRING: u8 = 12;
const PRINTABLE_STRING: u8 = 19;
const TELETEX_STRING: u8 = 20;
const IA5_STRING: u8 = 22;
const VISIBLE_STRING: u8 = 26;
const UNIVERSAL_STRING: u8 = 28;
const BMP_STRING: u8 = 30;
/// The types whose values are texts.
const TEXTS: [u8; 7] =
    [UTF8_STRING, PRINTABLE_STRING, TELETEX_STRING, IA5_STRING, VISIBLE_STRING, UNIVERSAL_STRING, BMP_STRING];

/// The hash of a certificate's subject, as the name of its file begins; `None` for bytes that are no certificate.
pub(super) fn subject_hash(certificate: &[u8]) -> Option<String> {
    let mut canonical = Vec::new();
    let mut names = Reader(subject(certificate)?);
    while !names.0.is_empty() {
        let mut attributes = Reader(names.tagged(SET)?);
        let mut written = Vec::new();
        while !attributes.0.is_empty() {
            written.push(canonical_attribute(attributes.tagged(SEQUENCE)?)?);
        }
        // A set has no order; in DER the encodings are sorted (X.690 section 11.6).
        written.sort();
        push(&mut canonical, SET, &written.concat());
    }
    let digest: [u8; 20] = Sha1::digest(&canonical).into();
    let first = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    Some(format!("{first:08x}"))
}

/// The content of the subject's SEQUENCE (RFC 5280 section 4.1).
fn subject(certificate: &[u8]) -> Option<&[u8]> {
    let mut certificate = Reader(Reader(certificate).tagged(SEQUENCE)?);
    let mut fields = Reader(certificate.tagged(SEQUENCE)?);
    if fields.0.first() == Some(&EXPLICIT_0) {
        fields.next()?;
    }
    // Serial number, signature algorithm, issuer, validity.
    for _ in 0..4 {
        fields.next()?;
    }
    fields.tagged(SEQUENCE)
}

/// Type and value: texts as UTF-8 in lower case with single spaces, everything else as it is.
fn canonical_attribute(attribute: &[u8]) -> Option<Vec<u8>> {
    let mut parts = Reader(attribute);
    let (kind, oid) = parts.next()?;
    let (tag, value) = parts.next()?;
    let mut content = Vec::new();
    push(&mut content, kind, oid);
    if TEXTS.contains(&tag) {
        push(&mut content, UTF8_STRING, canonical_text(&text(tag, value)?).as_bytes());
    } else {
        push(&mut content, tag, value);
    }
    let mut written = Vec::new();
    push(&mut written, SEQUENCE, &content);
    Some(written)
}

/// The characters of a string; `None` for a damaged one.
fn text(tag: u8, value: &[u8]) -> Option<String> {
    let wide = |bytes: usize| {
        let units = value.chunks(bytes).map(|unit| {
            let code = unit.iter().fold(0u32, |code, byte| code << 8 | u32::from(*byte));
            char::from_u32(code).filter(|_| unit.len() == bytes)
        });
        units.collect::<Option<String>>()
    };
    match tag {
        UTF8_STRING => String::from_utf8(value.to_vec()).ok(),
        BMP_STRING => wide(2),
        UNIVERSAL_STRING => wide(4),
        // One byte a character, whatever the standards say of T.61.
        _ => wide(1),
    }
}

fn canonical_text(text: &str) -> String {
    let space = |character: char| matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    let words = text.split(space).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join(" ")
}

/// Writes one element with a definite length.
fn push(out: &mut Vec<u8>, tag: u8, content: &[u8]) {
    out.push(tag);
    let length = content.len().to_be_bytes();
    let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    match length {
        [] => out.push(0),
        [short @ ..0x80] => out.push(*short),
        long => {
            // At most eight bytes of length.
            out.push(0x80 | u8::try_from(long.len()).unwrap_or_default());
            out.extend_from_slice(long);
        }
    }
    out.extend_from_slice(content);
}

/// Reads one element after the other.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            let (bytes, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let fits = bytes.len() <= 4;
            length = bytes.iter().filter(|_| fits).fold(0, |length, byte| length << 8 | usize::from(*byte));
            rest = after;
            if !fits || bytes.is_empty() {
                return None;
            }
        }
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    fn tagged(&mut self, expected: u8) -> Option<&'a [u8]> {
        self.next().filter(|(tag, _)| *tag == expected).map(|(_, content)| content)
    }
}

#[cfg(test)]
mod tests {
    use rcgen::string::{BmpString, PrintableString};
    use rcgen::{CertificateParams, DistinguishedName, DnType, DnValue, KeyPair};

    use super::subject_hash;

    fn hash(names: &[(DnType, DnValue)]) -> Option<String> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        for (kind, value) in names {
            params.distinguished_name.push(kind.clone(), value.clone());
        }
        let key = KeyPair::generate().unwrap();
        subject_hash(params.self_signed(&key).unwrap().der())
    }

    #[test]
    fn names_that_openssl_takes_for_the_same_have_its_hash() {
        let utf8 = |text: &str| DnValue::Utf8String(text.to_owned());
        let printable = DnValue::PrintableString(PrintableString::try_from("  ACME   Root CA ").unwrap());
        let bmp = DnValue::BmpString(BmpString::try_from("acme root ca").unwrap());
        for name in [utf8("Acme Root\tCA"), printable, bmp] {
            let names = [(DnType::CountryName, utf8("KR")), (DnType::CommonName, name)];
            assert_eq!(hash(&names).as_deref(), Some("8bfea757"));
        }
        let long = "기".repeat(60);
        let names = [(DnType::OrganizationName, utf8(&long)), (DnType::CommonName, utf8("서울 기관"))];
        assert_eq!(hash(&names).as_deref(), Some("25b95ca1"));
        assert_eq!(hash(&[]).as_deref(), Some("eea339da"));
    }

    #[test]
    fn damaged_certificates_have_none() {
        for bytes in
            [&b""[..], b"\x30", b"\x30\x82\x01", b"\x30\x03\x30\x01\x02", b"\x30\x85\x01\x01\x01\x01\x01\x01"]
        {
            assert_eq!(subject_hash(bytes), None);
        }
    }
}
