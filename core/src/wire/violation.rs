//! A message that breaks the protocol, described.

/// Which message, what is wrong, what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was expected, in the protocol's words.
    pub expected: String,
    /// What was seen.
    pub seen: String,
    /// The offending message, cut at 1,000 characters.
    pub excerpt: String,
}
