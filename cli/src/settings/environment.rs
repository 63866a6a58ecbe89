//! Every environment variable that mcpeak reads, and the values behind `--env NAME`.

use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;

use crate::error::CliError;
use crate::text::Text;

/// Variables that mcpeak itself reads, with their meaning: the source of the reference page.
#[cfg_attr(not(test), expect(dead_code, reason = "the reference page is made from it"))]
pub(crate) const VARIABLES: [(&str, &str); 8] = [
    ("MCPEAK_LOCALE", "language of messages, `en` or `ko`; before LC_ALL, LC_MESSAGES and LANG"),
    ("MCPEAK_LOG", "filter of the log on stderr, such as `mcpeak_proxy=debug`; nothing is logged without it"),
    ("LC_ALL, LC_MESSAGES, LANG", "Korean messages when the first that is set names Korean"),
    ("NO_COLOR", "no colours when set and not empty"),
    (
        "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY",
        "the proxy in front of the upstreams, while recording and passing through: `http://`, `socks5://`, `socks5h://`",
    ),
    ("SSL_CERT_FILE, SSL_CERT_DIR", "the system's trusted roots, where they are not in the usual place"),
    ("NODE_EXTRA_CA_CERTS", "added to the trust files that a server gets"),
    ("JAVA_TOOL_OPTIONS", "kept in front of the options that `mcpeak run` adds"),
];

/// The language: the flag, then the environment.
pub(crate) fn locale(flag: Option<&str>) -> Locale {
    flag.and_then(Locale::from_name)
        .or_else(|| {
            ["MCPEAK_LOCALE", "LC_ALL", "LC_MESSAGES", "LANG"]
                .iter()
                .filter_map(|name| std::env::var(name).ok())
                .find_map(|value| Locale::from_name(&value))
        })
        .unwrap_or_default()
}

/// A variable that the user named, with its value.
#[derive(Clone, Debug)]
pub(crate) struct NamedSecret {
    pub(crate) name: String,
    pub(crate) value: Secret<String>,
}

/// Reads the variables that `--env` names for the server.
pub(crate) fn named(names: &[String], text: &dyn Text) -> Result<Vec<NamedSecret>, CliError> {
    let mut secrets: Vec<NamedSecret> = Vec::new();
    for name in names {
        if !is_name(name) {
            let (message, hint) = text.bad_env_name("--env", &shown(name));
            return Err(CliError::usage(message, hint));
        }
        if name == "NODE_OPTIONS" || name.starts_with("MCPEAK_") {
            let (message, hint) = text.reserved_env_name(name);
            return Err(CliError::usage(message, hint));
        }
        if secrets.iter().all(|present| &present.name != name) {
            secrets.push(NamedSecret { name: name.clone(), value: value_of(name, text)? });
        }
    }
    Ok(secrets)
}

/// The value of a variable, which must be there.
pub(crate) fn value_of(name: &str, text: &dyn Text) -> Result<Secret<String>, CliError> {
    match std::env::var(name) {
        Ok(value) if !value.is_empty() => Ok(Secret::new(value)),
        Ok(_) | Err(std::env::VarError::NotPresent) => {
            let (message, hint) = text.env_unset(name);
            Err(CliError::usage(message, hint))
        }
        Err(std::env::VarError::NotUnicode(_)) => {
            let (message, hint) = text.env_unprintable(name);
            Err(CliError::usage(message, hint))
        }
    }
}

/// Whether a text can name a variable: `[A-Za-z_][A-Za-z0-9_]*`.
pub(crate) fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// What may be echoed of a wrong argument: someone may have written `NAME=value`.
pub(crate) fn shown(given: &str) -> String {
    match given.split_once('=') {
        Some((name, _)) => format!("{name}=…"),
        None if given.chars().count() > 32 => "…".to_owned(),
        None => given.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_name, shown};

    #[test]
    fn names() {
        assert!(is_name("GITHUB_TOKEN") && is_name("_x1"));
        assert!(!is_name("") && !is_name("1A") && !is_name("A=b") && !is_name("A-B"));
    }

    #[test]
    fn a_value_given_by_mistake_is_not_echoed() {
        assert_eq!(shown("TOKEN=hunter2"), "TOKEN=…");
        assert_eq!(shown("sk-0123456789012345678901234567890123456789"), "…");
    }
}
