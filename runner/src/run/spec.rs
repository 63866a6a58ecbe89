//! A case as reports repeat it: keys in the order of the format, without secrets.

use serde_json::{Map, Value, json};

use crate::mask::Masker;
use crate::suite::{Assertion, Case, Operation};

pub(super) fn case(case: &Case, masker: &Masker) -> Value {
    let mut spec = Map::new();
    spec.insert("id".to_owned(), json!(masker.text(&case.id)));
    spec.insert("name".to_owned(), json!(masker.text(&case.name)));
    if let Some(timeout) = case.timeout_ms {
        spec.insert("timeoutMs".to_owned(), json!(timeout));
    }
    spec.insert("operation".to_owned(), operation(&case.operation, masker));
    let assertions = case.assertions.iter().map(|each| assertion(each, masker)).collect();
    spec.insert("assertions".to_owned(), Value::Array(assertions));
    Value::Object(spec)
}

pub(super) fn assertion(assertion: &Assertion, masker: &Masker) -> Value {
    match assertion {
        Assertion::ToolExists { tool } => json!({"type": assertion.kind(), "tool": masker.text(tool)}),
        Assertion::IsError { expected } => json!({"type": assertion.kind(), "expected": expected}),
        Assertion::BodyMatchesSchema { schema } | Assertion::StructuredContentMatchesSchema { schema } => {
            json!({"type": assertion.kind(), "schema": masker.schema(&schema.raw)})
        }
    }
}

fn operation(operation: &Operation, masker: &Masker) -> Value {
    match operation {
        Operation::ListTools => json!({"type": operation.kind()}),
        Operation::CallTool { tool, input } => {
            json!({"type": operation.kind(), "tool": masker.text(tool), "input": masker.members(input)})
        }
    }
}
