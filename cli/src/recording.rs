//! The proxy of a run: started before the server, finished after it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_core::process::{Launch, Unwatched};
use mcpeak_proxy::matching::MissReport;
use mcpeak_proxy::report::SessionReport;
use mcpeak_proxy::session::{Recorder, Replay, ReplayOptions};
use mcpeak_proxy::settings::ReverseRule;
use mcpeak_proxy::{Authority, BoundProxy, Ingress, Mode, Proxy, ProxyError, ProxyHandle, ProxySettings};
use mcpeak_sandbox::capture::{Capture, CaptureReport};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::args::capture::CaptureArg;
use crate::error::CliError;
use crate::ingress::trust::{self, TrustFiles};
use crate::ingress::variables::{self, Ingress as Lead, ProxyEndpoint, Variables};
use crate::printer::Printer;
use crate::session_report::IngressUsed;
use crate::settings::capture::CaptureChoice;
use crate::settings::session::{SessionChoice, SessionSettings};
use crate::text;

/// A running proxy and the files that make its clients trust it.
pub(crate) struct Recording {
    address: SocketAddr,
    trust: TrustFiles,
    handle: ProxyHandle,
    /// The supervisor, where sockets are captured.
    capture: Option<Capture>,
    used: IngressUsed,
    stop: CancellationToken,
    task: JoinHandle<Result<SessionReport, ProxyError>>,
    // The trust files go away with the run, unless the authority is a kept one.
    _folder: Option<tempfile::TempDir>,
}

impl Recording {
    /// Binds the proxy on a free loopback port and serves. Everything that can be wrong with the session file is found here,
    /// before the server is started.
    pub(crate) async fn start(
        settings: &SessionSettings,
        capture: &CaptureChoice,
        locale: Locale,
        printer: &Printer,
    ) -> Result<Self, CliError> {
        let ingress = Arc::new(OnceLock::new());
        // Before the session: a recording is not begun where the capture that was demanded does not work.
        let (capture, used) = start_capture(capture, Arc::clone(&ingress), locale, printer).await?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (bound, authority) = bind(settings, Listen::from(listen), locale).await?;
        let (dir, folder) = trust_folder(settings.ca_dir.as_deref(), locale)?;
        let trust = trust::write(&dir, authority.certificate_pem(), &users_own_roots())
            .map_err(|error| unwritable("trust files", &dir, &error, locale))?;
        let (address, handle) = (bound.address(), bound.handle());
        // It is set here only.
        let _ = ingress.set(bound.ingress());
        let stop = CancellationToken::new();
        let task = tokio::spawn(bound.serve(stop.clone()));
        Ok(Self { address, trust, handle, capture, used, stop, task, _folder: folder })
    }

    /// The variables for a process whose calls shall come here.
    pub(crate) fn variables(&self, java_options: Option<&str>) -> Variables {
        let lead = match self.used {
            IngressUsed::Sockets => Lead::Sockets,
            IngressUsed::Environment => Lead::Proxy(ProxyEndpoint::from(self.address)),
            IngressUsed::None => Lead::None,
        };
        variables::all(&lead, &self.trust, java_options)
    }

    /// How calls are led here.
    pub(crate) fn used(&self) -> IngressUsed {
        self.used
    }

    /// Who starts a process whose calls shall come here.
    pub(crate) fn launcher(&self) -> Arc<dyn Launch> {
        self.capture.as_ref().map_or_else(|| Arc::new(Unwatched) as Arc<dyn Launch>, Capture::launcher)
    }

    /// Calls without a recording until now.
    pub(crate) fn missed(&self) -> Vec<MissReport> {
        self.handle.report().missed
    }

    /// Stops the proxy and completes the session file.
    pub(crate) async fn finish(self, locale: Locale) -> Result<Finished, CliError> {
        let seen = match self.capture {
            Some(capture) => capture.stop().await,
            None => CaptureReport::default(),
        };
        self.stop.cancel();
        match self.task.await {
            Ok(Ok(report)) => Ok(Finished { report, used: self.used, seen }),
            Ok(Err(error)) => Err(proxy_error(&error, locale)),
            Err(error) => Err(internal(&error, locale)),
        }
    }
}

/// Where a proxy listens.
pub(crate) struct Listen {
    /// For clients that know it as their proxy.
    pub(crate) address: SocketAddr,
    /// For clients that take it for an origin.
    pub(crate) reverse: Vec<ReverseRule>,
}

impl From<SocketAddr> for Listen {
    fn from(address: SocketAddr) -> Self {
        Self { address, reverse: Vec::new() }
    }
}

/// What a run leaves behind.
pub(crate) struct Finished {
    pub(crate) report: SessionReport,
    pub(crate) used: IngressUsed,
    /// What the supervisor saw beside the calls.
    pub(crate) seen: CaptureReport,
}

