//! Whom to trust and who to be, by host.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use crate::error::{PemRole, ProxyError};
use crate::settings::{ClientCertificate, HostPattern, UpstreamSettings};

/// What is offered by ALPN (RFC 7301).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// No protocol: what is within is not HTTP.
    Nothing,
    /// HTTP/1.1.
    Http1,
    /// HTTP/2, and HTTP/1.1.
    Http2,
}

/// TLS configurations for every kind of host, made once.
pub(super) struct TlsConfigs {
    anonymous: ByTrust,
    with_certificate: Vec<(HostPattern, ByTrust)>,
    insecure: Vec<HostPattern>,
}

struct ByTrust {
    verified: ByAlpn,
    unverified: ByAlpn,
}

struct ByAlpn {
    nothing: Arc<ClientConfig>,
    http1: Arc<ClientConfig>,
    http2: Arc<ClientConfig>,
}

impl TlsConfigs {
    pub(super) fn new(settings: &UpstreamSettings) -> Result<Self, ProxyError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let roots = Arc::new(roots(settings)?);
        let make = |identity: Option<&ClientCertificate>| ByTrust::new(&provider, &roots, identity);
        let with_certificate = settings
            .client_certificates
            .iter()
            .map(|identity| Ok((identity.host.clone(), make(Some(identity))?)))
            .collect::<Result<_, ProxyError>>()?;
        Ok(Self { anonymous: make(None)?, with_certificate, insecure: settings.insecure.clone() })
    }

    /// The configuration for a host.
    pub(super) fn of(&self, host: &str, offer: Offer) -> Arc<ClientConfig> {
        let identity = self.with_certificate.iter().find(|(pattern, _)| pattern.matches(host));
        let by_trust = identity.map_or(&self.anonymous, |(_, by_trust)| by_trust);
        let insecure = self.insecure.iter().any(|pattern| pattern.matches(host));
        let by_alpn = if insecure { &by_trust.unverified } else { &by_trust.verified };
        Arc::clone(match offer {
            Offer::Nothing => &by_alpn.nothing,
            Offer::Http1 => &by_alpn.http1,
            Offer::Http2 => &by_alpn.http2,
        })
    }

    /// Whether the certificate of a host is not checked.
    pub(super) fn is_insecure(&self, host: &str) -> bool {
        self.insecure.iter().any(|pattern| pattern.matches(host))
    }
}

impl ByTrust {
    fn new(
        provider: &Arc<CryptoProvider>,
        roots: &Arc<RootCertStore>,
        identity: Option<&ClientCertificate>,
    ) -> Result<Self, ProxyError> {
        let builder = || {
            ClientConfig::builder_with_provider(Arc::clone(provider))
                .with_safe_default_protocol_versions()
                .map_err(ProxyError::Tls)
        };
        let verified = builder()?.with_root_certificates(Arc::clone(roots));
        let anyone = Arc::new(AcceptAny(Arc::clone(provider)));
        let unverified = builder()?.dangerous().with_custom_certificate_verifier(anyone);
        let (verified, unverified) = match identity {
            None => (verified.with_no_client_auth(), unverified.with_no_client_auth()),
            Some(identity) => {
                let (chain, key) = read_identity(identity)?;
                (
                    verified
                        .with_client_auth_cert(chain.clone(), key.clone_key())
                        .map_err(ProxyError::Tls)?,
                    unverified.with_client_auth_cert(chain, key).map_err(ProxyError::Tls)?,
                )
            }
        };
        Ok(Self { verified: ByAlpn::new(verified), unverified: ByAlpn::new(unverified) })
    }
}

impl ByAlpn {
    fn new(nothing: ClientConfig) -> Self {
        let (mut http1, mut http2) = (nothing.clone(), nothing.clone());
        http1.alpn_protocols = vec![b"http/1.1".to_vec()];
        http2.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self { nothing: Arc::new(nothing), http1: Arc::new(http1), http2: Arc::new(http2) }
    }
}

fn roots(settings: &UpstreamSettings) -> Result<RootCertStore, ProxyError> {
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    // A root that the system has and rustls cannot read is the system's matter: others still work.
    let (added, ignored) = roots.add_parsable_certificates(system.certs);
    tracing::debug!(added, ignored, "system roots");
    for path in &settings.ca_files {
        for certificate in read_certificates(path, PemRole::Roots)? {
            let bad = |error: rustls::Error| pem_error(path, PemRole::Roots, std::io::Error::other(error));
            roots.add(certificate).map_err(bad)?;
        }
    }
    // Without any root all upstreams fail one by one; with a list of hosts that are not checked that may be meant.
    if roots.is_empty() && settings.insecure.is_empty() && settings.proxy.is_none() {
        tracing::warn!("no root certificates were found: no https upstream will be trusted");
    }
    Ok(roots)
}

fn read_identity(
    identity: &ClientCertificate,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), ProxyError> {
    let chain = read_certificates(&identity.certificate, PemRole::ClientCertificate)?;
    let key = PrivateKeyDer::from_pem_file(&identity.key)
        .map_err(|error| pem_error(&identity.key, PemRole::ClientKey, std::io::Error::other(error)))?;
    Ok((chain, key))
}

fn read_certificates(path: &Path, role: PemRole) -> Result<Vec<CertificateDer<'static>>, ProxyError> {
    let failed = |error| pem_error(path, role, std::io::Error::other(error));
    let certificates: Vec<_> =
        CertificateDer::pem_file_iter(path).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    if certificates.is_empty() {
        return Err(pem_error(path, role, std::io::Error::other("it holds no certificate")));
    }
    Ok(certificates)
}

fn pem_error(path: &Path, role: PemRole, source: std::io::Error) -> ProxyError {
    ProxyError::Pem { path: path.to_owned(), role, source }
}

/// Takes any certificate; signatures are still checked, so that the peer holds the key of what it shows.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
