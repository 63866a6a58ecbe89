//! Leaf certificates: one key for the run, one certificate a name, minted when a ClientHello asks for it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, Issuer, KeyPair, KeyUsagePurpose,
    SerialNumber,
};
use rustls::ServerConfig;
use rustls::server::ResolvesServerCert;
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

use super::{AuthorityError, BACKDATE};

/// How many names are kept; beyond it the one unused for longest goes.
const CAPACITY: NonZeroUsize = NonZeroUsize::new(1024).expect("1024 is not zero");
/// Life of a leaf.
const LIFE: time::Duration = time::Duration::days(7);
/// Age at which a kept leaf is minted anew, well before a client would refuse it.
const RENEW_AFTER: Duration = Duration::from_hours(72);

/// What the client offers in ALPN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alpn {
    /// Nothing that HTTP knows: answered without ALPN.
    None,
    /// `h2`, `http/1.1` or both: the client's offer decides.
    Http,
}

/// Mints leaves and keeps the TLS configuration of each name.
pub(crate) struct LeafMint {
    issuer: Issuer<'static, KeyPair>,
    key: KeyPair,
    signing_key: Arc<dyn SigningKey>,
    base: ServerConfig,
    folder: PathBuf,
    leaves: Mutex<LruCache<String, Arc<Cell>>>,
    minted: AtomicU64,
}

/// Filled by the first connection that asks; others for the same name wait for it instead of minting again.
#[derive(Default)]
struct Cell(OnceLock<Option<Leaf>>);

struct Leaf {
    with_alpn: Arc<ServerConfig>,
    without_alpn: Arc<ServerConfig>,
    made: Instant,
}

impl LeafMint {
    pub(super) fn new(issuer: Issuer<'static, KeyPair>, folder: &Path) -> Result<Self, AuthorityError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let key = KeyPair::generate().map_err(AuthorityError::generation)?;
        let der = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let tls = |source| AuthorityError::tls(folder, source);
        let signing_key = provider.key_provider.load_private_key(der).map_err(tls)?;
        let mut base = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(tls)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(NoCertificate));
        base.ticketer = rustls::crypto::aws_lc_rs::Ticketer::new().map_err(tls)?;
        // One ticket is what a client can use; each further one is a signature-free but real cost per connection.
        base.send_tls13_tickets = 1;
        Ok(Self {
            issuer,
            key,
            signing_key,
            base,
            folder: folder.to_owned(),
            leaves: Mutex::new(LruCache::new(CAPACITY)),
            minted: AtomicU64::new(0),
        })
    }

    /// The TLS configuration for a name (a DNS name or an IP address in text form).
    ///
    /// # Errors
    /// The name cannot stand in a certificate.
    pub(crate) fn config(&self, name: &str, alpn: Alpn) -> Result<Arc<ServerConfig>, AuthorityError> {
        let cell = self.cell(name);
        let leaf = cell.0.get_or_init(|| self.mint(name).ok());
        match (leaf, alpn) {
            (Some(leaf), Alpn::Http) => Ok(Arc::clone(&leaf.with_alpn)),
            (Some(leaf), Alpn::None) => Ok(Arc::clone(&leaf.without_alpn)),
            // Minted again only to learn why: names that cannot be minted are not worth a cache of errors.
            (None, _) => self.mint(name).map(|leaf| leaf.with_alpn),
        }
    }

    /// How many leaves were minted so far.
    #[cfg(test)]
    pub(crate) fn minted(&self) -> u64 {
        self.minted.load(Ordering::Relaxed)
    }

    /// How many names are held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.leaves.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn cell(&self, name: &str) -> Arc<Cell> {
        // Held for a look-up only, never while minting.
        let mut leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = leaves.get(name)
            && cell.is_fresh()
        {
            return Arc::clone(cell);
        }
        let cell = Arc::new(Cell::default());
        leaves.put(name.to_owned(), Arc::clone(&cell));
        cell
    }

    fn mint(&self, name: &str) -> Result<Leaf, AuthorityError> {
        let count = self.minted.fetch_add(1, Ordering::Relaxed);
        let certificate = self.sign(name, count)?;
        let chain = vec![certificate.der().clone()];
        let certified = CertifiedKey::new(chain, Arc::clone(&self.signing_key));
        let resolver: Arc<dyn ResolvesServerCert> = Arc::new(SingleCertAndKey::from(certified));
        let mut without_alpn = self.base.clone();
        without_alpn.cert_resolver = resolver;
        let mut with_alpn = without_alpn.clone();
        with_alpn.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Leaf {
            with_alpn: Arc::new(with_alpn),
            without_alpn: Arc::new(without_alpn),
            made: Instant::now(),
        })
    }

    fn sign(&self, name: &str, count: u64) -> Result<rcgen::Certificate, AuthorityError> {
        let damaged = |source| AuthorityError::damaged(&self.folder, source);
        // Reads an IP address as an iPAddress name, anything else as a dNSName.
        let mut params = CertificateParams::new(vec![name.to_owned()]).map_err(damaged)?;
        let mut subject = DistinguishedName::new();
        // A common name has 64 characters at most (RFC 5280 appendix A.1); the SAN is what counts.
        if name.len() <= 64 {
            subject.push(DnType::CommonName, name);
        }
        params.distinguished_name = subject;
        params.is_ca = rcgen::IsCa::ExplicitNoCa;
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let now = OffsetDateTime::now_utc();
        params.not_before = now - BACKDATE;
        params.not_after = now + LIFE;
        params.serial_number = Some(serial(&[
            self.key.public_key_raw(),
            name.as_bytes(),
            &count.to_be_bytes(),
            &now.unix_timestamp_nanos().to_be_bytes(),
        ]));
        params.signed_by(&self.key, &self.issuer).map_err(damaged)
    }
}

impl Cell {
    fn is_fresh(&self) -> bool {
        match self.0.get() {
            None => true,
            Some(None) => false,
            Some(Some(leaf)) => leaf.made.elapsed() < RENEW_AFTER,
        }
    }
}

/// Stands in the configuration that the ones with a certificate are made from; it is never served.
#[derive(Debug)]
struct NoCertificate;

impl ResolvesServerCert for NoCertificate {
    fn resolve(&self, _hello: rustls::server::ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        None
    }
}

/// A positive serial number of 16 bytes (RFC 5280 section 4.1.2.2) out of what makes a certificate unique.
pub(super) fn serial(parts: &[&[u8]]) -> SerialNumber {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let mut bytes: [u8; 32] = hash.finalize().into();
    bytes[0] = (bytes[0] & 0x3f) | 0x40;
    SerialNumber::from_slice(&bytes[..16])
}

/// Eight hex digits that tell two keys apart.
pub(super) fn fingerprint(public_key: &[u8]) -> String {
    hex::encode(&Sha256::digest(public_key)[..4])
}
