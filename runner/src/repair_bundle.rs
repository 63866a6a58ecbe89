//! The repair bundle, version 3: what a reader without access to the machine needs to find the cause of a failure.

use std::collections::BTreeMap;

use mcpeak_core::canonical::utf16_cmp;
use mcpeak_core::client::{ServerFacts, Tool};
use serde_json::{Map, Value, json};

use crate::diagnostic::Diagnostic;
use crate::json::{compact, pretty};
use crate::mask::Masker;
use crate::report::{CaseReport, CaseStatus, signal_name, to_value};
use crate::run::Run;

/// Version of the format; readers require it exactly.
pub const BUNDLE_VERSION: u8 = 3;

/// Largest schema of a tool that is included, in bytes of its compact JSON.
const MAX_SCHEMA: usize = 8_192;

/// A bundle, ready to be written. Carries no secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairBundle(Value);

/// The bundle of a run; `None` when every case passed. `generated_by`: `mcpeak <version>`.
pub fn bundle(run: &Run, facts: &ServerFacts, generated_by: &str) -> Option<RepairBundle> {
    let failing: Vec<&CaseReport> =
        run.cases.iter().filter(|case| case.status != CaseStatus::Passed).collect();
    if failing.is_empty() {
        return None;
    }
    let (tools, omitted) = tools(run, &failing);
    let mut whole = Map::new();
    whole.insert("bundleVersion".to_owned(), json!(BUNDLE_VERSION));
    whole.insert("generatedBy".to_owned(), json!(generated_by));
    whole.insert("spec".to_owned(), spec(run));
    whole.insert("failures".to_owned(), failing.iter().map(|case| failure(run, case)).collect());
    whole.insert("tools".to_owned(), tools);
    let transport = match facts {
        ServerFacts::Process { .. } => "stdio",
        ServerFacts::Http { .. } => "http",
    };
    whole.insert("target".to_owned(), json!({"transport": transport}));
    whole.insert("truncated".to_owned(), json!({"failures": 0, "toolSchemas": omitted}));
    if let Some(process) = process(facts, run.masker()) {
        whole.insert("process".to_owned(), process);
    }
    Some(RepairBundle(Value::Object(whole)))
}

impl RepairBundle {
    /// The file: two spaces a level, final newline.
    pub fn to_json(&self) -> String {
        format!("{}\n", pretty(&self.0))
    }

    /// The bundle as a value.
    pub const fn as_value(&self) -> &Value {
        &self.0
    }
}

fn spec(run: &Run) -> Value {
    let approval = &run.approval;
    let mut spec = Map::new();
    spec.insert("suiteId".to_owned(), json!(run.suite_id));
    spec.insert("suiteName".to_owned(), json!(run.suite_name));
    spec.insert("approval".to_owned(), json!(approval.state.as_str()));
    let history = if approval.cases.is_some() { "present" } else { "absent" };
    spec.insert("runHistory".to_owned(), json!(history));
    spec.insert("fingerprint".to_owned(), json!(approval.fingerprint));
    if let Some(approved) = &approval.approved_fingerprint {
        spec.insert("approvedFingerprint".to_owned(), json!(approved));
    }
    Value::Object(spec)
}

fn failure(run: &Run, case: &CaseReport) -> Value {
    let mut failure = Map::new();
    failure.insert("caseId".to_owned(), json!(case.id));
    failure.insert("caseName".to_owned(), json!(case.name));
    failure.insert("status".to_owned(), json!(case.status.as_str()));
    for key in ["tool", "input"] {
        if let Some(value) = case.spec.get("operation").and_then(|operation| operation.get(key)) {
            failure.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(status) = run.approval.approved_as(&case.id) {
        failure.insert("approvedAs".to_owned(), to_value(&status));
    }
    let assertions = case
        .assertions
        .iter()
        .map(|assertion| json!({"type": assertion.spec.get("type"), "status": assertion.status.as_str()}));
    failure.insert("assertions".to_owned(), assertions.collect());
    failure.insert("diagnostics".to_owned(), case.diagnostics().map(diagnostic).collect());
    Value::Object(failure)
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    let mut out = Map::new();
    out.insert("code".to_owned(), json!(diagnostic.code.as_str()));
    out.insert("message".to_owned(), json!(diagnostic.message));
    if let Some(expected) = &diagnostic.expected {
        out.insert("expected".to_owned(), expected.clone());
    }
    if let Some(actual) = &diagnostic.actual {
        out.insert("actual".to_owned(), actual.clone());
    }
    let violations = diagnostic.violations.iter().flatten().map(|violation| violation.message.as_str());
    let notes: Vec<&str> = violations.chain(diagnostic.notes.iter().flatten().map(String::as_str)).collect();
    if !notes.is_empty() {
        out.insert("notes".to_owned(), json!(notes));
    }
    Value::Object(out)
}

/// The tools that failing cases call, sorted, and how many lost a schema to the limit.
fn tools(run: &Run, failing: &[&CaseReport]) -> (Value, usize) {
    let mut called = BTreeMap::new();
    for case in failing {
        let name = run
            .cases
            .iter()
            .position(|other| other.id == case.id)
            .and_then(|index| run.tools_called[index].as_deref());
        let tool = name.and_then(|name| run.tools.iter().flatten().find(|tool| tool.name == name));
        if let Some(tool) = tool {
            called.insert(&tool.name, tool);
        }
    }
    let mut called: Vec<&Tool> = called.into_values().collect();
    called.sort_by(|left, right| utf16_cmp(&left.name, &right.name));
    let mut omitted = 0;
    let list = called
        .into_iter()
        .map(|tool| {
            let (value, cut) = definition(tool, run.masker());
            omitted += usize::from(cut);
            value
        })
        .collect();
    (list, omitted)
}

fn definition(tool: &Tool, masker: &Masker) -> (Value, bool) {
    let mut cut = false;
    let mut schema = |schema: &Value| {
        let masked = masker.schema(schema);
        if compact(&masked).len() <= MAX_SCHEMA {
            return masked;
        }
        cut = true;
        json!({})
    };
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(masker.text(&tool.name)));
    out.insert("inputSchema".to_owned(), tool.input_schema().map_or_else(|| json!({}), &mut schema));
    if let Some(output) = tool.output_schema() {
        out.insert("outputSchema".to_owned(), schema(output));
    }
    if let Some(description) = tool.description() {
        out.insert("description".to_owned(), json!(masker.text(description)));
    }
    if cut {
        out.insert("schemasOmitted".to_owned(), json!(true));
    }
    (Value::Object(out), cut)
}

/// What the process left behind; `None` when there is nothing to say.
fn process(facts: &ServerFacts, masker: &Masker) -> Option<Value> {
    let ServerFacts::Process { exit, stderr } = facts else { return None };
    let exit = exit.unwrap_or_default();
    if stderr.text.is_empty() && exit.code.is_none() && exit.signal.is_none() {
        return None;
    }
    Some(json!({
        "stderr": masker.text(&stderr.text),
        "stderrTruncated": stderr.truncated,
        "exitCode": exit.code,
        "signal": exit.signal.map(signal_name),
        "scope": "suite",
    }))
}
