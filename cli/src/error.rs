//! An error as a person sees it: a code, what happened, how to fix it.

use mcpeak_core::escape::{Keep, terminal};
use mcpeak_core::exit::ExitCode;
use mcpeak_core::locale::Locale;

use crate::text;

/// What a command ends with when it could not do its work.
#[derive(Debug)]
pub(crate) struct CliError {
    /// Stable code, such as `CLI_USAGE` or `MCP_CONNECTION_FAILED/HANDSHAKE_TIMEOUT`.
    pub(crate) code: String,
    /// What happened, in the language of the run. May span lines; each is escaped when printed.
    pub(crate) message: String,
    /// How to fix it.
    pub(crate) hint: String,
    /// Lines below the hint, already escaped.
    pub(crate) details: String,
    /// Exit code.
    pub(crate) exit: ExitCode,
}

impl CliError {
    /// An error of a failed run.
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            hint: hint.into(),
            details: String::new(),
            exit: ExitCode::Failed,
        }
    }

    /// Wrong words on the command line.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new("CLI_USAGE", message, hint)
    }

    /// The same with another exit code.
    #[must_use]
    pub(crate) fn with_exit(mut self, exit: ExitCode) -> Self {
        self.exit = exit;
        self
    }

    /// The same with lines below.
    #[must_use]
    pub(crate) fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = details.into();
        self
    }

    /// As printed on stderr.
    pub(crate) fn render(&self, locale: Locale) -> String {
        let text = text::of(locale);
        let mut out = text.error_line(&self.code, &escape_lines(&self.message));
        out.push('\n');
        if !self.hint.is_empty() {
            out.push_str(&text.hint_line(&escape_lines(&self.hint)));
            out.push('\n');
        }
        out.push_str(&self.details);
        if !self.details.is_empty() && !self.details.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

/// Escapes each line for a terminal and keeps the line breaks, which are ours.
pub(crate) fn escape_lines(text: &str) -> String {
    text.split('\n').map(|line| terminal(line, Keep::Tabs)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use mcpeak_core::locale::Locale;

    use super::CliError;

    #[test]
    fn foreign_text_cannot_move_the_cursor() {
        let error = CliError::new("X", "a\u{1b}[2Jb\nc", "d\r");
        assert_eq!(error.render(Locale::En), "error [X]: a\\u001b[2Jb\nc\nfix: d\\u000d\n");
        assert_eq!(error.render(Locale::Ko), "오류 [X]: a\\u001b[2Jb\nc\n해결: d\\u000d\n");
    }
}
