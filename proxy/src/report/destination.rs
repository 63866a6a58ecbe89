//! What became of the calls and connections to one destination.

use serde::Serialize;

/// What became of the calls and connections to one destination: requests where it speaks HTTP (`https://api.example.com`),
/// connections where it does not (`tcp://db.example.com:5432`). In JSON, a member that is zero is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DestinationCounts {
    /// Requests stored, with their answer or with the fact that there was none.
    #[serde(skip_serializing_if = "is_zero")]
    pub recorded: u64,
    /// Requests answered from the file.
    #[serde(skip_serializing_if = "is_zero")]
    pub replayed: u64,
    /// Requests without a recording.
    #[serde(skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// Requests forwarded without being recorded.
    #[serde(skip_serializing_if = "is_zero")]
    pub passed: u64,
    /// Connections relayed without being read.
    #[serde(skip_serializing_if = "is_zero")]
    pub tunnelled: u64,
    /// Connections ended with a reset: not HTTP where nothing else is let through, or a destination that cannot be reached.
    #[serde(skip_serializing_if = "is_zero")]
    pub refused: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands members over by reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::DestinationCounts;

    #[test]
    fn members_that_are_zero_are_left_out() {
        let counts = DestinationCounts { replayed: 4, missed: 1, ..DestinationCounts::default() };
        assert_eq!(serde_json::to_string(&counts).unwrap(), r#"{"replayed":4,"missed":1}"#);
    }
}
