//! Whom TLS trusts.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

/// A file that holds no certificates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no certificate in PEM form: {0}")]
pub struct PemError(String);

/// The certificates of a PEM file, at least one.
pub fn certificates_from_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| PemError(error.to_string()))?;
    if certificates.is_empty() {
        return Err(PemError("the file holds none".to_owned()));
    }
    Ok(certificates)
}

/// A client configuration that trusts the system's roots and `extra` ones. Reads the system's store: call it off the
/// async threads. Roots that cannot be parsed are left out, as browsers do.
pub fn client_tls_config(
    extra: &[CertificateDer<'static>],
    alpn: &[&[u8]],
) -> Result<Arc<ClientConfig>, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in extra {
        roots.add(certificate.clone())?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::certificates_from_pem;

    #[test]
    fn a_file_without_certificates_is_an_error() {
        assert!(certificates_from_pem(b"nothing here").is_err());
        assert!(
            certificates_from_pem(b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n").is_err()
        );
    }
}