/// Starts the supervisor where it is wanted. Connections that are led here before the proxy serves are dropped: no process has been
/// started by then.
async fn start_capture(
    choice: &CaptureChoice,
    ingress: Arc<OnceLock<Ingress>>,
    locale: Locale,
    printer: &Printer,
) -> Result<(Option<Capture>, IngressUsed), CliError> {
    let demanded = match choice.way {
        CaptureArg::Off => return Ok((None, IngressUsed::None)),
        CaptureArg::Env => return Ok((None, IngressUsed::Environment)),
        CaptureArg::Auto => false,
        CaptureArg::Socket => true,
    };
    let sink = Arc::new(move |accepted| {
        if let Some(ingress) = ingress.get() {
            ingress.accept(accepted);
        }
    });
    match Capture::start(choice.settings.clone(), sink).await {
        Ok(capture) => Ok((Some(capture), IngressUsed::Sockets)),
        Err(error) if demanded => {
            let (message, hint) = text::of(locale).capture_unavailable(&error);
            Err(CliError::new("CAPTURE_UNAVAILABLE", message, hint).with_exit(ExitCode::CheckUnavailable))
        }
        Err(error) => {
            printer.err(&format!("{}\n", text::of(locale).capture_fallback(&error)));
            Ok((None, IngressUsed::Environment))
        }
    }
}

/// Loads or creates the session and binds the listener.
pub(crate) async fn bind(
    settings: &SessionSettings,
    listen: Listen,
    locale: Locale,
) -> Result<(BoundProxy, Authority), CliError> {
    let (authority, mode) = match settings.choice {
        // Both take their time: the one seeds the cryptography, the other reads the recordings.
        SessionChoice::Replay(_) => tokio::join!(authority(settings, locale), mode(settings, locale)),
        // A recorder begins its journal, and nothing is to be begun that cannot go on.
        SessionChoice::Record(_) | SessionChoice::Pass => {
            let authority = authority(settings, locale).await?;
            (Ok(authority), mode(settings, locale).await)
        }
    };
    let (authority, mode) = (authority?, mode?);
    let mut proxy = ProxySettings::new(mode, authority.clone());
    proxy.listen = listen.address;
    proxy.reverse = listen.reverse;
    proxy.tunnel.clone_from(&settings.tunnel);
    proxy.strict = settings.strict;
    let bound = Proxy::bind(proxy).await.map_err(|error| proxy_error(&error, locale))?;
    Ok((bound, authority))
}

async fn authority(settings: &SessionSettings, locale: Locale) -> Result<Authority, CliError> {
    let (folder, seed) = (settings.ca_dir.clone(), settings.ca_seed.clone());
    let is_temporary = folder.is_none();
    let made = tokio::task::spawn_blocking(move || match (seed, folder) {
        (Some(seed), folder) => Authority::from_seed(&seed, folder.as_deref()),
        (None, Some(folder)) => Authority::open_or_create(&folder),
        (None, None) => Authority::ephemeral(),
    });
    match made.await {
        Ok(Ok(authority)) => Ok(authority),
        // Where nothing can be written at all, that is the reason, and no advice about a folder of the user's would help.
        Ok(Err(error)) => Err(match tempfile::tempfile() {
            Err(why) if is_temporary => {
                unwritable("folder for temporary files (TMPDIR)", &std::env::temp_dir(), &why, locale)
            }
            Ok(_) | Err(_) => proxy_error(&ProxyError::from(error), locale),
        }),
        Err(error) => Err(internal(&error, locale)),
    }
}

async fn mode(settings: &SessionSettings, locale: Locale) -> Result<Mode, CliError> {
    let settings = settings.clone();
    let loaded = tokio::task::spawn_blocking(move || match settings.choice {
        SessionChoice::Replay(path) => {
            let options = ReplayOptions {
                repeat: settings.repeat,
                match_headers: settings.match_headers,
                rules: Vec::new(),
                record_command: None,
                timing: settings.timing,
            };
            Replay::load(&path, settings.redactor, options).map(Mode::Replay)
        }
        SessionChoice::Record(path) => {
            Recorder::create_with_fields(&path, settings.force, settings.redactor, settings.match_headers)
                .map(|recorder| Mode::Record { recorder, upstream: settings.upstream })
        }
        SessionChoice::Pass => Ok(Mode::Pass { upstream: settings.upstream }),
    })
    .await;
    match loaded {
        Ok(Ok(mode)) => Ok(mode),
        Ok(Err(error)) => Err(proxy_error(&ProxyError::from(error), locale)),
        Err(error) => Err(internal(&error, locale)),
    }
}

/// A panic in a task.
fn internal(error: &JoinError, locale: Locale) -> CliError {
    let (message, hint) = text::of(locale).internal(&error.to_string());
    CliError::new("CLI_INTERNAL_ERROR", message, hint)
}

/// An error of the proxy as a person sees it.
pub(crate) fn proxy_error(error: &ProxyError, locale: Locale) -> CliError {
    CliError::new(error.code(), error.message(locale), error.hint(locale))
}

fn trust_folder(
    ca_dir: Option<&Path>,
    locale: Locale,
) -> Result<(PathBuf, Option<tempfile::TempDir>), CliError> {
    if let Some(dir) = ca_dir {
        return Ok((dir.to_owned(), None));
    }
    let folder = tempfile::Builder::new()
        .prefix("mcpeak-trust-")
        .tempdir()
        .map_err(|error| unwritable("trust files", &std::env::temp_dir(), &error, locale))?;
    Ok((folder.path().to_owned(), Some(folder)))
}

fn unwritable(what: &str, path: &Path, error: &std::io::Error, locale: Locale) -> CliError {
    let (message, hint) =
        text::of(locale).file_unwritable(what, &path.display().to_string(), &error.to_string());
    CliError::new("TRUST_WRITE_FAILED", message, hint)
}

/// PEM files that the user has set for runtimes which add to their own roots.
pub(crate) fn users_own_roots() -> Vec<PathBuf> {
    trust::USERS_OWN
        .iter()
        .filter_map(std::env::var_os)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .collect()
}
