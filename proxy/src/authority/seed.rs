//! A CA that follows from a secret: the same seed gives the same certificate and the same key on every machine.

use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::{EncodePrivateKey as _, LineEnding};
use rcgen::{CertificateParams, PublicKeyData, SignatureAlgorithm};
use sha2::{Digest as _, Sha256};
use time::{Date, Month, OffsetDateTime, Time};

use super::{AuthorityError, PemPair, template};

/// A seed of fewer bytes could be guessed, and with it the key.
pub const SHORTEST_SEED: usize = 32;
/// Keeps keys of this purpose and form apart from anything else that is made from the same secret.
const PURPOSE: &[u8] = b"mcpeak test CA, P-256, version 1";
/// The first and the last day: they must not depend on the day of the making.
const FROM: (i32, Month, u8) = (2025, Month::January, 1);
const TO: (i32, Month, u8) = (2049, Month::December, 31);

/// The pair of a seed.
pub(super) fn pair(seed: &[u8]) -> Result<PemPair, AuthorityError> {
    let key = SeededKey::new(seed);
    let mut params: CertificateParams = template(&key.public);
    (params.not_before, params.not_after) = (midnight(FROM), midnight(TO));
    let certificate = params.self_signed(&key).map_err(AuthorityError::generation)?;
    let pem = key.signing.to_pkcs8_pem(LineEnding::LF);
    let pem = pem.map_err(|_| AuthorityError::generation(rcgen::Error::CouldNotParseKeyPair))?;
    Ok(PemPair { certificate: certificate.pem(), key: pem.to_string() })
}

fn midnight((year, month, day): (i32, Month, u8)) -> OffsetDateTime {
    let date = Date::from_calendar_date(year, month, day).expect("the two days are in the calendar");
    OffsetDateTime::new_utc(date, Time::MIDNIGHT)
}

/// Signs without a random number (RFC 6979), which the TLS library's keys do not: the certificate is the same to the last bit.
struct SeededKey {
    signing: SigningKey,
    /// The point, uncompressed.
    public: Vec<u8>,
}

impl SeededKey {
    fn new(seed: &[u8]) -> Self {
        let mut round = 0_u32;
        // A hash is above the order of the curve once in 2^32.
        let signing = loop {
            let hash =
                Sha256::new().chain_update(PURPOSE).chain_update(round.to_be_bytes()).chain_update(seed);
            if let Ok(signing) = SigningKey::from_bytes(&hash.finalize()) {
                break signing;
            }
            round += 1;
        };
        let public = signing.verifying_key().as_affine().to_encoded_point(false).as_bytes().to_vec();
        Self { signing, public }
    }
}

impl PublicKeyData for SeededKey {
    fn der_bytes(&self) -> &[u8] {
        &self.public
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &rcgen::PKCS_ECDSA_P256_SHA256
    }
}

impl rcgen::SigningKey for SeededKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        let signature: DerSignature = self.signing.sign(message);
        Ok(signature.as_bytes().to_vec())
    }
}
