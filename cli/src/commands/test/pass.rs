//! One pass of one suite: reset, connect, run, close.

use std::sync::Arc;

use mcpeak_core::client::{
    Closed, ConnectError, ConnectOptions, ConnectProgress, Connection, EraChoice, connect,
};
use mcpeak_core::process::{Environment, Launch, Unwatched};
use mcpeak_runner::reset::ResetErrorKind;
use mcpeak_runner::run::{Event, EventKind, Run, RunOptions, run_suite};
use mcpeak_runner::{Masker, ServerDiagnostics};
use tokio_util::sync::CancellationToken;

use super::plan::{LoadedSuite, Plan, reset_error};
use crate::error::CliError;
use crate::printer::{Printer, Progress};
use crate::recording::Recording;
use crate::session_report::MissedIn;
use crate::settings::target::values;
use crate::text;

/// A pass that came to its end.
pub(super) struct Passed {
    pub(super) run: Run,
    pub(super) closed: Closed,
}

/// What every pass of a call shares.
pub(super) struct Stage<'a> {
    pub(super) plan: &'a Plan,
    pub(super) recording: Option<&'a Recording>,
    pub(super) printer: &'a Printer,
    pub(super) interrupted: &'a CancellationToken,
    pub(super) missed_in: &'a MissedIn,
}

impl Stage<'_> {
    /// Runs a suite once in a fresh server. `None` if the interruption came before the server was ready.
    pub(super) async fn pass(&self, loaded: &LoadedSuite) -> Result<Option<Passed>, CliError> {
        if let Some(command) = &self.plan.reset {
            match command.run(self.interrupted).await {
                Ok(()) => {}
                Err(error) if error.kind == ResetErrorKind::Interrupted => return Ok(None),
                Err(error) => return Err(reset_error(&error, self.plan.locale)),
            }
        }
        let progress = Arc::new(self.printer.progress(text::of(self.plan.locale).starting_server()));
        let connection = tokio::select! {
            connected = connect(&self.plan.target.target, self.options(&progress)) => {
                connected.map_err(|error| self.connect_error(&error))?
            }
            () = self.interrupted.cancelled() => return Ok(None),
        };
        let run = self.run(loaded, connection.as_ref(), &progress).await;
        let closed = connection.close().await;
        Ok(Some(Passed { run, closed }))
    }

    async fn run(&self, loaded: &LoadedSuite, connection: &dyn Connection, progress: &Progress) -> Run {
        let text = text::of(self.plan.locale);
        let options = RunOptions {
            locale: self.plan.locale,
            sensitive: values(&self.plan.target.secrets),
            cancel: self.interrupted.clone(),
            ..RunOptions::default()
        };
        let mut total = 0;
        let mut sink = |event: &Event| match &event.kind {
            EventKind::SuiteStarted { cases, .. } => total = *cases,
            EventKind::CaseStarted { case_id, index, .. } => {
                progress.say(text.running_case(&loaded.file, case_id, *index, total));
            }
            EventKind::CaseCompleted { case_id, .. } => {
                if let Some(recording) = self.recording {
                    self.missed_in.case_done(case_id, &recording.missed());
                }
            }
            _ => {}
        };
        run_suite(&loaded.suite, connection, &options, &mut sink).await
    }

    fn options(&self, progress: &Arc<Progress>) -> ConnectOptions {
        let target = &self.plan.target;
        let (locale, progress) = (self.plan.locale, progress.clone());
        let wiring = self
            .recording
            .map(|recording| {
                let java = target
                    .environment
                    .iter()
                    .find(|variable| variable.name == "JAVA_TOOL_OPTIONS")
                    .map(|variable| variable.value.expose_secret().as_str());
                recording.variables(java).set
            })
            .unwrap_or_default();
        ConnectOptions {
            era: match target.era.as_str() {
                "legacy" => EraChoice::Legacy,
                "modern" => EraChoice::Modern,
                _ => EraChoice::Auto,
            },
            connect_timeout: target.connect_timeout,
            environment: Environment {
                named: target
                    .environment
                    .iter()
                    .map(|variable| (variable.name.clone(), variable.value.clone()))
                    .collect(),
                wiring,
            },
            launcher: self
                .recording
                .map_or_else(|| Arc::new(Unwatched) as Arc<dyn Launch>, Recording::launcher),
            progress: Some(Arc::new(move |step| {
                if let ConnectProgress::WaitingFor { method } = step {
                    progress.say(text::of(locale).waiting_for(method));
                }
            })),
            ..ConnectOptions::default()
        }
    }

    fn connect_error(&self, error: &ConnectError) -> CliError {
        let locale = self.plan.locale;
        let masker = Masker::new(&values(&self.plan.target.secrets));
        let block = ServerDiagnostics {
            locale,
            stderr_lines: self.plan.stderr_lines,
            connect_failed: true,
            masker: &masker,
        };
        let details = block.render(&error.facts).map(|block| format!("\n{block}")).unwrap_or_default();
        CliError::new(
            format!("MCP_CONNECTION_FAILED/{}", error.error.code.as_str()),
            masker.text(&error.error.message(locale)),
            error.error.hint(locale),
        )
        .with_details(details)
    }
}
