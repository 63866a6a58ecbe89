//! The certificate authority that lets the proxy read TLS: its own, per run or kept.
//!
//! [`Authority`] holds the CA and mints a leaf for each name a client asks for. The CA carries critical `basicConstraints` and
//! `keyUsage`; leaves carry SAN, AKI, SKI and `serverAuth`, which is what the strictest clients ask for (Python 3.13, Go, rustls).

mod error;
mod files;
mod leaf;
mod pkcs12;
mod seed;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpeak_core::secret::Secret;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use time::{Duration, OffsetDateTime};

pub use error::{AuthorityError, AuthorityErrorKind};
pub(crate) use leaf::Alpn;
use leaf::LeafMint;
pub use pkcs12::PASSWORD as PKCS12_PASSWORD;
pub use seed::SHORTEST_SEED;

/// File name of the certificate inside a CA folder.
pub const CERTIFICATE_FILE: &str = "ca.pem";
/// File name of the private key inside a CA folder.
pub const KEY_FILE: &str = "ca.key";

/// How long before its making a certificate is already valid, for clients whose clock runs late.
pub(crate) const BACKDATE: Duration = Duration::days(1);
/// Life of a CA that is kept; Apple's clients refuse longer chains.
const KEPT_LIFE: Duration = Duration::days(825);
/// Life of a CA that goes with its run.
const RUN_LIFE: Duration = Duration::days(30);

/// A certificate authority. Cheap to clone; a temporary folder goes with the last clone.
#[derive(Clone)]
pub struct Authority {
    inner: Arc<Inner>,
}

struct Inner {
    certificate_pem: String,
    certificate: CertificateDer<'static>,
    folder: PathBuf,
    mint: LeafMint,
    // Deletes the folder when the last clone goes.
    _temporary: Option<tempfile::TempDir>,
}

impl Authority {
    /// Makes a CA for this run in a fresh folder that only the user can enter. The folder is deleted with the last clone.
    ///
    /// # Errors
    /// The temporary folder or its files could not be written.
    pub fn ephemeral() -> Result<Self, AuthorityError> {
        Self::temporary(make(RUN_LIFE)?)
    }

    fn temporary(made: PemPair) -> Result<Self, AuthorityError> {
        let temporary = tempfile::Builder::new()
            .prefix("mcpeak-ca-")
            .permissions(std::fs::Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|source| AuthorityError::io(&std::env::temp_dir(), source))?;
        files::write(temporary.path(), &made)?;
        Self::from_pair(made, temporary.path().to_owned(), Some(temporary))
    }

    /// Opens the CA kept in `folder` (`ca.pem`, `ca.key`), or makes one there if both files are missing.
    ///
    /// # Errors
    /// The folder cannot be used, one of the two files is missing, the pair is damaged, or the certificate has expired.
    pub fn open_or_create(folder: &Path) -> Result<Self, AuthorityError> {
        let pair = if let Some(pair) = files::read(folder)? {
            pair
        } else {
            files::create(folder, &make(KEPT_LIFE)?)?
        };
        files::check(folder, &pair)?;
        Self::from_pair(pair, folder.to_owned(), None)
    }

    /// Makes the CA that follows from a seed: the same one on every machine and at any time. With a folder it is kept there, for
    /// clients to trust; without one its files go with the last clone. Whoever knows the seed has the key.
    ///
    /// # Errors
    /// The seed is shorter than [`SHORTEST_SEED`] bytes, the folder cannot be used, or it holds another CA.
    pub fn from_seed(seed: &Secret<String>, folder: Option<&Path>) -> Result<Self, AuthorityError> {
        let fault = |folder: &Path, kind| AuthorityError { folder: folder.to_owned(), kind };
        let seed = seed.expose_secret().as_bytes();
        if seed.len() < SHORTEST_SEED {
            return Err(fault(folder.unwrap_or(Path::new("")), AuthorityErrorKind::SeedTooShort));
        }
        let made = seed::pair(seed)?;
        let Some(folder) = folder else { return Self::temporary(made) };
        let pair = match files::read(folder)? {
            Some(pair) => pair,
            None => files::create(folder, &made)?,
        };
        if pair.certificate != made.certificate {
            return Err(fault(folder, AuthorityErrorKind::OtherThanSeed));
        }
        files::check(folder, &pair)?;
        Self::from_pair(pair, folder.to_owned(), None)
    }

    /// The certificate as a PKCS #12 trust store, for readers that take nothing else; its password is [`PKCS12_PASSWORD`].
    pub fn certificate_pkcs12(&self) -> Vec<u8> {
        pkcs12::trust_store(&self.inner.certificate)
    }

    /// The CA certificate in PEM form.
    pub fn certificate_pem(&self) -> &str {
        &self.inner.certificate_pem
    }

    /// Where the CA certificate is on disk, for `NODE_EXTRA_CA_CERTS` and its like.
    pub fn certificate_path(&self) -> PathBuf {
        self.inner.folder.join(CERTIFICATE_FILE)
    }

    /// The folder of the CA; callers put derived files (bundles, key stores) next to it.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    pub(crate) fn mint(&self) -> &LeafMint {
        &self.inner.mint
    }

    fn from_pair(
        pair: PemPair,
        folder: PathBuf,
        temporary: Option<tempfile::TempDir>,
    ) -> Result<Self, AuthorityError> {
        let damaged = |source| AuthorityError::damaged(&folder, source);
        let unreadable = |_| AuthorityError::damaged(&folder, rcgen::Error::CouldNotParseCertificate);
        let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).map_err(unreadable)?;
        let key = KeyPair::from_pem(&pair.key).map_err(damaged)?;
        let issuer = Issuer::from_ca_cert_pem(&pair.certificate, key).map_err(damaged)?;
        let mint = LeafMint::new(issuer, &folder)?;
        let inner =
            Inner { certificate_pem: pair.certificate, certificate, folder, mint, _temporary: temporary };
        Ok(Self { inner: Arc::new(inner) })
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Authority").finish_non_exhaustive()
    }
}

/// A certificate and its key. The key never leaves this module but for its file.
pub(crate) struct PemPair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

fn make(life: Duration) -> Result<PemPair, AuthorityError> {
    let key = KeyPair::generate().map_err(AuthorityError::generation)?;
    let now = OffsetDateTime::now_utc();
    let mut params = template(key.public_key_raw());
    params.not_before = now - BACKDATE;
    params.not_after = now + life;
    let certificate = params.self_signed(&key).map_err(AuthorityError::generation)?;
    Ok(PemPair { certificate: certificate.pem(), key: key.serialize_pem() })
}

/// What every CA certificate of ours says; its life is up to the caller.
fn template(public_key: &[u8]) -> CertificateParams {
    let mut name = DistinguishedName::new();
    name.push(DnType::OrganizationName, "mcpeak");
    // Stores that index CAs by subject must be able to hold two of ours.
    name.push(DnType::CommonName, format!("mcpeak test CA {}", leaf::fingerprint(public_key)));
    let mut params = CertificateParams::default();
    params.distinguished_name = name;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(leaf::serial(&[b"ca", public_key]));
    params
}

#[cfg(test)]
mod tests;
