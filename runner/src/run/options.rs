//! Options of a run.

use std::time::Duration;

use mcpeak_core::locale::Locale;
use mcpeak_core::secret::Secret;
use tokio_util::sync::CancellationToken;

/// How a suite is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Language of the sentences in the report.
    pub locale: Locale,
    /// Values that must not appear in the report: those of `--env` and `--header-env`.
    pub sensitive: Vec<Secret<String>>,
    /// Stops the run; the report keeps what was done.
    pub cancel: CancellationToken,
    /// Deadline of the additional `tools/list` before the first case, for findings. `None`: no findings.
    pub lint_deadline: Option<Duration>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            locale: Locale::default(),
            sensitive: Vec::new(),
            cancel: CancellationToken::new(),
            lint_deadline: Some(Duration::from_secs(10)),
        }
    }
}
