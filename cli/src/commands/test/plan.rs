//! Everything about a run that can be known, and be wrong, before a server is started.

use std::path::{Path, PathBuf};

use mcpeak_core::locale::Locale;
use mcpeak_runner::{ResetCommand, ResetError, Suite, load_suite};

use crate::args::test::TestArgs;
use crate::error::CliError;
use crate::settings::capture::CaptureChoice;
use crate::settings::session::{self, SessionChoice, SessionSettings};
use crate::settings::suites;
use crate::settings::target::{self, TargetSettings};
use crate::text;

/// Lines of stderr that are shown where the user does not say.
const STDERR_LINES: usize = 20;

/// A suite and the file it came from.
pub(super) struct LoadedSuite {
    /// As the user named it.
    pub(super) file: String,
    pub(super) suite: Suite,
}

/// What `mcpeak test` will do.
pub(super) struct Plan {
    pub(super) suites: Vec<LoadedSuite>,
    pub(super) target: TargetSettings,
    /// Recording or replaying, if one of them was asked for.
    pub(super) session: Option<SessionSettings>,
    pub(super) capture: CaptureChoice,
    pub(super) reset: Option<ResetCommand>,
    pub(super) determinism: bool,
    pub(super) json: bool,
    pub(super) junit: Option<PathBuf>,
    pub(super) repair_bundle: Option<PathBuf>,
    pub(super) stderr_lines: usize,
    pub(super) locale: Locale,
}

impl Plan {
    /// Checks the arguments and reads the suites. Nothing has been written or started when this fails.
    pub(super) fn resolve(args: &TestArgs, locale: Locale) -> Result<Self, CliError> {
        let text = text::of(locale);
        let target = target::resolve(&args.target, args.stderr_lines.is_some(), locale)?;
        let session = session::resolve(&args.session, &target.secrets, text)?;
        let session = (session.choice != SessionChoice::Pass).then_some(session);
        if session.is_some() && !target.is_process() {
            let (message, hint) = text.session_needs_process();
            return Err(CliError::usage(message, hint));
        }
        if let (Some(session), true) = (&session, args.determinism) {
            let flag = match session.choice {
                SessionChoice::Record(_) => "--record-session",
                SessionChoice::Replay(_) | SessionChoice::Pass => "--session",
            };
            let (message, hint) = text.flags_exclude(flag, "--determinism");
            return Err(CliError::usage(message, hint));
        }
        let reset = args
            .reset_cmd
            .as_deref()
            .map(ResetCommand::parse)
            .transpose()
            .map_err(|error| CliError::usage(error.message(locale), error.hint(locale)))?;
        let suites = load(&args.suites, locale)?;
        distinct_files(args, &suites, locale)?;
        Ok(Self {
            suites,
            target,
            session,
            capture: CaptureChoice::from(&args.capture),
            reset,
            determinism: args.determinism,
            json: args.json,
            junit: args.junit.clone(),
            repair_bundle: args.repair_bundle.clone(),
            stderr_lines: args.stderr_lines.unwrap_or(STDERR_LINES),
            locale,
        })
    }
}

/// Reads every suite; all that are wrong are reported, not only the first.
fn load(paths: &[PathBuf], locale: Locale) -> Result<Vec<LoadedSuite>, CliError> {
    let mut loaded = Vec::new();
    let mut wrong: Option<CliError> = None;
    for path in suites::expand(paths, text::of(locale))? {
        match load_suite(&path) {
            Ok(suite) => loaded.push(LoadedSuite { file: path.display().to_string(), suite }),
            Err(error) => {
                let error = CliError::new(error.code(), error.message(locale), error.hint(locale))
                    .with_details(error.render_issues(locale));
                match &mut wrong {
                    // The first error carries the others as lines below it.
                    Some(first) => first.details.push_str(&error.render(locale)),
                    None => wrong = Some(error),
                }
            }
        }
    }
    wrong.map_or(Ok(loaded), Err)
}

/// A reset command that failed.
pub(super) fn reset_error(error: &ResetError, locale: Locale) -> CliError {
    CliError::new("RESET_COMMAND_FAILED", error.message(locale), error.hint(locale))
}

/// An output over an input, or over another output, would lose one of them.
fn distinct_files(args: &TestArgs, suites: &[LoadedSuite], locale: Locale) -> Result<(), CliError> {
    let identity = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut taken: Vec<(PathBuf, &str)> =
        suites.iter().map(|loaded| (identity(Path::new(&loaded.file)), "SUITE")).collect();
    let files = [
        ("--session", &args.session.session),
        ("--record-session", &args.session.record_session),
        ("--junit", &args.junit),
        ("--repair-bundle", &args.repair_bundle),
    ];
    for (flag, path) in files {
        let Some(path) = path else { continue };
        let own = identity(path);
        // Two outputs into a device are nobody's loss.
        let regular = std::fs::metadata(&own).map_or(true, |present| present.is_file());
        if let Some((_, other)) = taken.iter().find(|(present, _)| regular && *present == own) {
            let (message, hint) = text::of(locale).same_file(&path.display().to_string(), other, flag);
            return Err(CliError::usage(message, hint));
        }
        taken.push((own, flag));
    }
    Ok(())
}
