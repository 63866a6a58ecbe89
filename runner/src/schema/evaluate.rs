//! A value against a schema.

use std::rc::Rc;

use mcpeak_core::canonical::utf16_cmp;
use serde_json::{Map, Value};

use super::model::{Additional, Node, TypeName};
use crate::json::equal;

/// Violations that are listed; further ones are only counted.
pub const MAX_VIOLATIONS: usize = 10;

/// What a schema found.
#[derive(Debug, Default)]
pub struct Evaluation<'a> {
    /// The first [`MAX_VIOLATIONS`], in order.
    pub violations: Vec<Violation<'a>>,
    /// How many there are.
    pub total: usize,
}

/// One violation.
#[derive(Debug)]
pub struct Violation<'a> {
    /// Where, from the root.
    pub path: Vec<Segment<'a>>,
    /// Which rule.
    pub kind: ViolationKind<'a>,
    /// The value there; none for a missing member.
    pub actual: Option<&'a Value>,
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// A member.
    Key(&'a str),
    /// An element.
    Index(usize),
}

/// Which rule was violated, with its limit.
#[derive(Debug)]
pub enum ViolationKind<'a> {
    /// `type`.
    Type(TypeName),
    /// `const`.
    Const(&'a Value),
    /// `enum`.
    Enum(&'a [Value]),
    /// `required`; the members that are there.
    Required(&'a Map<String, Value>),
    /// `additionalProperties: false`.
    AdditionalProperty,
    /// `minItems`: limit, elements found.
    MinItems(u64, u64),
    /// `minLength`: limit, code points found.
    MinLength(u64, u64),
    /// `maxLength`: limit, code points found.
    MaxLength(u64, u64),
    /// `stringContains`.
    Contains(&'a str),
    /// `minimum`.
    Minimum(f64),
    /// `maximum`.
    Maximum(f64),
}

/// Stable code of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ViolationCode {
    /// `type`.
    TypeMismatch,
    /// `const`.
    ConstMismatch,
    /// `enum`.
    EnumMismatch,
    /// `required`.
    RequiredMissing,
    /// `additionalProperties`.
    AdditionalProperty,
    /// `minItems`.
    MinItems,
    /// `minLength`.
    MinLength,
    /// `maxLength`.
    MaxLength,
    /// `stringContains`.
    StringContains,
    /// `minimum`.
    Minimum,
    /// `maximum`.
    Maximum,
}

impl ViolationKind<'_> {
    /// Stable code.
    pub const fn code(&self) -> ViolationCode {
        match self {
            Self::Type(_) => ViolationCode::TypeMismatch,
            Self::Const(_) => ViolationCode::ConstMismatch,
            Self::Enum(_) => ViolationCode::EnumMismatch,
            Self::Required(_) => ViolationCode::RequiredMissing,
            Self::AdditionalProperty => ViolationCode::AdditionalProperty,
            Self::MinItems(..) => ViolationCode::MinItems,
            Self::MinLength(..) => ViolationCode::MinLength,
            Self::MaxLength(..) => ViolationCode::MaxLength,
            Self::Contains(_) => ViolationCode::StringContains,
            Self::Minimum(_) => ViolationCode::Minimum,
            Self::Maximum(_) => ViolationCode::Maximum,
        }
    }
}

/// Evaluates a value. The stack is explicit, so depth is no limit; only [`MAX_VIOLATIONS`] paths are written out.
pub fn evaluate<'a>(schema: &'a Node, value: &'a Value) -> Evaluation<'a> {
    let mut evaluation = Evaluation::default();
    let mut stack = vec![Work::Check(schema, value, None)];
    while let Some(work) = stack.pop() {
        match work {
            Work::Check(schema, value, place) => {
                check(schema, value, place.as_ref(), &mut evaluation, &mut stack);
            }
            Work::Extra(value, place) => {
                evaluation.add(Some(&place), ViolationKind::AdditionalProperty, Some(value));
            }
        }
    }
    evaluation
}

/// `$`, `.key`, `[index]`, unescaped.
pub fn render_path(path: &[Segment<'_>]) -> String {
    let mut out = "$".to_owned();
    for segment in path {
        match segment {
            Segment::Key(key) => {
                out.push('.');
                out.push_str(key);
            }
            Segment::Index(index) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}

enum Work<'a> {
    Check(&'a Node, &'a Value, Option<Rc<Place<'a>>>),
    Extra(&'a Value, Rc<Place<'a>>),
}

/// A path as a list from the leaf to the root, so that a step costs nothing.
struct Place<'a> {
    segment: Segment<'a>,
    parent: Option<Rc<Place<'a>>>,
}

impl Drop for Place<'_> {
    // Unlinks the list step by step: the derived drop would recurse once a level.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(place) = next {
            match Rc::try_unwrap(place) {
                Ok(mut place) => next = place.parent.take(),
                Err(_) => break,
            }
        }
    }
}

