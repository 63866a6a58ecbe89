//! The two files of a kept CA.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use time::OffsetDateTime;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::{AuthorityError, AuthorityErrorKind, CERTIFICATE_FILE, KEY_FILE, PemPair};

/// Both files, or `None` if neither is there.
pub(super) fn read(folder: &Path) -> Result<Option<PemPair>, AuthorityError> {
    let certificate = read_file(folder, CERTIFICATE_FILE)?;
    let key = read_file(folder, KEY_FILE)?;
    let missing = match (certificate, key) {
        (Some(certificate), Some(key)) => return Ok(Some(PemPair { certificate, key })),
        (None, None) => return Ok(None),
        (None, Some(_)) => CERTIFICATE_FILE,
        (Some(_), None) => KEY_FILE,
    };
    Err(AuthorityError { folder: folder.to_owned(), kind: AuthorityErrorKind::Half { missing } })
}

/// Makes the folder and both files, each by a rename. When another process was faster, its pair is returned.
pub(super) fn create(folder: &Path, made: &PemPair) -> Result<PemPair, AuthorityError> {
    let failed = |source| AuthorityError::io(folder, source);
    fs::DirBuilder::new().recursive(true).mode(0o755).create(folder).map_err(failed)?;
    // The folder is shared with whoever must trust the certificate; the key is readable by its owner alone.
    // The key is linked first and never replaced: whoever links it owns the making of the pair.
    let temporary = temporary_file(folder, &made.key, 0o600).map_err(failed)?;
    match temporary.persist_noclobber(folder.join(KEY_FILE)) {
        Ok(_) => {
            let certificate = temporary_file(folder, &made.certificate, 0o644).map_err(failed)?;
            certificate.persist(folder.join(CERTIFICATE_FILE)).map_err(|lost| failed(lost.error))?;
            fs::File::open(folder).and_then(|directory| directory.sync_all()).map_err(failed)?;
            Ok(PemPair { certificate: made.certificate.clone(), key: made.key.clone() })
        }
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => wait_for_other(folder),
        Err(lost) => Err(failed(lost.error)),
    }
}

/// Writes both files into a folder that is private to this run.
pub(super) fn write(folder: &Path, pair: &PemPair) -> Result<(), AuthorityError> {
    let failed = |source| AuthorityError::io(folder, source);
    fs::write(folder.join(CERTIFICATE_FILE), &pair.certificate).map_err(failed)?;
    let mut key = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(folder.join(KEY_FILE))
        .map_err(failed)?;
    key.write_all(pair.key.as_bytes()).map_err(failed)
}

/// Refuses a pair that clients would refuse.
pub(super) fn check(folder: &Path, pair: &PemPair) -> Result<(), AuthorityError> {
    let fault = |kind| AuthorityError { folder: folder.to_owned(), kind };
    let unreadable = || fault(AuthorityErrorKind::Damaged(rcgen::Error::CouldNotParseCertificate));
    let der = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).map_err(|_| unreadable())?;
    let (_, certificate) = X509Certificate::from_der(&der).map_err(|_| unreadable())?;
    let key =
        rcgen::KeyPair::from_pem(&pair.key).map_err(|source| AuthorityError::damaged(folder, source))?;
    if certificate.public_key().subject_public_key.data.as_ref() != key.public_key_raw() {
        return Err(fault(AuthorityErrorKind::KeyMismatch));
    }
    let validity = certificate.validity();
    let now = OffsetDateTime::now_utc();
    if now < validity.not_before.to_datetime() || now > validity.not_after.to_datetime() {
        return Err(fault(AuthorityErrorKind::Expired {
            not_before: validity.not_before.to_string(),
            not_after: validity.not_after.to_string(),
        }));
    }
    Ok(())
}

fn read_file(folder: &Path, name: &str) -> Result<Option<String>, AuthorityError> {
    match fs::read_to_string(folder.join(name)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AuthorityError::io(folder, error)),
    }
}

/// A file of this mode, on disk before it gets its name.
fn temporary_file(folder: &Path, text: &str, mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let mut file =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(mode)).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The other process writes the certificate right after the key; a second is ample.
fn wait_for_other(folder: &Path) -> Result<PemPair, AuthorityError> {
    let mut found = read(folder);
    for _ in 0..50 {
        match found {
            Err(AuthorityError { kind: AuthorityErrorKind::Half { .. }, .. }) => {
                std::thread::sleep(std::time::Duration::from_millis(20));
                found = read(folder);
            }
            _ => break,
        }
    }
    found?.ok_or_else(|| AuthorityError::io(folder, io::ErrorKind::NotFound.into()))
}
