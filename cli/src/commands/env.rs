//! `mcpeak env`: the variables that lead a program through a proxy, for a shell to read.

use std::fmt::Write as _;

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_proxy::authority::Authority;
use mcpeak_proxy::error::ProxyError;

use crate::args::operation::{EnvArgs, ShellSyntax};
use crate::error::CliError;
use crate::ingress::trust;
use crate::ingress::variables::{self, Variables};
use crate::printer::Printer;
use crate::recording::{proxy_error, users_own_roots};
use crate::text;

/// Writes the trust files beside the authority and prints the assignments.
pub(crate) fn execute(args: &EnvArgs, locale: Locale, printer: &Printer) -> Result<ExitCode, CliError> {
    let text = text::of(locale);
    let wrong = || {
        let (message, hint) = text.bad_flag_value("--proxy", &args.proxy, "http://HOST:PORT");
        CliError::usage(message, hint)
    };
    let url = url::Url::parse(&args.proxy).map_err(|_| wrong())?;
    let host =
        url.host_str().filter(|_| url.scheme() == "http" && url.username().is_empty()).ok_or_else(wrong)?;
    let port = url.port().unwrap_or(80);
    let authority = Authority::open_or_create(&args.ca_dir)
        .map_err(|error| proxy_error(&ProxyError::from(error), locale))?;
    let dir = std::path::absolute(&args.ca_dir).unwrap_or_else(|_| args.ca_dir.clone());
    let files = trust::write(&dir, authority.certificate_pem(), &users_own_roots()).map_err(|error| {
        let (message, hint) =
            text.file_unwritable("trust files", &dir.display().to_string(), &error.to_string());
        CliError::new("TRUST_WRITE_FAILED", message, hint)
    })?;
    let endpoint = variables::ProxyEndpoint { host: host.to_owned(), port };
    let variables = variables::all(
        &variables::Ingress::Proxy(endpoint),
        &files,
        std::env::var("JAVA_TOOL_OPTIONS").ok().as_deref(),
    );
    super::print(printer, &render(&variables, args.shell), locale)?;
    Ok(ExitCode::Passed)
}

fn render(variables: &Variables, shell: ShellSyntax) -> String {
    let mut out = String::new();
    for (name, value) in &variables.set {
        let value = value.to_string_lossy();
        // Writing to a String cannot fail.
        let _ = match shell {
            ShellSyntax::Sh => writeln!(out, "export {name}='{}'", value.replace('\'', "'\\''")),
            ShellSyntax::Fish => {
                writeln!(out, "set -gx {name} '{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
            }
            ShellSyntax::Powershell => writeln!(out, "$env:{name} = '{}'", value.replace('\'', "''")),
            ShellSyntax::Dotenv => {
                writeln!(
                    out,
                    "{name}=\"{}\"",
                    value.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")
                )
            }
        };
    }
    for name in &variables.unset {
        let _ = match shell {
            ShellSyntax::Sh => writeln!(out, "unset {name}"),
            ShellSyntax::Fish => writeln!(out, "set -e {name}"),
            ShellSyntax::Powershell => writeln!(out, "Remove-Item Env:{name} -ErrorAction SilentlyContinue"),
            // An env file cannot take a variable away; an empty one is read as absent.
            ShellSyntax::Dotenv => writeln!(out, "{name}="),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{ShellSyntax, Variables, render};

    #[test]
    fn each_shell_quotes_its_way() {
        let variables = Variables { set: vec![("A".into(), r#"it's "x" \ $y"#.into())], unset: vec!["B"] };
        assert_eq!(render(&variables, ShellSyntax::Sh), "export A='it'\\''s \"x\" \\ $y'\nunset B\n");
        assert_eq!(render(&variables, ShellSyntax::Fish), "set -gx A 'it\\'s \"x\" \\\\ $y'\nset -e B\n");
        assert_eq!(
            render(&variables, ShellSyntax::Powershell),
            "$env:A = 'it''s \"x\" \\ $y'\nRemove-Item Env:B -ErrorAction SilentlyContinue\n"
        );
        assert_eq!(render(&variables, ShellSyntax::Dotenv), "A=\"it's \\\"x\\\" \\\\ \\$y\"\nB=\n");
    }
}
