//! Suite files of the paths given: files as named, folders by `*.suite.json`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::text::Text;

/// Expands the paths, in the order given; inside a folder by path. A suite that turns up twice is an error.
pub(crate) fn expand(paths: &[PathBuf], text: &dyn Text) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            collect(path, &mut found, text)?;
            if found.is_empty() {
                let (message, hint) = text.no_suite_in_folder(&path.display().to_string());
                return Err(CliError::usage(message, hint));
            }
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    for file in &files {
        // A path that cannot be resolved is reported when it is read.
        let identity = fs::canonicalize(file).unwrap_or_else(|_| file.clone());
        if !seen.insert(identity) {
            let (message, hint) = text.suite_twice(&file.display().to_string());
            return Err(CliError::usage(message, hint));
        }
    }
    Ok(files)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>, text: &dyn Text) -> Result<(), CliError> {
    let unreadable = |error: std::io::Error| {
        let (message, hint) = text.folder_unreadable(&folder.display().to_string(), &error.to_string());
        CliError::new("SUITE_READ_FAILED", message, hint)
    };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // Links are not followed, so a circle of links cannot be walked.
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            if !entry.file_name().to_string_lossy().starts_with('.') && entry.file_name() != "node_modules" {
                collect(&path, found, text)?;
            }
        } else if entry.file_name().to_string_lossy().ends_with(".suite.json") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcpeak_core::locale::Locale;

    use super::expand;
    use crate::text;

    #[test]
    fn folders_are_walked_in_order_and_doubles_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["b.suite.json", "a.suite.json", "sub/c.suite.json", "other.json"] {
            fs::write(dir.path().join(name), "{}").unwrap();
        }
        let text = text::of(Locale::En);
        let files = expand(&[dir.path().to_owned()], text).unwrap();
        let names: Vec<_> =
            files.iter().map(|file| file.strip_prefix(dir.path()).unwrap().to_str().unwrap().to_owned()).collect();
        assert_eq!(names, ["a.suite.json", "b.suite.json", "sub/c.suite.json"]);
        let twice = expand(&[dir.path().to_owned(), dir.path().join("a.suite.json")], text).unwrap_err();
        assert!(twice.message.contains("twice"));
        let empty = tempfile::tempdir().unwrap();
        assert!(expand(&[empty.path().to_owned()], text).unwrap_err().message.contains("no suite"));
    }
}
