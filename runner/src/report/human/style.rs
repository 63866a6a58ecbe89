//! Colour.

use crate::report::CaseStatus;

/// Whether and how text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether SGR sequences are written.
    pub color: bool,
}

impl Style {
    pub(super) fn glyph(self, status: CaseStatus) -> String {
        let (glyph, code) = match status {
            CaseStatus::Passed => ("✓", 32),
            CaseStatus::Failed => ("✗", 31),
            CaseStatus::TimedOut => ("⧖", 33),
            CaseStatus::Cancelled => ("⊘", 2),
            CaseStatus::NotRun => ("·", 2),
        };
        self.paint(glyph, code)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint(text, 2)
    }

    fn paint(self, text: &str, code: u8) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
