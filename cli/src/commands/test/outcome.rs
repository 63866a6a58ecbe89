//! What is printed and written after the last pass.

use std::path::Path;

use mcpeak_core::client::ServerFacts;
use mcpeak_core::exit::ExitCode;
use mcpeak_runner::determinism::{self, Determinism, Unavailable};
use mcpeak_runner::report::OutsideFailure;
use mcpeak_runner::{MultiReport, ServerDiagnostics, Style, SuiteReport, repair_bundle};

use super::pass::Passed;
use super::plan::Plan;
use crate::commands::print;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::Finished;
use crate::session_report::{self, MissedIn};
use crate::text;
use crate::whole_file;

/// Who wrote a repair bundle.
const GENERATED_BY: &str = concat!("mcpeak ", env!("CARGO_PKG_VERSION"));

/// A suite that was run.
pub(super) struct SuiteOutcome {
    pub(super) file: String,
    pub(super) first: Passed,
    /// The second pass of `--determinism`; `None` in it: interrupted.
    pub(super) second: Option<Result<Option<Passed>, CliError>>,
}

/// Everything that happened.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) suites: Vec<SuiteOutcome>,
    /// What stopped the suites that are not there.
    pub(super) error: Option<CliError>,
    pub(super) session: Option<Result<Finished, CliError>>,
    pub(super) missed_in: MissedIn,
}

/// Prints the report, writes the files, and chooses the exit code. A file that cannot be written comes after the report, so
/// that nothing of the run is lost.
pub(super) fn report(
    plan: &Plan,
    outcome: Outcome,
    printer: &Printer,
    interrupted: bool,
) -> Result<ExitCode, CliError> {
    let locale = plan.locale;
    let reports = reports(plan, &outcome);
    let mut code =
        if reports.all_passed() && outcome.error.is_none() { ExitCode::Passed } else { ExitCode::Failed };
    let mut errors = Vec::new();
    if let Some(path) = &plan.junit
        && !reports.suites.is_empty()
    {
        errors.extend(write(
            path,
            &reports.to_junit(&outside(plan, &outcome)),
            "JUNIT_WRITE_FAILED",
            "JUnit report",
            plan,
        ));
    }
    if !reports.suites.is_empty() {
        let output = if plan.json {
            reports.to_json()
        } else {
            let misses = match &outcome.session {
                Some(Ok(session)) => session_report::misses(&session.report, &outcome.missed_in, locale),
                Some(Err(_)) | None => String::new(),
            };
            reports.to_human(Style { color: printer.color() }) + &misses
        };
        print(printer, &output, locale)?;
    }
    for suite in &outcome.suites {
        printer.err(&diagnostics(plan, suite));
    }
    errors.extend(bundle(plan, &outcome, printer)?);
    let started = !outcome.suites.is_empty();
    match outcome.session {
        Some(Ok(session)) => {
            if started {
                printer.err(&session_report::summary(&session.report, session.used, locale));
                printer.err(&session_report::seen(&session.seen, locale));
            } else if session.report.saw_calls() {
                // Why it did not start may be in these: a miss, a refused certificate.
                printer.err(&session_report::render(&session.report, session.used, locale));
                printer.err(&session_report::seen(&session.seen, locale));
            }
            if session.report.has_misses() {
                code = code.worse(ExitCode::Failed);
            }
        }
        Some(Err(error)) => errors.push(error),
        None => {}
    }
    errors.extend(outcome.error);
    for error in &errors {
        printer.err(&error.render(locale));
        code = code.worse(error.exit);
    }
    if interrupted {
        printer.err(&format!("{}\n", text::of(locale).interrupted()));
        code = ExitCode::Interrupted;
    }
    Ok(code)
}

/// Misses as failures of their own for JUnit: they fail the run, whatever the cases made of them.
fn outside(plan: &Plan, outcome: &Outcome) -> Vec<OutsideFailure> {
    let Some(Ok(session)) = &outcome.session else { return Vec::new() };
    let message = text::of(plan.locale).miss_in_junit();
    session
        .report
        .missed
        .iter()
        .map(|miss| OutsideFailure {
            name: format!("{} {}", miss.method, miss.url),
            message: format!("{message}: {}", mcpeak_proxy::text::of(plan.locale).reason(&miss.reason)),
            code: "REPLAY_MISS",
        })
        .collect()
}

