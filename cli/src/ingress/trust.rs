//! Files that make runtimes trust the proxy's certificate authority.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::jks;

/// Where the trust files of one run are.
#[derive(Clone, Debug)]
pub(crate) struct TrustFiles {
    /// Our authority alone, for runtimes that add to their own roots.
    pub(crate) ca: PathBuf,
    /// Public roots, the user's own extra roots and ours, for runtimes that replace theirs.
    pub(crate) bundle: PathBuf,
    /// The bundle as a Java trust store without a password.
    pub(crate) java: PathBuf,
    /// `ca_certificate=` for wget.
    pub(crate) wgetrc: PathBuf,
    /// Folder with an ini snippet for PHP.
    pub(crate) php: PathBuf,
}

/// Writes the trust files into a folder.
///
/// `ca_pem` is our authority; `extra` are PEM files that the user has configured for their own runtimes (the values of
/// `NODE_EXTRA_CA_CERTS` and the like): they are added, never replaced. The system's roots honour `SSL_CERT_FILE` and
/// `SSL_CERT_DIR` of this process.
pub(crate) fn write(dir: &Path, ca_pem: &str, extra: &[PathBuf]) -> io::Result<TrustFiles> {
    let files = TrustFiles {
        ca: dir.join("ca.pem"),
        bundle: dir.join("bundle.pem"),
        java: dir.join("trust.jks"),
        wgetrc: dir.join("wgetrc"),
        php: dir.join("php"),
    };
    let roots = collect_roots(ca_pem, extra);
    let mut node_pem = String::from(ca_pem);
    for path in extra {
        // An unreadable file is the user's own broken setting; the runtime itself will say so.
        if let Ok(pem) = fs::read_to_string(path) {
            node_pem.push('\n');
            node_pem.push_str(&pem);
        }
    }
    let bundle: String = roots.iter().map(|der| pem(der)).collect();
    fs::create_dir_all(&files.php)?;
    if extra.is_empty() {
        write_if_changed(&files.ca, ca_pem.as_bytes())?;
    } else {
        return write_with_extra(dir, files, &node_pem, &bundle, &roots);
    }
    write_rest(&files, &bundle, &roots)?;
    Ok(files)
}

fn write_with_extra(
    dir: &Path,
    mut files: TrustFiles,
    node_pem: &str,
    bundle: &str,
    roots: &[CertificateDer<'static>],
) -> io::Result<TrustFiles> {
    // ca.pem of a kept folder belongs to the authority; the concatenation gets a name of its own.
    files.ca = dir.join("ca-with-extra.pem");
    write_if_changed(&files.ca, node_pem.as_bytes())?;
    write_rest(&files, bundle, roots)?;
    Ok(files)
}

fn write_rest(files: &TrustFiles, bundle: &str, roots: &[CertificateDer<'static>]) -> io::Result<()> {
    write_if_changed(&files.bundle, bundle.as_bytes())?;
    write_if_changed(&files.java, &jks::trust_store(roots.iter().map(AsRef::as_ref)))?;
    let bundle_path = files.bundle.display();
    write_if_changed(&files.wgetrc, format!("ca_certificate={bundle_path}\n").as_bytes())?;
    let ini = format!("openssl.cafile=\"{bundle_path}\"\ncurl.cainfo=\"{bundle_path}\"\n");
    write_if_changed(&files.php.join("mcpeak.ini"), ini.as_bytes())
}

/// The folder may be mounted read-only once everything is there.
fn write_if_changed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    fs::write(path, bytes)
}

fn collect_roots(ca_pem: &str, extra: &[PathBuf]) -> Vec<CertificateDer<'static>> {
    let mut roots = rustls_native_certs::load_native_certs().certs;
    for path in extra {
        if let Ok(pem) = fs::read(path) {
            roots.extend(CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok));
        }
    }
    roots.extend(CertificateDer::pem_slice_iter(ca_pem.as_bytes()).filter_map(Result::ok));
    roots.sort_by(|left, right| left.as_ref().cmp(right.as_ref()));
    roots.dedup();
    roots
}

fn pem(der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    let mut text = String::with_capacity(body.len() + body.len() / 64 + 60);
    text.push_str("-----BEGIN CERTIFICATE-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        // The text is ASCII, so every index is a character boundary.
        let (line, tail) = rest.split_at(rest.len().min(64));
        text.push_str(line);
        text.push('\n');
        rest = tail;
    }
    text.push_str("-----END CERTIFICATE-----\n");
    text
}

#[cfg(test)]
mod tests {
    use rustls_pki_types::CertificateDer;
    use rustls_pki_types::pem::PemObject as _;

    use super::write;

    fn authority() -> String {
        let mut parameters = rcgen::CertificateParams::default();
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        parameters.self_signed(&key).unwrap().pem()
    }

    #[test]
    fn bundle_holds_ours_and_the_users_own() {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs) = (authority(), authority());
        let theirs_path = dir.path().join("theirs.pem");
        std::fs::write(&theirs_path, &theirs).unwrap();
        let files = write(dir.path(), &ours, &[theirs_path]).unwrap();
        let bundle = std::fs::read(&files.bundle).unwrap();
        let roots: Vec<_> = CertificateDer::pem_slice_iter(&bundle).map(Result::unwrap).collect();
        for pem in [&ours, &theirs] {
            let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
            assert!(roots.contains(&der));
        }
        let node = std::fs::read_to_string(&files.ca).unwrap();
        assert!(node.contains(ours.trim()) && node.contains(theirs.trim()));
    }

    #[test]
    fn writing_again_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let ours = authority();
        let files = write(dir.path(), &ours, &[]).unwrap();
        let before = std::fs::metadata(&files.java).unwrap().modified().unwrap();
        write(dir.path(), &ours, &[]).unwrap();
        assert_eq!(std::fs::metadata(&files.java).unwrap().modified().unwrap(), before);
    }
}
