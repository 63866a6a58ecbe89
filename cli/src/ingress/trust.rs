//! Files that make runtimes trust the proxy's certificate authority.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::jks;
use super::subject_hash::subject_hash;

/// Where the trust files of one run are.
#[derive(Clone, Debug)]
pub(crate) struct TrustFiles {
    /// Our authority alone, for runtimes that add to their own roots.
    pub(crate) ca: PathBuf,
    /// Public roots, the user's own extra roots and ours, for runtimes that replace theirs.
    pub(crate) bundle: PathBuf,
    /// The bundle as a folder with a file a root, named as OpenSSL looks them up (`SSL_CERT_DIR`).
    pub(crate) folder: PathBuf,
    /// The bundle as a Java trust store without a password.
    pub(crate) java: PathBuf,
    /// `ca_certificate=` for wget.
    pub(crate) wgetrc: PathBuf,
    /// Folder with an ini snippet for PHP.
    pub(crate) php: PathBuf,
}

/// Variables in which users name PEM files, or folders of them, with roots for one runtime or another. What is in them is added
/// to what every runtime gets. `SSL_CERT_FILE` and `SSL_CERT_DIR` say what the system's roots are, and count as such.
pub(crate) const USERS_OWN: [&str; 10] = [
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "DENO_CERT",
    "PIP_CERT",
    "HTTPLIB2_CA_CERTS",
    "PERL_LWP_SSL_CA_FILE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];

/// Where systems keep their roots: folders, or one file.
const SYSTEM_ROOTS: [&str; 4] = [
    "/etc/ssl/certs",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Writes the trust files into a folder.
///
/// `ca_pem` is our authority; `extra` are the values of [`USERS_OWN`]: they are added, never replaced. The system's roots honour
/// `SSL_CERT_FILE` and `SSL_CERT_DIR` of this process.
pub(crate) fn write(dir: &Path, ca_pem: &str, extra: &[PathBuf]) -> io::Result<TrustFiles> {
    let files = TrustFiles {
        ca: dir.join("ca.pem"),
        bundle: dir.join("bundle.pem"),
        folder: dir.join("certs"),
        java: dir.join("trust.jks"),
        wgetrc: dir.join("wgetrc"),
        php: dir.join("php"),
    };
    let extra: Vec<_> = extra.iter().flat_map(|path| read_roots(path)).collect();
    let roots = collect_roots(ca_pem, &extra);
    let node_pem: String =
        unique(ours(ca_pem).chain(extra.iter().cloned())).iter().map(|der| pem(der)).collect();
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
    write_folder(&files.folder, roots)?;
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

/// A file a root, and nothing else: what an earlier run left is no longer trusted.
fn write_folder(folder: &Path, roots: &[CertificateDer<'static>]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut written = BTreeSet::new();
    for der in roots {
        let Some(hash) = subject_hash(der) else { continue };
        let number = numbers.entry(hash.clone()).or_default();
        let name = format!("{hash}.{number}");
        *number += 1;
        write_if_changed(&folder.join(&name), pem(der).as_bytes())?;
        written.insert(std::ffi::OsString::from(name));
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !written.contains(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn collect_roots(ca_pem: &str, extra: &[CertificateDer<'static>]) -> Vec<CertificateDer<'static>> {
    let mut roots = unique(system_roots().into_iter().chain(extra.iter().cloned()).chain(ours(ca_pem)));
    roots.sort_by(|left, right| left.as_ref().cmp(right.as_ref()));
    roots
}

/// A `SSL_CERT_FILE` of the user's own replaces the system's file and not its folder, so that OpenSSL and Go still know the
/// system's roots next to it. Naming both replaces both.
fn system_roots() -> Vec<CertificateDer<'static>> {
    let mut roots = rustls_native_certs::load_native_certs().certs;
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("SSL_CERT_FILE") && !set("SSL_CERT_DIR") {
        roots.extend(SYSTEM_ROOTS.iter().flat_map(|path| read_roots(Path::new(path))));
    }
    roots
}

/// The certificates in a file, or in the files of a folder. What cannot be read is the user's own broken setting; the runtime
/// itself will say so.
fn read_roots(path: &Path) -> Vec<CertificateDer<'static>> {
    let mut files = vec![path.to_owned()];
    if let Ok(entries) = fs::read_dir(path) {
        files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        files.sort();
    }
    let pems = files.iter().filter_map(|file| fs::read(file).ok());
    pems.flat_map(|pem| CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect::<Vec<_>>())
        .collect()
}

fn ours(ca_pem: &str) -> impl Iterator<Item = CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(ca_pem.as_bytes()).filter_map(Result::ok)
}

/// Each certificate once, in the order in which they came.
fn unique(certificates: impl Iterator<Item = CertificateDer<'static>>) -> Vec<CertificateDer<'static>> {
    let mut seen = BTreeSet::new();
    certificates.filter(|der| seen.insert(der.as_ref().to_vec())).collect()
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
        // As some have it: the key stands next to the certificate. It stays where it is.
        let key = rcgen::KeyPair::generate().unwrap().serialize_pem();
        std::fs::write(&theirs_path, format!("{key}\n{theirs}")).unwrap();
        let files = write(dir.path(), &ours, &[theirs_path]).unwrap();
        let bundle = std::fs::read(&files.bundle).unwrap();
        let roots: Vec<_> = CertificateDer::pem_slice_iter(&bundle).map(Result::unwrap).collect();
        for pem in [&ours, &theirs] {
            let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
            assert!(roots.contains(&der));
        }
        assert_eq!(std::fs::read(&files.ca).unwrap(), (ours + &theirs).into_bytes());
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

    #[test]
    fn a_folder_of_the_users_is_read_and_none_of_its_roots_comes_twice() {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs) = (authority(), authority());
        let certs = dir.path().join("theirs");
        std::fs::create_dir(&certs).unwrap();
        std::fs::write(certs.join("0a0a0a0a.0"), &theirs).unwrap();
        std::fs::write(certs.join("README"), "nothing").unwrap();
        let files = write(dir.path(), &ours, &[certs.join("0a0a0a0a.0"), certs, "/no/such".into()]).unwrap();
        assert_eq!(std::fs::read_to_string(&files.ca).unwrap(), ours + &theirs);
    }

    #[test]
    fn the_folder_holds_every_root_of_the_bundle_and_no_former_one() {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs) = (authority(), authority());
        let theirs_path = dir.path().join("theirs.pem");
        std::fs::write(&theirs_path, &theirs).unwrap();
        let held = |files: &super::TrustFiles| {
            let mut held: Vec<_> = super::read_roots(&files.folder);
            held.sort_by(|left, right| left.as_ref().cmp(right.as_ref()));
            held
        };
        let files = write(dir.path(), &ours, &[theirs_path]).unwrap();
        let with_theirs = held(&files);
        assert_eq!(with_theirs, super::read_roots(&files.bundle));
        // Both authorities have the same subject, and so the same hash.
        let hash = super::subject_hash(&CertificateDer::from_pem_slice(ours.as_bytes()).unwrap()).unwrap();
        assert!(
            files.folder.join(format!("{hash}.0")).exists()
                && files.folder.join(format!("{hash}.1")).exists()
        );
        let files = write(dir.path(), &ours, &[]).unwrap();
        assert_eq!(held(&files).len(), with_theirs.len() - 1);
    }
}
