//! From the process's arguments to its exit code.

use std::process::ExitCode as ProcessExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;
use tracing_subscriber::EnvFilter;

use crate::args::{Cli, Command};
use crate::commands;
use crate::error::CliError;
use crate::printer::Printer;
use crate::settings::environment;
use crate::shutdown;
use crate::text;

/// Runs the command that the process's arguments name.
pub fn run() -> ProcessExitCode {
    let printer = Printer::process();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ProcessExitCode::from(usage(&error, &printer)),
    };
    let locale = environment::locale(cli.locale.as_deref());
    log_to_stderr();
    // The provider seeds itself at first use; done now, no connection waits for it. A second installation is no error.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| internal(&error, locale))
        .and_then(|runtime| {
            let outcome = runtime.block_on(dispatch(cli.command, locale, &printer));
            // A blocking read of stdin must not hold up the exit.
            runtime.shutdown_background();
            outcome
        });
    let code = outcome.unwrap_or_else(|error| {
        printer.err(&error.render(locale));
        error.exit.code()
    });
    ProcessExitCode::from(code)
}

async fn dispatch(command: Command, locale: Locale, printer: &Printer) -> Result<u8, CliError> {
    let interrupted = shutdown::token().map_err(|error| internal(&error, locale))?;
    shutdown::bury_adopted().map_err(|error| internal(&error, locale))?;
    let code = match command {
        Command::Test(args) => commands::test::execute(&args, locale, printer, &interrupted).await?,
        Command::Run(args) => return commands::run::execute(&args, locale, printer, &interrupted).await,
        Command::Proxy(args) => commands::proxy::execute(&args, locale, printer, &interrupted).await?,
        Command::Doctor(args) => commands::doctor::execute(&args, locale, printer, &interrupted).await?,
        Command::Demo(args) => commands::demo::execute(&args, locale, printer, &interrupted).await?,
        Command::Healthcheck(args) => commands::healthcheck::execute(&args, locale).await?,
        Command::Ca(args) => commands::ca::execute(&args, locale, printer)?,
        Command::Env(args) => commands::env::execute(&args, locale, printer)?,
        Command::Session(command) => commands::session::execute(&command, locale, printer).await?,
        Command::Completions(args) => commands::completions::execute(&args, locale, printer)?,
    };
    Ok(code.code())
}

/// Help and version go to stdout with code 0; everything else is a usage error of ours, with code 1 instead of clap's 2.
fn usage(error: &clap::Error, printer: &Printer) -> u8 {
    let rendered =
        if printer.color() { error.render().ansi().to_string() } else { error.render().to_string() };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match printer.out(&rendered) {
            Ok(()) => ExitCode::Passed.code(),
            Err(_) => ExitCode::Failed.code(),
        },
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            printer.err(&rendered);
            ExitCode::Failed.code()
        }
        _ => {
            let locale = environment::locale(locale_argument().as_deref());
            let plain = error.render().to_string();
            let message = plain
                .strip_prefix("error: ")
                .unwrap_or(&plain)
                .lines()
                // Clap also explains how to pass the misspelt flag as a value, which nobody wants.
                .filter(|line| !line.contains(" as a value, use '"))
                .collect::<Vec<_>>()
                .join("\n");
            let message = message.trim_end().to_owned();
            let error = CliError::usage(message, text::of(locale).usage_hint());
            printer.err(&error.render(locale));
            error.exit.code()
        }
    }
}

/// `--locale` when the rest of the line could not be parsed.
fn locale_argument() -> Option<String> {
    let mut arguments = std::env::args().skip(1).take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == "--locale" {
            return arguments.next();
        }
        if let Some(value) = argument.strip_prefix("--locale=") {
            return Some(value.to_owned());
        }
    }
    None
}

fn log_to_stderr() {
    let filter = EnvFilter::try_from_env("MCPEAK_LOG").unwrap_or_else(|_| EnvFilter::new("off"));
    // Only a test process may have a subscriber already.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}

fn internal(error: &dyn std::fmt::Display, locale: Locale) -> CliError {
    let (message, hint) = text::of(locale).internal(&error.to_string());
    CliError::new("CLI_INTERNAL_ERROR", message, hint)
}
