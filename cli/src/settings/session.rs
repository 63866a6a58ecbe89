//! Recording and replaying: which file, whose certificates, how upstreams are reached.

use std::path::PathBuf;
use std::str::FromStr;

use mcpeak_core::redact::Redactor;
use mcpeak_core::secret::Secret;
use mcpeak_proxy::matching::Repeat;
use mcpeak_proxy::session::Timing;
use mcpeak_proxy::settings::{
    ClientCertificate, HostPattern, ProxyAddress, ResolveRule, UpstreamProxy, UpstreamSettings,
};

use super::environment::{NamedSecret, value_of};
use crate::args::session::{SessionArgs, UpstreamArgs};
use crate::error::CliError;
use crate::text::Text;

/// What is done with outbound calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionChoice {
    /// Answer from the file.
    Replay(PathBuf),
    /// Forward and store.
    Record(PathBuf),
    /// Forward and count (`mcpeak proxy` without a file).
    Pass,
}

/// Everything about outbound calls.
#[derive(Clone, Debug)]
pub(crate) struct SessionSettings {
    pub(crate) choice: SessionChoice,
    pub(crate) force: bool,
    pub(crate) repeat: Repeat,
    pub(crate) match_headers: Vec<String>,
    pub(crate) ca_dir: Option<PathBuf>,
    /// What the authority is made from, where it is not to be a random one.
    pub(crate) ca_seed: Option<Secret<String>>,
    pub(crate) upstream: UpstreamSettings,
    pub(crate) tunnel: Vec<HostPattern>,
    /// Whether recording refuses what is not HTTP.
    pub(crate) strict: bool,
    /// When the pieces of a recorded stream are sent.
    pub(crate) timing: Timing,
    pub(crate) redactor: Redactor,
}

/// Checks the flags. The choice is `Pass` where neither file is given.
pub(crate) fn resolve(
    args: &SessionArgs,
    secrets: &[NamedSecret],
    text: &dyn Text,
) -> Result<SessionSettings, CliError> {
    let choice = match (&args.session, &args.record_session) {
        (Some(_), Some(_)) => {
            let (message, hint) = text.flags_exclude("--session", "--record-session");
            return Err(CliError::usage(message, hint));
        }
        (Some(path), None) => SessionChoice::Replay(path.clone()),
        (None, Some(path)) => SessionChoice::Record(path.clone()),
        (None, None) => SessionChoice::Pass,
    };
    let repeat = match args.repeat.as_str() {
        "last" => Repeat::Last,
        "cycle" => Repeat::Cycle,
        _ => Repeat::Error,
    };
    let values = secrets.iter().map(|secret| (secret.name.clone(), secret.value.clone()));
    Ok(SessionSettings {
        choice,
        force: args.force,
        repeat,
        match_headers: args.match_header.clone(),
        ca_dir: args.ca_dir.clone(),
        ca_seed: seed(args.ca_seed_env.as_deref(), text)?,
        upstream: upstream(&args.upstream, text)?,
        tunnel: parse_all("--tunnel", &args.tunnel, text)?,
        strict: args.strict,
        timing: if args.replay_timing == "recorded" { Timing::Recorded } else { Timing::Instant },
        redactor: Redactor::new(values),
    })
}

/// The secret that a CA is made from.
pub(crate) fn seed(name: Option<&str>, text: &dyn Text) -> Result<Option<Secret<String>>, CliError> {
    name.map(|name| value_of(name, text)).transpose()
}

/// Checks the flags about upstreams.
pub(crate) fn upstream(args: &UpstreamArgs, text: &dyn Text) -> Result<UpstreamSettings, CliError> {
    let mut client_certificates = Vec::new();
    for given in &args.upstream_cert {
        let wrong = || {
            let (message, hint) = text.bad_flag_value("--upstream-cert", given, "HOST=FILE");
            CliError::usage(message, hint)
        };
        let (host, file) = given.split_once('=').ok_or_else(wrong)?;
        let host = HostPattern::from_str(host).map_err(|_| wrong())?;
        client_certificates.push(ClientCertificate {
            host,
            certificate: PathBuf::from(file),
            key: PathBuf::from(file),
        });
    }
    Ok(UpstreamSettings {
        ca_files: args.upstream_ca.clone(),
        insecure: parse_all("--upstream-insecure", &args.upstream_insecure, text)?,
        resolve: parse_all::<ResolveRule>("--resolve", &args.resolve, text)?,
        client_certificates,
        proxy: proxy_of_environment(text)?,
    })
}

/// Values of a flag that can be given more than once.
pub(crate) fn parse_all<T>(flag: &str, given: &[String], text: &dyn Text) -> Result<Vec<T>, CliError>
where
    T: FromStr<Err = mcpeak_proxy::settings::SettingError>,
{
    given
        .iter()
        .map(|value| {
            value.parse().map_err(|error: mcpeak_proxy::settings::SettingError| {
                let (message, hint) = text.bad_flag_value(flag, value, error.expected);
                CliError::usage(message, hint)
            })
        })
        .collect()
}

/// The proxy that this machine needs to reach the outside, by the variables that everyone reads. `HTTP_PROXY` in upper
/// case is left out where `REQUEST_METHOD` is set: there a client of a CGI program may have set it.
fn proxy_of_environment(text: &dyn Text) -> Result<Option<UpstreamProxy>, CliError> {
    let first = |names: &[&'static str]| {
        names.iter().find_map(|name| {
            std::env::var(name).ok().filter(|value| !value.is_empty()).map(|value| (*name, value))
        })
    };
    let cgi = std::env::var_os("REQUEST_METHOD").is_some();
    let http = first(if cgi {
        &["http_proxy", "all_proxy", "ALL_PROXY"]
    } else {
        &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
    });
    let https = first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]);
    if http.is_none() && https.is_none() {
        return Ok(None);
    }
    let parse = |entry: Option<(&'static str, String)>| {
        entry
            .map(|(name, value)| {
                ProxyAddress::from_str(&value).map_err(|error| {
                    let (message, hint) = text.bad_flag_value(name, "…", error.expected);
                    CliError::usage(message, hint)
                })
            })
            .transpose()
    };
    let except = first(&["no_proxy", "NO_PROXY"]).map(|(_, value)| value).unwrap_or_default();
    Ok(Some(UpstreamProxy {
        http: parse(http)?,
        https: parse(https)?,
        except: except
            .split(',')
            .map(|entry| entry.trim().to_owned())
            .filter(|entry| !entry.is_empty())
            .collect(),
    }))
}
