//! A suite against the tools of a server.

use mcpeak_core::canonical::utf16_cmp;
use mcpeak_core::client::Tool;
use serde_json::{Map, Value};

use super::finding::{Finding, FindingFacts};
use super::input::{self, Checked};
use super::suggestion::suggestion;
use super::vacuous;
use crate::mask::Masker;
use crate::suite::{Case, Operation, Suite};

/// Findings that are kept for one case.
const MAX_FINDINGS: usize = 10;

/// All findings, case by case, each case's by code and path.
pub fn lint(suite: &Suite, tools: &[Tool], masker: &Masker) -> Vec<Finding> {
    let mut findings = Vec::new();
    for case in &suite.cases {
        let mut found = Vec::new();
        if let Operation::CallTool { tool, input } = &case.operation {
            call(case, tool, input, tools, masker, &mut found);
        }
        vacuous::assertions(case, &mut found);
        let mut found: Vec<Finding> = found.into_iter().map(|place| place.finding(case, masker)).collect();
        found.sort_by(|left, right| {
            left.code.cmp(&right.code).then_with(|| utf16_cmp(&left.path, &right.path))
        });
        found.truncate(MAX_FINDINGS);
        findings.extend(found);
    }
    findings
}

/// A finding before it knows its case.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) facts: FindingFacts,
}

impl Found {
    fn finding(self, case: &Case, masker: &Masker) -> Finding {
        let code = self.facts.code();
        let suggestion = match &self.facts {
            FindingFacts::ToolNotDeclared { suggestion, .. } => suggestion.clone(),
            _ => None,
        };
        Finding {
            code,
            severity: code.severity(),
            case_id: masker.text(&case.id),
            path: masker.text(&self.path),
            suggestion,
            facts: self.facts,
        }
    }
}

fn call(
    case: &Case,
    name: &str,
    input: &Map<String, Value>,
    tools: &[Tool],
    masker: &Masker,
    found: &mut Vec<Found>,
) {
    let named: Vec<&Tool> = tools.iter().filter(|tool| tool.name == name).collect();
    let tool_path = || "operation.tool".to_owned();
    let tool = match named.as_slice() {
        [] => {
            let suggestion = suggestion(name, tools.iter().map(|tool| tool.name.as_str()));
            let facts = FindingFacts::ToolNotDeclared { tool: name.to_owned(), suggestion };
            found.push(Found { path: tool_path(), facts });
            return;
        }
        [tool] => tool,
        _ => {
            let facts = FindingFacts::SchemaNotAnalyzable { reason: "duplicate tool name".to_owned() };
            found.push(Found { path: tool_path(), facts });
            return;
        }
    };
    match input::check(tool.input_schema(), input, masker) {
        Checked::Beyond(reason) => {
            found.push(Found { path: tool_path(), facts: FindingFacts::SchemaNotAnalyzable { reason } });
        }
        Checked::Complete { violations, everything_read } => {
            if !case.expects_rejection() {
                found.extend(violations);
            } else if violations.is_empty() && everything_read {
                let path = "operation.input".to_owned();
                found.push(Found { path, facts: FindingFacts::RejectionWithoutViolation });
            }
        }
    }
}
