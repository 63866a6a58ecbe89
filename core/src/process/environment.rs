//! Which variables a server sees.

use std::ffi::OsString;

use crate::secret::Secret;

/// Variables that a server gets on POSIX systems.
pub const ALLOWED_POSIX: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// Variables that a server gets on Windows.
pub const ALLOWED_WINDOWS: [&str; 12] = [
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
    "PROGRAMFILES",
];

/// What a server's environment is made of. Later parts win: the allow-list, what the user named, the wiring.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Variables that the user named, or that a configuration file sets.
    pub named: Vec<(String, Secret<String>)>,
    /// Variables that recording and replay need.
    pub wiring: Vec<(String, OsString)>,
}

/// The whole environment of a server, in the order allow-list, named, wiring, each name once.
pub fn child_environment(
    environment: &Environment,
    lookup: impl Fn(&str) -> Option<OsString>,
) -> Vec<(String, Secret<OsString>)> {
    let allowed: &[&str] = if cfg!(windows) { &ALLOWED_WINDOWS } else { &ALLOWED_POSIX };
    let mut variables: Vec<(String, Secret<OsString>)> = Vec::new();
    let mut set = |name: &str, value: OsString| {
        let value = Secret::new(value);
        match variables.iter_mut().find(|(present, _)| present == name) {
            Some((_, present)) => *present = value,
            None => variables.push((name.to_owned(), value)),
        }
    };
    for name in allowed {
        // Values that begin with `()` are functions that old shells export.
        if let Some(value) = lookup(name).filter(|value| !value.as_encoded_bytes().starts_with(b"()")) {
            set(name, value);
        }
    }
    for (name, value) in &environment.named {
        set(name, OsString::from(value.expose_secret()));
    }
    for (name, value) in &environment.wiring {
        set(name, value.clone());
    }
    variables
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Environment, child_environment};
    use crate::secret::Secret;

    #[test]
    fn wiring_wins_over_named_over_the_allow_list() {
        let environment = Environment {
            named: vec![
                ("PATH".to_owned(), Secret::new("/named".to_owned())),
                ("HTTPS_PROXY".to_owned(), Secret::new("named".to_owned())),
            ],
            wiring: vec![("HTTPS_PROXY".to_owned(), OsString::from("wiring"))],
        };
        let variables = child_environment(&environment, |name| match name {
            "HOME" => Some("/home/x".into()),
            "PATH" => Some("/bin".into()),
            "TERM" => Some("() { :; }".into()),
            "SECRET" => Some("no".into()),
            _ => None,
        });
        let plain: Vec<_> = variables
            .iter()
            .map(|(name, value)| format!("{name}={}", value.expose_secret().to_string_lossy()))
            .collect();
        assert_eq!(plain, ["HOME=/home/x", "PATH=/named", "HTTPS_PROXY=wiring"]);
        assert!(!format!("{variables:?} {environment:?}").contains("/named"));
    }
}
