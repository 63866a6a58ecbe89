//! Assertions that cannot fail.

use super::check::Found;
use super::finding::FindingFacts;
use crate::schema::{Additional, Node};
use crate::suite::Case;

pub(super) fn assertions(case: &Case, found: &mut Vec<Found>) {
    for (index, assertion) in case.assertions.iter().enumerate() {
        if let Some(schema) = assertion.schema() {
            walk(&schema.root, format!("assertions[{index}].schema"), found);
        }
    }
}

fn walk(root: &Node, path: String, found: &mut Vec<Found>) {
    let mut stack = vec![(root, path)];
    while let Some((node, path)) = stack.pop() {
        if node.min_length == Some(0) {
            let path = format!("{path}.minLength");
            found.push(Found { facts: FindingFacts::VacuousMinLength { path: path.clone() }, path });
        }
        if node.min_items == Some(0) {
            let path = format!("{path}.minItems");
            found.push(Found { facts: FindingFacts::VacuousMinItems { path: path.clone() }, path });
        }
        stack.extend(node.properties.iter().map(|(key, child)| (child, format!("{path}.properties.{key}"))));
        if let Some(Additional::Schema(child)) = &node.additional {
            stack.push((child, format!("{path}.additionalProperties")));
        }
        if let Some(child) = &node.items {
            stack.push((child, format!("{path}.items")));
        }
    }
}
