//! Whether a suite is still the one that was approved. Never changes a verdict.

use serde::Serialize;

use crate::suite::{ApprovedCase, ApprovedStatus, Suite};

/// The comparison of fingerprints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalState {
    /// The suite is what was approved.
    Matched,
    /// The suite was changed since.
    Mismatched,
    /// Nothing was approved.
    Absent,
}

/// What is known about the approval of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalCheck {
    /// The comparison.
    pub state: ApprovalState,
    /// Fingerprint of the suite now.
    pub fingerprint: String,
    /// Fingerprint that was approved.
    pub approved_fingerprint: Option<String>,
    /// How each case stood at approval, if that was recorded.
    pub cases: Option<Vec<ApprovedCase>>,
}

impl ApprovalCheck {
    /// Compares.
    pub fn of(suite: &Suite) -> Self {
        let state = match &suite.approval {
            None => ApprovalState::Absent,
            Some(approval) if approval.fingerprint == suite.fingerprint => ApprovalState::Matched,
            Some(_) => ApprovalState::Mismatched,
        };
        Self {
            state,
            fingerprint: suite.fingerprint.clone(),
            approved_fingerprint: suite.approval.as_ref().map(|approval| approval.fingerprint.clone()),
            cases: suite.approval.as_ref().and_then(|approval| approval.cases.clone()),
        }
    }

    /// How a case stood at approval.
    pub fn approved_as(&self, case_id: &str) -> Option<ApprovedStatus> {
        self.cases.iter().flatten().find(|case| case.id == case_id).map(|case| case.status)
    }
}

impl ApprovalState {
    /// As reports spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Mismatched => "mismatched",
            Self::Absent => "absent",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn suite(value: Value) -> Suite {
        Suite::from_value(value).unwrap()
    }

    fn weather() -> Value {
        serde_json::from_str(include_str!("../tests/golden/weather123.approved.suite.json")).unwrap()
    }

    #[test]
    fn three_states() {
        let mut value = weather();
        assert_eq!(ApprovalCheck::of(&suite(value.clone())).state, ApprovalState::Matched);
        value["cases"][0]["name"] = json!("changed");
        assert_eq!(ApprovalCheck::of(&suite(value.clone())).state, ApprovalState::Mismatched);
        value.as_object_mut().unwrap().remove("approval");
        let check = ApprovalCheck::of(&suite(value));
        assert_eq!((check.state, check.approved_fingerprint), (ApprovalState::Absent, None));
    }

    #[test]
    fn canonical_form_is_the_golden_one() {
        for (file, canonical) in [
            (
                include_str!("../tests/golden/weather123.approved.suite.json"),
                include_str!("../tests/golden/weather123.canonical.txt"),
            ),
            (
                include_str!("../tests/golden/weather.baseline.suite.json"),
                include_str!("../tests/golden/weather.baseline.canonical.txt"),
            ),
        ] {
            let mut value: Value = serde_json::from_str(file).unwrap();
            value.as_object_mut().unwrap().remove("approval");
            assert_eq!(mcpeak_core::canonical::canonical_json(&value), canonical.trim_end());
        }
    }

    fn reorder(value: &Value, turn: usize) -> Value {
        match value {
            Value::Object(members) => {
                let mut list: Vec<_> =
                    members.iter().map(|(key, member)| (key.clone(), reorder(member, turn))).collect();
                let length = list.len().max(1);
                list.rotate_left(turn % length);
                Value::Object(list.into_iter().collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(|item| reorder(item, turn)).collect(),
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn fingerprint_ignores_key_order_and_approval(turn in 0_usize..7, approved in any::<bool>()) {
            let mut value = reorder(&weather(), turn);
            if !approved {
                value.as_object_mut().unwrap().remove("approval");
            }
            prop_assert_eq!(
                suite(value).fingerprint,
                "992133b77bf8fe75234d5397b5810c0eaac0e5813b01750dde01a6b7723501c6"
            );
        }
    }
}
