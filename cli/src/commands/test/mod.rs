//! `mcpeak test`: runs suites, with the server's outbound calls recorded or replayed where asked for.
//!
//! | module | what it holds |
//! |---|---|
//! | [`plan`] | what is known before a server is started |
//! | [`pass`] | one pass of one suite |
//! | [`outcome`] | reports and files after the last pass |

mod outcome;
mod pass;
mod plan;

use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use tokio_util::sync::CancellationToken;

use crate::args::test::TestArgs;
use crate::error::CliError;
use crate::printer::Printer;
use crate::recording::Recording;
use crate::session_report::MissedIn;
use outcome::{Outcome, SuiteOutcome};
use pass::Stage;
use plan::Plan;

/// Runs every suite in order, each in a server of its own, and reports.
pub(crate) async fn execute(
    args: &TestArgs,
    locale: Locale,
    printer: &Printer,
    interrupted: &CancellationToken,
) -> Result<ExitCode, CliError> {
    let plan = Plan::resolve(args, locale)?;
    let recording = match &plan.session {
        Some(settings) => Some(Recording::start(settings, &plan.capture, locale, printer).await?),
        None => None,
    };
    let missed_in = MissedIn::default();
    let stage =
        Stage { plan: &plan, recording: recording.as_ref(), printer, interrupted, missed_in: &missed_in };
    let mut outcome = run_all(&stage).await;
    outcome.missed_in = missed_in;
    if let Some(recording) = recording {
        outcome.session = Some(recording.finish(locale).await);
    }
    outcome::report(&plan, outcome, printer, interrupted.is_cancelled())
}

/// Stops at the first suite whose server could not be started: the next one would start the same server.
async fn run_all(stage: &Stage<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    for loaded in &stage.plan.suites {
        match stage.pass(loaded).await {
            Ok(Some(first)) => {
                let stopped = first.run.stop_reason().is_some();
                let second =
                    if stage.plan.determinism && !stopped { Some(stage.pass(loaded).await) } else { None };
                outcome.suites.push(SuiteOutcome { file: loaded.file.clone(), first, second });
            }
            Ok(None) => break,
            Err(error) => {
                outcome.error = Some(error);
                break;
            }
        }
        if stage.interrupted.is_cancelled() {
            break;
        }
    }
    outcome
}