fn reports(plan: &Plan, outcome: &Outcome) -> MultiReport {
    let extra = match &outcome.session {
        Some(Ok(session)) => {
            let mut value = session_report::value(&session.report, session.used, &outcome.missed_in);
            session_report::add_seen(&mut value, &session.seen);
            Some(("session".to_owned(), value))
        }
        Some(Err(_)) | None => None,
    };
    let suites = outcome
        .suites
        .iter()
        .map(|suite| {
            let mut report = suite.first.run.report();
            report.determinism = compare(plan, suite).and_then(Result::ok);
            SuiteReport { file: suite.file.clone(), report }
        })
        .collect();
    MultiReport { suites, locale: plan.locale, extra }
}

/// What the server's side looked like, where that helps: something failed, or the process ended badly.
fn diagnostics(plan: &Plan, suite: &SuiteOutcome) -> String {
    let facts = &suite.first.closed.facts;
    let block = ServerDiagnostics {
        locale: plan.locale,
        stderr_lines: plan.stderr_lines,
        connect_failed: false,
        masker: suite.first.run.masker(),
    };
    let mut out = String::new();
    if !suite.first.run.report().all_passed() || ended_abnormally(facts) {
        out.extend(block.render(facts).map(|block| format!("\n{block}")));
    }
    if let Some(error) = &suite.first.closed.error {
        let code = format!("RUNNER_FINALIZATION_FAILED/{}", error.code.as_str());
        out.push_str(
            &CliError::new(code, error.message(plan.locale), error.hint(plan.locale)).render(plan.locale),
        );
    }
    if let Some(Err(reason)) = compare(plan, suite) {
        out.push('\n');
        out.push_str(&determinism::render_unavailable(&reason, plan.locale));
    }
    out
}

fn ended_abnormally(facts: &ServerFacts) -> bool {
    match facts {
        ServerFacts::Process { exit, .. } => mcpeak_runner::server_diagnostics::ended_abnormally(*exit),
        ServerFacts::Http { .. } => false,
    }
}

/// The comparison of `--determinism`, or why there is none. `None` where it was not asked for.
fn compare(plan: &Plan, suite: &SuiteOutcome) -> Option<Result<Determinism, Unavailable>> {
    if !plan.determinism {
        return None;
    }
    if suite.first.run.stop_reason().is_some() {
        return Some(Err(Unavailable::FirstPassStopped));
    }
    Some(match suite.second.as_ref()? {
        Ok(Some(second)) => determinism::compare(&suite.first.run, &second.run, plan.reset.is_some()),
        Ok(None) => Err(Unavailable::Aborted),
        Err(error) if error.code == "RESET_COMMAND_FAILED" => {
            Err(Unavailable::ResetFailed(error.message.clone()))
        }
        Err(error) => Err(Unavailable::StartFailed(error.message.clone())),
    })
}

/// Writes the repair bundle, or says that there is nothing to repair.
fn bundle(plan: &Plan, outcome: &Outcome, printer: &Printer) -> Result<Option<CliError>, CliError> {
    let Some(path) = &plan.repair_bundle else { return Ok(None) };
    let bundle = outcome
        .suites
        .iter()
        .find_map(|suite| repair_bundle::bundle(&suite.first.run, &suite.first.closed.facts, GENERATED_BY));
    if let Some(bundle) = bundle {
        return Ok(write(path, &bundle.to_json(), "REPAIR_BUNDLE_WRITE_FAILED", "repair bundle", plan));
    }
    print(printer, &format!("{}\n", text::of(plan.locale).no_failures_to_bundle()), plan.locale)?;
    Ok(None)
}

/// Writes a report.
fn write(path: &Path, contents: &str, code: &str, what: &str, plan: &Plan) -> Option<CliError> {
    whole_file::write(path, contents.as_bytes()).err().map(|error| {
        let (message, hint) =
            text::of(plan.locale).file_unwritable(what, &path.display().to_string(), &error.to_string());
        CliError::new(code, message, hint)
    })
}
