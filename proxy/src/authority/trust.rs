//! What a client needs in order to trust the authority.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Authority;

/// The roots of this machine and the CA in one PEM text. Most variables that name a CA file replace the client's roots,
/// so that the CA alone would cut the client off from everything that is passed through.
///
/// `extra` is PEM text of the user's own CA file, kept as it is. Second in the pair: how many system roots were found.
pub fn combined_bundle(authority: &Authority, extra: Option<&str>) -> (String, usize) {
    let system = rustls_native_certs::load_native_certs().certs;
    let mut bundle = String::with_capacity(system.len() * 1800);
    for certificate in &system {
        push_pem(&mut bundle, certificate);
    }
    if let Some(extra) = extra {
        bundle.push_str(extra.trim_end());
        bundle.push('\n');
    }
    bundle.push_str(authority.certificate_pem());
    (bundle, system.len())
}

fn push_pem(bundle: &mut String, certificate: &[u8]) {
    let encoded = STANDARD.encode(certificate);
    bundle.push_str("-----BEGIN CERTIFICATE-----\n");
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at(rest.len().min(64));
        // Writing to a String cannot fail.
        let _ = writeln!(bundle, "{line}");
        rest = tail;
    }
    bundle.push_str("-----END CERTIFICATE-----\n");
}
