//! The server: exactly one form of TARGET, checked before anything is started.

use std::time::Duration;

use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;
use mcpeak_core::target::{Endpoint, HttpTarget, StdioTarget, Target, TargetError, read_mcp_config};

use super::environment::{NamedSecret, is_name, named, shown, value_of};
use crate::args::target::TargetArgs;
use crate::error::CliError;
use crate::text::{self, Text};

/// A server and how to reach it.
#[derive(Clone, Debug)]
pub(crate) struct TargetSettings {
    pub(crate) target: Target,
    /// Variables for the server: what `--env` names, and the entry of a configuration file.
    pub(crate) environment: Vec<NamedSecret>,
    /// Values that must not show anywhere: the environment and the headers.
    pub(crate) secrets: Vec<NamedSecret>,
    pub(crate) connect_timeout: Duration,
    pub(crate) era: String,
}

impl TargetSettings {
    /// Whether mcpeak starts the server.
    pub(crate) fn is_process(&self) -> bool {
        matches!(self.target, Target::Stdio(_))
    }
}

/// Checks the flags. `stderr_lines_given` says whether the user asked for lines of a process.
pub(crate) fn resolve(
    args: &TargetArgs,
    stderr_lines_given: bool,
    locale: Locale,
) -> Result<TargetSettings, CliError> {
    let text = text::of(locale);
    one_form(args, text)?;
    let mut settings = TargetSettings {
        target: Target::command("", Vec::<String>::new()),
        environment: named(&args.env, text)?,
        secrets: Vec::new(),
        connect_timeout: args.connect_timeout,
        era: args.era.clone(),
    };
    let headers = headers(&args.header_env, text)?;
    if let Some(url) = &args.url {
        let endpoint = Endpoint::parse(url).map_err(|error| target_error(&error, locale))?;
        settings.target = Target::Http(HttpTarget { endpoint, headers: Vec::new() });
    } else if let (Some(path), Some(server)) = (&args.mcp_config, &args.server) {
        let entry = read_mcp_config(path, server, &|name| std::env::var(name).ok())
            .map_err(|error| target_error(&error, locale))?;
        settings.target = entry.target;
        // The values of `env` have names of their own; what is left came in through placeholders and headers.
        let unnamed =
            entry.secrets.into_iter().filter(|secret| entry.env.iter().all(|(_, value)| value != secret));
        settings.secrets.extend(unnamed.map(|value| NamedSecret { name: server.clone(), value }));
        for (name, value) in entry.env {
            settings.environment.retain(|present| present.name != name);
            settings.environment.push(NamedSecret { name, value });
        }
    } else if let Some(command) = &args.command {
        settings.target = Target::command(command, &args.args);
    } else if let Some((executable, rest)) = args.trailing.split_first() {
        settings.target = Target::command(executable, rest);
    }
    apply(args, stderr_lines_given, headers, &mut settings, text)?;
    settings.secrets.extend(settings.environment.iter().cloned());
    Ok(settings)
}

/// Flags that belong to one kind of target only.
fn apply(
    args: &TargetArgs,
    stderr_lines_given: bool,
    headers: Vec<(String, NamedSecret)>,
    settings: &mut TargetSettings,
    text: &dyn Text,
) -> Result<(), CliError> {
    match &mut settings.target {
        Target::Http(http) => {
            for (given, flag) in [
                (args.cwd.is_some(), "--cwd"),
                (!args.env.is_empty(), "--env"),
                (stderr_lines_given, "--stderr-lines"),
            ] {
                if given {
                    let (message, hint) = text.not_with_url(flag);
                    return Err(CliError::usage(message, hint));
                }
            }
            for (_, value) in &http.headers {
                settings.secrets.push(NamedSecret { name: "header".to_owned(), value: value.clone() });
            }
            for (header, secret) in headers {
                http.headers.push((header, secret.value.clone()));
                settings.secrets.push(secret);
            }
        }
        Target::Stdio(StdioTarget { cwd, .. }) => {
            if !headers.is_empty() {
                let (message, hint) = text.only_with_url("--header-env");
                return Err(CliError::usage(message, hint));
            }
            if let Some(given) = &args.cwd {
                *cwd = Some(given.clone());
            }
        }
    }
    Ok(())
}

