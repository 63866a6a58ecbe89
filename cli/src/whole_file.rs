//! Writes a file whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Writes beside the place first and renames, so that no reader sees half a file. A symbolic link keeps leading where it led;
/// a device or a pipe is written to, not replaced.
pub(crate) fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let special = fs::metadata(&place).is_ok_and(|present| !present.is_file() && !present.is_dir());
    if special {
        return fs::OpenOptions::new().write(true).open(&place)?.write_all(contents);
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Readable by others like any report, which a temporary file is not by itself.
    let mut file = tempfile::Builder::new()
        .prefix(".mcpeak-")
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)?;
    file.write_all(contents)?;
    file.persist(&place).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::FileTypeExt as _;
    use std::path::Path;

    use super::write;

    #[test]
    fn a_link_keeps_leading_where_it_led() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target.xml"), dir.path().join("link.xml"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_device_stays_a_device() {
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_folder_is_an_error_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        write(&dir.path().join("sub"), b"x").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
