//! The one way to stdout and stderr.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Where the report and the messages go. Cloning shares the destination.
#[derive(Clone)]
pub(crate) struct Printer {
    sink: Sink,
    color: bool,
    progress: bool,
}

#[derive(Clone)]
enum Sink {
    Process,
    Captured(Arc<Mutex<Captured>>),
}

/// What was printed, for the demonstration, which shows a run's output between its own words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Printer {
    /// stdout and stderr of this process; colour on a terminal unless `NO_COLOR` is set.
    pub(crate) fn process() -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            sink: Sink::Process,
            color: io::stdout().is_terminal() && !no_color,
            progress: io::stderr().is_terminal(),
        }
    }

    /// Collects instead of printing.
    pub(crate) fn captured() -> (Self, Arc<Mutex<Captured>>) {
        let captured = Arc::new(Mutex::new(Captured::default()));
        (Self { sink: Sink::Captured(captured.clone()), color: false, progress: false }, captured)
    }

    /// Whether stdout takes colours.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// Report and data. A closed pipe is not an error of ours: whoever closed it has read enough.
    pub(crate) fn out(&self, text: &str) -> io::Result<()> {
        match &self.sink {
            Sink::Process => match write_all(&mut io::stdout().lock(), text) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other,
            },
            Sink::Captured(captured) => {
                captured.lock().unwrap_or_else(PoisonError::into_inner).stdout.push_str(text);
                Ok(())
            }
        }
    }

    /// Everything else. There is nowhere to report a failure of stderr to.
    pub(crate) fn err(&self, text: &str) {
        match &self.sink {
            Sink::Process => {
                let _ = write_all(&mut io::stderr().lock(), text);
            }
            Sink::Captured(captured) => {
                captured.lock().unwrap_or_else(PoisonError::into_inner).stderr.push_str(text);
            }
        }
    }

    /// A line on a terminal's stderr that goes away when the wait is over.
    pub(crate) fn progress(&self, text: String) -> Progress {
        if !self.progress {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_message(text);
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        Progress(Some(bar))
    }
}

fn write_all(stream: &mut dyn io::Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// A progress line; dropping it clears the line.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Says what is waited for now.
    pub(crate) fn say(&self, text: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(text);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
