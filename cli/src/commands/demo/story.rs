//! The steps of the demonstration: record, replay with the API gone, a changed call explained.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use clap::Parser as _;
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use tokio_util::sync::CancellationToken;

use super::api::Api;
use super::server::API_HOST;
use crate::args::{Cli, Command};
use crate::commands;
use crate::error::CliError;
use crate::printer::{Captured, Printer};
use crate::text;

const SUITE: &str = include_str!("weather.suite.json");
const SUITE_FILE: &str = "weather.suite.json";
const CHANGED_FILE: &str = "changed.suite.json";
const SESSION_FILE: &str = "weather.session.json";

/// A step that did not go as it must.
const FAILED: &str = "DEMO_FAILED";

/// Runs the steps; 0 only if each did what it says.
pub(super) async fn tell(
    keep: Option<&Path>,
    locale: Locale,
    printer: &Printer,
    interrupted: &CancellationToken,
) -> Result<ExitCode, CliError> {
    let (folder, _temporary) = folder(keep, locale)?;
    write(&folder, SUITE_FILE, SUITE, locale)?;
    write(&folder, CHANGED_FILE, &SUITE.replace("Seoul", "Busan"), locale)?;
    let api = Api::start(API_HOST).await.map_err(|error| failed(&error.to_string(), locale))?;
    write(&folder, "api-ca.pem", &api.ca_pem, locale)?;
    let stage = Stage { folder, locale, interrupted, resolve: format!("{API_HOST}:443:{}", api.address) };
    let text = text::of(locale);

    commands::print(printer, &text.demo_opening(API_HOST), locale)?;
    let recorded = stage.test(SUITE_FILE, &["--record-session", SESSION_FILE]).await?;
    let asked = api.requests();
    show(printer, &text.demo_record(), &recorded, &[text.demo_api_asked(asked)], locale)?;
    expect(recorded.code == ExitCode::Passed && asked > 0, "recording", locale)?;

    api.stop().await;
    let replayed = stage.test(SUITE_FILE, &["--session", SESSION_FILE]).await?;
    let same = recorded.output.stdout == replayed.output.stdout;
    show(printer, &text.demo_replay(), &replayed, &[text.demo_same(same)], locale)?;
    expect(replayed.code == ExitCode::Passed && same, "replay", locale)?;

    let changed = stage.test(CHANGED_FILE, &["--session", SESSION_FILE]).await?;
    show(printer, &text.demo_changed(), &changed, &[text.demo_exit(changed.code.code())], locale)?;
    expect(changed.code == ExitCode::Failed, "changed call", locale)?;

    let kept = keep.map(|folder| folder.display().to_string());
    commands::print(printer, &text.demo_closing(kept.as_deref()), locale)?;
    Ok(ExitCode::Passed)
}

/// What every run of the demonstration shares.
struct Stage<'a> {
    folder: PathBuf,
    locale: Locale,
    interrupted: &'a CancellationToken,
    resolve: String,
}

struct Shown {
    code: ExitCode,
    output: Captured,
    /// The command as the user would type it for a server of their own.
    typed: String,
}

impl Stage<'_> {
    async fn test(&self, suite: &str, session: &[&str; 2]) -> Result<Shown, CliError> {
        let executable = std::env::current_exe().map_err(|error| failed(&error.to_string(), self.locale))?;
        let path = |name: &str| self.folder.join(name).display().to_string();
        let mut line = vec!["mcpeak".to_owned(), "test".to_owned(), path(suite)];
        line.extend([session[0].to_owned(), path(session[1]), "--force".to_owned()]);
        line.extend([
            "--upstream-ca".to_owned(),
            path("api-ca.pem"),
            "--resolve".to_owned(),
            self.resolve.clone(),
        ]);
        line.extend([
            "--".to_owned(),
            executable.display().to_string(),
            "demo".to_owned(),
            "--serve".to_owned(),
        ]);
        let Ok(Cli { command: Command::Test(args), .. }) = Cli::try_parse_from(&line) else {
            return Err(failed("its own command line", self.locale));
        };
        let (printer, captured) = Printer::captured();
        let code = commands::test::execute(&args, self.locale, &printer, self.interrupted).await;
        let mut output = captured.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // What the user sees names files as they typed them.
        let folder = format!("{}{}", self.folder.display(), std::path::MAIN_SEPARATOR);
        output.stdout = output.stdout.replace(&folder, "");
        output.stderr = output.stderr.replace(&folder, "");
        let typed = format!("mcpeak test {suite} {} {} -- ./your-server", session[0], session[1]);
        Ok(Shown { code: code?, output, typed })
    }
}

fn show(
    printer: &Printer,
    words: &str,
    run: &Shown,
    after: &[String],
    locale: Locale,
) -> Result<(), CliError> {
    let mut page = format!("{words}\n\n  $ {}\n\n", run.typed);
    for stream in [&run.output.stdout, &run.output.stderr] {
        for line in stream.lines() {
            page.push_str(format!("  │ {line}").trim_end());
            page.push('\n');
        }
    }
    page.push('\n');
    for line in after {
        page.push_str("  → ");
        page.push_str(line);
        page.push('\n');
    }
    page.push('\n');
    commands::print(printer, &page, locale)
}

fn folder(keep: Option<&Path>, locale: Locale) -> Result<(PathBuf, Option<tempfile::TempDir>), CliError> {
    let unwritable = |path: &Path, error: &std::io::Error| {
        let (message, hint) =
            text::of(locale).file_unwritable("folder", &path.display().to_string(), &error.to_string());
        CliError::new(FAILED, message, hint)
    };
    if let Some(path) = keep {
        std::fs::create_dir_all(path).map_err(|error| unwritable(path, &error))?;
        return Ok((path.to_owned(), None));
    }
    let temporary = tempfile::Builder::new()
        .prefix("mcpeak-demo-")
        .tempdir()
        .map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
    Ok((temporary.path().to_owned(), Some(temporary)))
}

fn write(folder: &Path, name: &str, contents: &str, locale: Locale) -> Result<(), CliError> {
    let path = folder.join(name);
    std::fs::write(&path, contents).map_err(|error| {
        let (message, hint) =
            text::of(locale).file_unwritable("file", &path.display().to_string(), &error.to_string());
        CliError::new(FAILED, message, hint)
    })
}

fn expect(held: bool, step: &str, locale: Locale) -> Result<(), CliError> {
    if held { Ok(()) } else { Err(failed(step, locale)) }
}

fn failed(what: &str, locale: Locale) -> CliError {
    let (message, hint) = text::of(locale).internal(what);
    CliError::new(FAILED, message, hint)
}
