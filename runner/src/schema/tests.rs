use proptest::prelude::*;
use serde_json::{Value, json};

use super::evaluate::evaluate;
use super::{ResponseSchema, render_path};

fn found(schema: Value, value: Value) -> Vec<String> {
    let schema = ResponseSchema::from_valid(&schema).unwrap();
    let evaluation = evaluate(&schema.root, &value);
    evaluation
        .violations
        .iter()
        .map(|violation| format!("{:?} {}", violation.kind.code(), render_path(&violation.path)))
        .collect()
}

#[test]
fn type_const_and_enum_end_a_node() {
    let schema = json!({"type": "string", "const": "a", "minLength": 5});
    assert_eq!(found(schema.clone(), json!(1)), ["TypeMismatch $"]);
    assert_eq!(found(schema, json!("b")), ["ConstMismatch $"]);
    assert_eq!(found(json!({"enum": [1, {"a": [2]}]}), json!({"a": [2.0]})), [""; 0]);
    assert_eq!(found(json!({"type": "integer"}), json!(1.0)), [""; 0]);
    assert_eq!(found(json!({"type": "integer"}), json!(1.5)), ["TypeMismatch $"]);
}

#[test]
fn order_is_required_properties_additional_items() {
    let schema = json!({"type": "object", "required": ["z", "y"], "additionalProperties": false,
        "properties": {"b": {"type": "array", "minItems": 3, "items": {"type": "number", "minimum": 1, "maximum": 2}},
                       "a": {"type": "string", "minLength": 3, "stringContains": "q"}}});
    let value = json!({"x2": 1, "x10": 1, "a": "서울", "b": [0, 3]});
    assert_eq!(
        found(schema, value),
        [
            "RequiredMissing $.z",
            "RequiredMissing $.y",
            "MinItems $.b",
            "Minimum $.b[0]",
            "Maximum $.b[1]",
            "MinLength $.a",
            "StringContains $.a",
            "AdditionalProperty $.x10",
            "AdditionalProperty $.x2",
        ]
    );
}

#[test]
fn additional_schema_applies_to_each_extra() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 1}});
    assert_eq!(found(schema, json!({"b": "xx", "a": 1, "c": "y"})), ["TypeMismatch $.a", "MaxLength $.b"]);
}

#[test]
fn lists_ten_and_counts_all() {
    let schema = ResponseSchema::from_valid(&json!({"type": "array", "items": {"type": "null"}})).unwrap();
    let value = json!(vec![1; 25]);
    let evaluation = evaluate(&schema.root, &value);
    assert_eq!((evaluation.violations.len(), evaluation.total), (10, 25));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec(("[a-d]", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop::sample::select(super::TYPE_NAMES.to_vec()).prop_map(|name| json!({"type": name})),
        any_json().prop_map(|value| json!({"const": value})),
        (any::<u8>(), any::<u8>())
            .prop_map(|(least, most)| json!({"type": "string", "minLength": least, "maxLength": most})),
        any::<f64>().prop_map(|limit| json!({"type": "number", "minimum": limit, "maximum": limit})),
    ];
    leaf.prop_recursive(4, 20, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "minItems": 2})),
            (prop::collection::vec(("[a-d]", inner.clone()), 1..4), inner).prop_map(|(members, extra)| {
                let properties: serde_json::Map<String, Value> = members.into_iter().collect();
                json!({"type": "object", "required": ["a"], "properties": properties,
                       "additionalProperties": extra})
            }),
        ]
    })
}

proptest! {
    #[test]
    fn never_panics_and_repeats(schema in any_schema(), value in any_json()) {
        let schema = ResponseSchema::from_valid(&schema).unwrap();
        let first = evaluate(&schema.root, &value);
        let second = evaluate(&schema.root, &value);
        prop_assert!(first.violations.len() <= first.total.min(10));
        prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }

    #[test]
    fn a_value_matches_its_own_const(value in any_json()) {
        let schema = ResponseSchema::from_valid(&json!({"const": value})).unwrap();
        prop_assert_eq!(evaluate(&schema.root, &value).total, 0);
    }
}