fn one_form(args: &TargetArgs, text: &dyn Text) -> Result<(), CliError> {
    let usage = |(message, hint): (String, String)| Err(CliError::usage(message, hint));
    let forms: Vec<&str> = [
        (!args.trailing.is_empty(), "`-- EXE ARGS`"),
        (args.command.is_some(), "--command"),
        (args.url.is_some(), "--url"),
        (args.mcp_config.is_some(), "--mcp-config"),
    ]
    .into_iter()
    .filter_map(|(given, form)| given.then_some(form))
    .collect();
    if args.mcp_config.is_some() != args.server.is_some() {
        return usage(text.server_and_config());
    }
    match forms.as_slice() {
        [first, second, ..] => return usage(text.two_targets(first, second)),
        [] if !args.args.is_empty() => return usage(text.arg_without_command()),
        [] => return usage(text.no_target()),
        [_] => {}
    }
    if !args.args.is_empty() && args.command.is_none() {
        return usage(text.arg_without_command());
    }
    Ok(())
}

/// `Header=NAME` pairs with the values of the variables.
pub(crate) fn headers(given: &[String], text: &dyn Text) -> Result<Vec<(String, NamedSecret)>, CliError> {
    let mut headers: Vec<(String, NamedSecret)> = Vec::new();
    for entry in given {
        let Some((header, name)) =
            entry.split_once('=').filter(|(header, name)| is_token(header) && is_name(name))
        else {
            let (message, hint) = text.bad_header(&shown(entry));
            return Err(CliError::usage(message, hint));
        };
        let header = header.to_ascii_lowercase();
        if headers.iter().any(|(present, _)| *present == header) {
            let (message, hint) = text.duplicate_header(&header);
            return Err(CliError::usage(message, hint));
        }
        let value = value_of(name, text)?;
        if value.expose_secret().contains(['\r', '\n', '\0']) {
            let (message, hint) = text.env_unprintable(name);
            return Err(CliError::usage(message, hint));
        }
        headers.push((header, NamedSecret { name: name.to_owned(), value }));
    }
    Ok(headers)
}

/// RFC 9110 section 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn target_error(error: &TargetError, locale: Locale) -> CliError {
    CliError::usage(error.message(locale), error.hint(locale))
}

/// Values for masking.
pub(crate) fn values(secrets: &[NamedSecret]) -> Vec<Secret<String>> {
    secrets.iter().map(|secret| secret.value.clone()).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use mcpeak_core::locale::Locale;
    use mcpeak_core::target::Target;

    use super::{TargetSettings, resolve};
    use crate::args::{Cli, Command};
    use crate::error::CliError;

    fn target(arguments: &[&str]) -> Result<TargetSettings, CliError> {
        let line = ["mcpeak", "test", "s.suite.json"].iter().chain(arguments);
        let Command::Test(args) = Cli::try_parse_from(line).unwrap().command else { unreachable!() };
        resolve(&args.target, args.stderr_lines.is_some(), Locale::En)
    }

    #[test]
    fn nothing_after_the_dashes_is_parsed() {
        let settings = target(&["--", "npx", "-y", "server", "--json", "--", "x"]).unwrap();
        let Target::Stdio(stdio) = settings.target else { panic!("a process") };
        assert_eq!((stdio.executable.as_str(), stdio.args.len()), ("npx", 5));
        let settings = target(&["--command", "npx", "--arg", "-y", "--arg=", "--arg=--json"]).unwrap();
        let Target::Stdio(stdio) = settings.target else { panic!("a process") };
        assert_eq!(stdio.args, ["-y", "", "--json"]);
    }

    #[test]
    fn exactly_one_target() {
        for (arguments, expected) in [
            (&["--url", "http://a", "--", "node"][..], "`-- EXE ARGS` and --url"),
            (&["--command", "a", "--url", "http://b"], "--command and --url"),
            (&[], "no server given"),
            (&["--arg", "x"], "--arg is given without --command"),
            (&["--server", "x", "--", "a"], "belong together"),
            (&["--url", "http://a", "--stderr-lines", "3"], "--stderr-lines has no meaning"),
            (&["--url", "http://a", "--env", "PATH"], "--env has no meaning"),
            (&["--header-env", "A=PATH", "--", "a"], "only with --url"),
            (&["--url", "http://a", "--header-env", "A B=PATH"], "--header-env does not read"),
            (&["--url", "http://a", "--header-env", "a=PATH", "--header-env", "A=PATH"], "given twice"),
            (&["--env", "TOKEN=secret-value", "--", "a"], "TOKEN=…"),
            (&["--env", "NODE_OPTIONS", "--", "a"], "NODE_OPTIONS cannot be handed"),
            (&["--env", "MCPEAK_TEST_UNSET_VARIABLE", "--", "a"], "cannot be handed"),
            (&["--env", "TEST_UNSET_VARIABLE_OF_MCPEAK", "--", "a"], "is not set or empty"),
        ] {
            let error = target(arguments).unwrap_err();
            assert!(error.message.contains(expected), "{arguments:?}: {}", error.message);
            assert!(!error.message.contains("secret-value"));
        }
    }
}