impl<'a> Evaluation<'a> {
    fn add(&mut self, place: Option<&Rc<Place<'a>>>, kind: ViolationKind<'a>, actual: Option<&'a Value>) {
        self.total += 1;
        if self.violations.len() < MAX_VIOLATIONS {
            self.violations.push(Violation { path: path_of(place), kind, actual });
        }
    }
}

fn path_of<'a>(place: Option<&Rc<Place<'a>>>) -> Vec<Segment<'a>> {
    let mut path = Vec::new();
    let mut next = place;
    while let Some(place) = next {
        path.push(place.segment);
        next = place.parent.as_ref();
    }
    path.reverse();
    path
}

fn below<'a>(parent: Option<&Rc<Place<'a>>>, segment: Segment<'a>) -> Rc<Place<'a>> {
    Rc::new(Place { segment, parent: parent.cloned() })
}

fn check<'a>(
    schema: &'a Node,
    value: &'a Value,
    place: Option<&Rc<Place<'a>>>,
    evaluation: &mut Evaluation<'a>,
    stack: &mut Vec<Work<'a>>,
) {
    if let Some(kind) = identity(schema, value) {
        evaluation.add(place, kind, Some(value));
        return;
    }
    match value {
        Value::String(text) => string(schema, text, |kind| evaluation.add(place, kind, Some(value))),
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            if let Some(limit) = schema.minimum.filter(|limit| number < *limit) {
                evaluation.add(place, ViolationKind::Minimum(limit), Some(value));
            }
            if let Some(limit) = schema.maximum.filter(|limit| number > *limit) {
                evaluation.add(place, ViolationKind::Maximum(limit), Some(value));
            }
        }
        Value::Array(items) => {
            let found = items.len() as u64;
            if let Some(limit) = schema.min_items.filter(|limit| found < *limit) {
                evaluation.add(place, ViolationKind::MinItems(limit, found), Some(value));
            }
            if let Some(child) = &schema.items {
                stack.extend(items.iter().enumerate().rev().map(|(index, item)| {
                    Work::Check(child, item, Some(below(place, Segment::Index(index))))
                }));
            }
        }
        Value::Object(members) => object(schema, members, place, evaluation, stack),
        Value::Null | Value::Bool(_) => {}
    }
}

/// The rules after whose violation nothing else of a node is looked at.
fn identity<'a>(schema: &'a Node, value: &Value) -> Option<ViolationKind<'a>> {
    if let Some(name) = schema.type_name.filter(|name| !name.accepts(value)) {
        return Some(ViolationKind::Type(name));
    }
    if let Some(constant) = schema.constant.as_ref().filter(|constant| !equal(constant, value)) {
        return Some(ViolationKind::Const(constant));
    }
    let choices = schema.choices.as_ref()?;
    (!choices.iter().any(|choice| equal(choice, value))).then_some(ViolationKind::Enum(choices))
}

fn string<'a>(schema: &'a Node, text: &str, mut add: impl FnMut(ViolationKind<'a>)) {
    if schema.min_length.is_some() || schema.max_length.is_some() {
        let found = text.chars().count() as u64;
        if let Some(limit) = schema.min_length.filter(|limit| found < *limit) {
            add(ViolationKind::MinLength(limit, found));
        }
        if let Some(limit) = schema.max_length.filter(|limit| found > *limit) {
            add(ViolationKind::MaxLength(limit, found));
        }
    }
    if let Some(part) = schema.contains.as_deref().filter(|part| !text.contains(part)) {
        add(ViolationKind::Contains(part));
    }
}

fn object<'a>(
    schema: &'a Node,
    members: &'a Map<String, Value>,
    place: Option<&Rc<Place<'a>>>,
    evaluation: &mut Evaluation<'a>,
    stack: &mut Vec<Work<'a>>,
) {
    for name in schema.required.iter().filter(|name| !members.contains_key(*name)) {
        let missing = below(place, Segment::Key(name));
        evaluation.add(Some(&missing), ViolationKind::Required(members), None);
    }
    let mut work = Vec::new();
    for (key, child) in &schema.properties {
        // The key of the value lives as long as the value, so the path may borrow it.
        if let Some((key, member)) = members.get_key_value(key) {
            work.push(Work::Check(child, member, Some(below(place, Segment::Key(key)))));
        }
    }
    if let Some(additional) = schema.additional.as_ref().filter(|rule| !matches!(rule, Additional::Allowed)) {
        let mut extra: Vec<(&String, &Value)> = members
            .iter()
            .filter(|(key, _)| !schema.properties.iter().any(|(declared, _)| declared == *key))
            .collect();
        extra.sort_by(|(left, _), (right, _)| utf16_cmp(left, right));
        for (key, member) in extra {
            let place = below(place, Segment::Key(key));
            work.push(match additional {
                Additional::Schema(child) => Work::Check(child, member, Some(place)),
                Additional::Allowed | Additional::Forbidden => Work::Extra(member, place),
            });
        }
    }
    stack.extend(work.into_iter().rev());
}
