//! `${NAME}` and `${env:NAME}`.

/// Why a text could not be filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfilled {
    /// The variable is not set.
    Unset(String),
    /// Not a variable at all.
    Unknown(String),
}

/// Fills in placeholders. `${NAME:-default}` has a default, as Claude Code writes it.
pub(super) fn fill(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, Unfilled> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((inner, remaining)) = after.split_once('}') else {
            filled.push_str("${");
            rest = after;
            continue;
        };
        filled.push_str(&value_of(inner, lookup)?);
        rest = remaining;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn value_of(inner: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, Unfilled> {
    let (reference, default) = match inner.split_once(":-") {
        Some((reference, default)) => (reference, Some(default)),
        None => (inner, None),
    };
    let name = reference.strip_prefix("env:").unwrap_or(reference);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    // `${workspaceFolder}` and its like belong to VS Code; they are no environment variables, and none is spelled so.
    let editor = !reference.starts_with("env:") && EDITOR_VARIABLES.contains(&name);
    if !is_name || editor {
        return Err(Unfilled::Unknown(format!("${{{inner}}}")));
    }
    lookup(name).or_else(|| default.map(str::to_owned)).ok_or_else(|| Unfilled::Unset(name.to_owned()))
}

const EDITOR_VARIABLES: [&str; 5] =
    ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "cwd"];

#[cfg(test)]
mod tests {
    use super::{Unfilled, fill};

    #[test]
    fn fills_both_spellings() {
        let lookup = |name: &str| (name == "KEY").then(|| "v".to_owned());
        assert_eq!(fill("a${KEY}b${env:KEY}", &lookup).unwrap(), "avbv");
        assert_eq!(fill("$KEY ${ {}", &lookup), Err(Unfilled::Unknown("${ {}".to_owned())));
        assert_eq!(fill("$KEY ${open", &lookup).unwrap(), "$KEY ${open");
        assert_eq!(fill("${NO:-d}", &lookup).unwrap(), "d");
        assert_eq!(fill("${NO}", &lookup), Err(Unfilled::Unset("NO".to_owned())));
        assert_eq!(fill("${input:key}", &lookup), Err(Unfilled::Unknown("${input:key}".to_owned())));
        assert_eq!(
            fill("${workspaceFolder}/x", &lookup),
            Err(Unfilled::Unknown("${workspaceFolder}".to_owned()))
        );
    }
}
