//! `mcpeak doctor`: shows on the machine at hand that capture works, and which runtimes trust the proxy.
//!
//! Every check is the real thing: a replaying proxy, a supervisor, and for each runtime that is installed a program of that
//! runtime which asks for an `https` URL that only the recording knows.
//!
//! | module | what it holds |
//! |---|---|
//! | [`runtimes`] | runtimes, and the program that each is tried with |
//! | [`trial`] | one trial |

mod runtimes;
mod trial;

use std::path::{Path, PathBuf};

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use mcpeak_core::redact::Redactor;
use mcpeak_proxy::matching::Repeat;
use mcpeak_proxy::settings::UpstreamSettings;
use tokio_util::sync::CancellationToken;

use crate::args::operation::DoctorArgs;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::{Finished, Recording};
use crate::session_report::IngressUsed;
use crate::settings::capture::CaptureChoice;
use crate::settings::session::{SessionChoice, SessionSettings};
use crate::text;
use runtimes::RUNTIMES;
use trial::{Trial, Verdict};

/// What the trials ask for: the recording, and nothing else in the world, has it.
const HOST: &str = "doctor.mcpeak.example";
/// What a trial prints when it was answered by us.
const ANSWER: &str = "mcpeak-doctor-answer";

/// Makes every check and prints one line each. Fails if a check does.
pub(crate) async fn execute(
    args: &DoctorArgs,
    locale: Locale,
    printer: &Printer,
    interrupted: &CancellationToken,
) -> Result<ExitCode, CliError> {
    let text = text::of(locale);
    let folder = tempfile::Builder::new()
        .prefix("mcpeak-doctor-")
        .tempdir()
        .map_err(|error| unwritable(&std::env::temp_dir(), &error, locale))?;
    let session = folder.path().join("doctor.session.json");
    std::fs::write(&session, recording()).map_err(|error| unwritable(&session, &error, locale))?;
    let choice = CaptureChoice::from(&args.capture);
    // The reason for a fallback is printed by it.
    let recording = Recording::start(&settings(session), &choice, locale, printer).await?;
    let mut failed = 0;
    let mut say = |mark: &str, line: String| -> Result<(), CliError> {
        failed += u32::from(mark == "✗");
        super::print(printer, &format!("{}\n", terminal(&format!("{mark} {line}"), Keep::Nothing)), locale)
    };
    match recording.used() {
        IngressUsed::Sockets => say("✓", text.doctor_sockets())?,
        IngressUsed::Environment => say("✗", text.doctor_variables())?,
        IngressUsed::None => say("–", text.doctor_off())?,
    }
    let variables = recording.variables(std::env::var("JAVA_TOOL_OPTIONS").ok().as_deref());
    for runtime in RUNTIMES {
        if interrupted.is_cancelled() {
            break;
        }
        let Some(executable) = find(runtime.program) else { continue };
        let trial = Trial { runtime, executable: &executable, folder: folder.path(), variables: &variables };
        let version = trial.version().await;
        let name = format!("{} ({version})", runtime.name);
        match trial.run(recording.launcher().as_ref()).await {
            Verdict::Answered => say("✓", text.doctor_trusts(&name))?,
            Verdict::Missing => {}
            Verdict::Failed(words) => say("✗", text.doctor_fails(&name, &words))?,
        }
    }
    let Finished { report, .. } = recording.finish(locale).await?;
    if report.upstream_connections > 0 {
        say("✗", text.session_upstream(report.upstream_connections))?;
    }
    Ok(match (interrupted.is_cancelled(), failed) {
        (true, _) => ExitCode::Interrupted,
        (false, 0) => ExitCode::Passed,
        (false, _) => ExitCode::Failed,
    })
}

/// Answers for whoever asks: a page, and an empty repository for git.
fn recording() -> String {
    let exchange = |method: &str, path: &str, kind: &str, text: &str| {
        serde_json::json!({
            "request": { "method": method, "url": format!("https://{HOST}{path}"), "headers": [], "body": null },
            "response": {
                "status": 200,
                "reason": "OK",
                "headers": [["content-type", kind], ["content-length", text.len().to_string()]],
                "framing": "content-length",
                "body": { "text": text },
            },
        })
    };
    let page = format!("{ANSWER}\n");
    let repository = "001e# service=git-upload-pack\n00000000";
    let git = "application/x-git-upload-pack-advertisement";
    let session = serde_json::json!({
        "format": "mcpeak-session",
        "version": 1,
        "rules": [],
        "exchanges": [
            exchange("GET", "/", "text/plain", &page),
            exchange("GET", "/repository/info/refs?service=git-upload-pack", git, repository),
        ],
    });
    session.to_string()
}

fn settings(session: PathBuf) -> SessionSettings {
    SessionSettings {
        choice: SessionChoice::Replay(session),
        force: false,
        repeat: Repeat::Last,
        match_headers: Vec::new(),
        ca_dir: None,
        ca_seed: None,
        upstream: UpstreamSettings::default(),
        tunnel: Vec::new(),
        strict: false,
        redactor: Redactor::new(std::iter::empty()),
    }
}

/// The first file of that name in a folder of `PATH` that may be executed.
fn find(program: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| {
        std::fs::metadata(file).is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    })
}

fn unwritable(path: &Path, error: &std::io::Error, locale: Locale) -> CliError {
    let (message, hint) =
        text::of(locale).file_unwritable("doctor", &path.display().to_string(), &error.to_string());
    CliError::new("DOCTOR_WRITE_FAILED", message, hint)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn programs_are_found_on_path() {
        assert!(find("sh").is_some());
        assert!(find("no-such-program-here").is_none());
    }
}
