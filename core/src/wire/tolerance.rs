//! What is let pass and what ends a request or the connection.

/// Something a strict reader would stumble over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Oddity {
    /// An empty line between messages.
    BlankLine,
    /// `\r\n` instead of `\n`.
    CarriageReturn,
    /// Members that the protocol does not have.
    UnknownMember,
    /// A notification that nobody asked for.
    UnknownNotification,
    /// An answer to a request that was given up.
    LateAnswer,
    /// A batch where the version has none: its messages are read one by one.
    BatchOutsideItsVersion,
    /// A reply with a broken envelope to a request that waits.
    BrokenReply,
    /// A reply whose id was sent by nobody, while one request waits.
    StrayReply,
    /// A result that lacks what its method must give.
    BrokenResult,
    /// Bytes on stdout that are no message.
    Noise,
}

/// What follows from an [`Oddity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing; it stays visible in the transcript.
    Tolerated,
    /// The request ends at once with a description.
    EndsRequest,
    /// The connection ends at once with a description.
    EndsConnection,
}

/// The rules.
const RULES: [(Oddity, Verdict); 10] = [
    (Oddity::BlankLine, Verdict::Tolerated),
    (Oddity::CarriageReturn, Verdict::Tolerated),
    (Oddity::UnknownMember, Verdict::Tolerated),
    (Oddity::UnknownNotification, Verdict::Tolerated),
    (Oddity::LateAnswer, Verdict::Tolerated),
    (Oddity::BatchOutsideItsVersion, Verdict::Tolerated),
    (Oddity::BrokenReply, Verdict::EndsRequest),
    (Oddity::StrayReply, Verdict::EndsRequest),
    (Oddity::BrokenResult, Verdict::EndsRequest),
    (Oddity::Noise, Verdict::EndsConnection),
];

impl Oddity {
    /// What follows from it.
    pub fn verdict(self) -> Verdict {
        RULES
            .iter()
            .find_map(|&(oddity, verdict)| (oddity == self).then_some(verdict))
            .unwrap_or(Verdict::Tolerated)
    }
}

#[cfg(test)]
mod tests {
    use super::{Oddity, Verdict};

    #[test]
    fn noise_is_fatal_and_unknown_members_are_not() {
        assert_eq!(Oddity::Noise.verdict(), Verdict::EndsConnection);
        assert_eq!(Oddity::UnknownMember.verdict(), Verdict::Tolerated);
        assert_eq!(Oddity::BrokenReply.verdict(), Verdict::EndsRequest);
    }
}
