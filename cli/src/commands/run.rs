//! `mcpeak run`: any command with its outbound calls recorded or replayed.

use std::io::IsTerminal as _;
use std::process::ExitStatus;
use std::time::Duration;

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio_util::sync::CancellationToken;

use crate::args::operation::RunArgs;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::{Finished, Recording};
use crate::session_report;
use crate::settings::capture::CaptureChoice;
use crate::settings::environment::named;
use crate::settings::session::{self, SessionChoice};
use crate::shutdown;
use crate::text;

/// How long a command may take to end after the signal before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// Runs the command with inherited stdio and gives its exit code; 1 where the command succeeded and a call had no recording.
pub(crate) async fn execute(
    args: &RunArgs,
    locale: Locale,
    printer: &Printer,
    interrupted: &CancellationToken,
) -> Result<u8, CliError> {
    let text = text::of(locale);
    let secrets = named(&args.env, text)?;
    let settings = session::resolve(&args.session, &secrets, text)?;
    if settings.choice == SessionChoice::Pass {
        let (message, hint) = text.run_needs_session();
        return Err(CliError::usage(message, hint));
    }
    let recording = Recording::start(&settings, &CaptureChoice::from(&args.capture), locale, printer).await?;
    let status = child(args, &recording, locale, interrupted).await;
    let finished = recording.finish(locale).await;
    let status = status?;
    let Finished { report, used, seen } = finished?;
    printer.err(&session_report::render(&report, used, locale));
    printer.err(&session_report::seen(&seen, locale));
    let mut code = code_of(status);
    if code == 0 && report.has_misses() {
        code = ExitCode::Failed.code();
    }
    Ok(if interrupted.is_cancelled() { ExitCode::Interrupted.code() } else { code })
}

async fn child(
    args: &RunArgs,
    recording: &Recording,
    locale: Locale,
    interrupted: &CancellationToken,
) -> Result<ExitStatus, CliError> {
    let text = text::of(locale);
    let Some((executable, rest)) = args.command.split_first() else {
        let (message, hint) = text.no_target();
        return Err(CliError::usage(message, hint));
    };
    let variables = recording.variables(std::env::var("JAVA_TOOL_OPTIONS").ok().as_deref());
    let mut command = tokio::process::Command::new(executable);
    command.args(rest).kill_on_drop(true);
    // On a terminal the whole foreground group hears of Ctrl-C; elsewhere the command gets a group of its own, so that a signal
    // to us can be handed on to everything that it started.
    let own_group = !std::io::stdin().is_terminal();
    if own_group {
        command.process_group(0);
    }
    for name in &variables.unset {
        command.env_remove(name);
    }
    for (name, value) in &variables.set {
        command.env(name, value);
    }
    let failed = |error: std::io::Error| {
        let (message, hint) = text.command_start_failed(executable, &error.to_string());
        CliError::new("COMMAND_START_FAILED", message, hint)
    };
    let mut child = recording.launcher().launch(command).map_err(failed)?;
    tokio::select! {
        status = child.wait() => return status.map_err(failed),
        () = interrupted.cancelled() => {}
    }
    let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) else {
        return child.wait().await.map_err(failed);
    };
    let signal = shutdown::received();
    // What a terminal sends reaches its whole foreground group, the command with us; a second one would cut its end short.
    let heard = !own_group && matches!(signal, Signal::INT | Signal::HUP);
    // It may have ended meanwhile, so a failure to signal it is none.
    let _ = match (own_group, heard) {
        (true, _) => kill_process_group(pid, signal),
        (false, true) => Ok(()),
        (false, false) => kill_process(pid, signal),
    };
    if let Ok(status) = tokio::time::timeout(GRACE, child.wait()).await {
        return status.map_err(failed);
    }
    let _ = if own_group { kill_process_group(pid, Signal::KILL) } else { kill_process(pid, Signal::KILL) };
    child.wait().await.map_err(failed)
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
