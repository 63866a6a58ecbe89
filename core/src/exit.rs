//! Exit codes of the `mcpeak` binary.

/// What the process tells its caller. The numbers are a documented contract (docs/reference/exit-codes.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything asked for passed.
    Passed = 0,
    /// A case failed, timed out or was not run; a replay miss; or the run itself failed (usage, input, connection, write).
    Failed = 1,
    /// `audit`: a finding of severity high or medium.
    Findings = 2,
    /// A check that the user asked for could not be carried out.
    CheckUnavailable = 3,
    /// Interrupted; what was recorded until then is kept.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code with its meaning, in numeric order: the source of the reference page.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Passed, "everything asked for passed"),
        (
            Self::Failed,
            "a case failed, timed out or was not run; a replay miss; or the run itself failed (usage, input, connection, write)",
        ),
        (Self::Findings, "`audit`: a finding of severity high or medium"),
        (Self::CheckUnavailable, "a check that was asked for could not be carried out"),
        (Self::Interrupted, "interrupted; what was recorded until then is kept"),
    ];

    /// The number given to the operating system.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The worse of two outcomes: an interruption outranks everything, then an impossible check, then a failure.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        self.max(other)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}
