//! A schema, parsed.

use serde_json::Value;

use crate::json::{is_integer, safe_unsigned};

/// Every keyword of the subset, in the order in which a node is checked.
pub const KEYWORDS: [&str; 13] = [
    "type",
    "const",
    "enum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "minItems",
    "minLength",
    "maxLength",
    "stringContains",
    "minimum",
    "maximum",
];

/// Every value of `type`.
pub const TYPE_NAMES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// A schema of the subset, with the text it came from.
#[derive(Clone, Debug)]
pub struct ResponseSchema {
    /// The schema as the suite has it.
    pub raw: Value,
    /// Parsed.
    pub root: Node,
}

/// One level of a schema.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// `type`.
    pub type_name: Option<TypeName>,
    /// `const`.
    pub constant: Option<Value>,
    /// `enum`.
    pub choices: Option<Vec<Value>>,
    /// `required`.
    pub required: Vec<String>,
    /// `properties`, in declared order.
    pub properties: Vec<(String, Node)>,
    /// `additionalProperties`.
    pub additional: Option<Additional>,
    /// `items`.
    pub items: Option<Box<Node>>,
    /// `minItems`.
    pub min_items: Option<u64>,
    /// `minLength`, in code points.
    pub min_length: Option<u64>,
    /// `maxLength`, in code points.
    pub max_length: Option<u64>,
    /// `stringContains`.
    pub contains: Option<String>,
    /// `minimum`, inclusive.
    pub minimum: Option<f64>,
    /// `maximum`, inclusive.
    pub maximum: Option<f64>,
}

/// What holds of members that `properties` does not name.
#[derive(Clone, Debug)]
pub enum Additional {
    /// Anything goes.
    Allowed,
    /// There may be none.
    Forbidden,
    /// Each has to match.
    Schema(Box<Node>),
}

/// A value of `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// A number without fraction, however it is written.
    Integer,
    /// A boolean.
    Boolean,
    /// `null`.
    Null,
}

impl ResponseSchema {
    /// Parses a schema that the validation has accepted. `None` for anything else.
    pub fn from_valid(value: &Value) -> Option<Self> {
        Some(Self { raw: value.clone(), root: Node::from_valid(value)? })
    }
}

impl Node {
    // Recursion is bounded by the parser: serde_json refuses documents nested deeper than 128 levels.
    fn from_valid(value: &Value) -> Option<Self> {
        let members = value.as_object()?;
        let count = |key| members.get(key).and_then(safe_unsigned);
        let bound = |key| members.get(key).and_then(Value::as_f64);
        let mut node = Self {
            type_name: members.get("type").and_then(Value::as_str).and_then(TypeName::from_name),
            constant: members.get("const").cloned(),
            choices: members.get("enum").and_then(Value::as_array).cloned(),
            min_items: count("minItems"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            contains: members.get("stringContains").and_then(Value::as_str).map(str::to_owned),
            minimum: bound("minimum"),
            maximum: bound("maximum"),
            ..Self::default()
        };
        if let Some(names) = members.get("required").and_then(Value::as_array) {
            node.required = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        }
        if let Some(properties) = members.get("properties").and_then(Value::as_object) {
            for (key, child) in properties {
                node.properties.push((key.clone(), Self::from_valid(child)?));
            }
        }
        node.additional = match members.get("additionalProperties") {
            None => None,
            Some(Value::Bool(true)) => Some(Additional::Allowed),
            Some(Value::Bool(false)) => Some(Additional::Forbidden),
            Some(child) => Some(Additional::Schema(Box::new(Self::from_valid(child)?))),
        };
        if let Some(child) = members.get("items") {
            node.items = Some(Box::new(Self::from_valid(child)?));
        }
        Some(node)
    }
}

impl TypeName {
    /// Reads a value of `type`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            _ => return None,
        })
    }

    /// As `type` spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    /// Whether a value is of this type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => is_integer(value),
            Self::Boolean => value.is_boolean(),
            Self::Null => value.is_null(),
        }
    }
}
