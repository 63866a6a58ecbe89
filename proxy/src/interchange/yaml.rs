//! YAML read into the values of JSON, as far as recorders write it.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value};
use yaml_rust2::Event;
use yaml_rust2::parser::{MarkedEventReceiver, Parser};
use yaml_rust2::scanner::{Marker, TScalarStyle};

use super::ImportError;

/// A text that is tagged `!!binary` becomes an object with this member, in base64 without white space.
pub(super) const BINARY: &str = "!!binary";
/// Aliases multiply; a document grows to this many values at most.
const VALUES: usize = 2_000_000;
/// How deep values lie in each other at most.
const DEPTH: usize = 100;

/// The first document of a text.
pub(super) fn read(text: &str) -> Result<Value, ImportError> {
    let mut builder = Builder::default();
    let parsed = Parser::new_from_str(text).load(&mut builder, false);
    parsed.map_err(|error| {
        let mark = error.marker();
        ImportError::new(format!("line {}, column {}", mark.line(), mark.col() + 1), error.info())
    })?;
    match builder.problem {
        Some((line, problem)) => Err(ImportError::new(format!("line {line}"), problem)),
        None => Ok(builder.root.unwrap_or_default()),
    }
}

#[derive(Default)]
struct Builder {
    open: Vec<(Collection, usize)>,
    root: Option<Value>,
    anchors: HashMap<usize, (Value, usize)>,
    values: usize,
    problem: Option<(usize, &'static str)>,
}

enum Collection {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

impl Builder {
    fn put(&mut self, value: Value, anchor: usize) {
        if anchor > 0 {
            let size = size(&value);
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((Collection::List(list), _)) => list.push(value),
            Some((Collection::Map(map, name), _)) => match name.take() {
                None => *name = Some(key(value)),
                Some(name) => drop(map.insert(name, value)),
            },
        }
    }

    fn begin(&mut self, collection: Collection, anchor: usize) -> Option<&'static str> {
        self.open.push((collection, anchor));
        (self.open.len() > DEPTH).then_some("values lie too deep in each other")
    }

    fn end(&mut self) {
        let Some((collection, anchor)) = self.open.pop() else { return };
        let value = match collection {
            Collection::List(list) => Value::Array(list),
            Collection::Map(map, _) => Value::Object(map),
        };
        self.put(value, anchor);
    }
}

impl MarkedEventReceiver for Builder {
    fn on_event(&mut self, event: Event, mark: Marker) {
        if self.problem.is_some() {
            return;
        }
        self.values += 1;
        let mut problem = None;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let binary = tag.is_some_and(|tag| tag.suffix.ends_with("binary"));
                self.put(if binary { self::binary(&text) } else { scalar(text, style) }, anchor);
            }
            Event::SequenceStart(anchor, _) => problem = self.begin(Collection::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => problem = self.begin(Collection::Map(Map::new(), None), anchor),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some((_, size)) if self.values + size > VALUES => {
                    problem = Some("aliases make too much of it");
                }
                Some((value, size)) => {
                    self.values += size;
                    let value = value.clone();
                    self.put(value, 0);
                }
                None => problem = Some("an alias leads nowhere"),
            },
            _ => {}
        }
        self.problem = problem.map(|problem| (mark.line(), problem));
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(size).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

fn key(value: Value) -> String {
    if let Value::String(text) = value { text } else { value.to_string() }
}

fn scalar(text: String, style: TScalarStyle) -> Value {
    if style != TScalarStyle::Plain {
        return Value::String(text);
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        number => {
            number.parse::<i64>().map_or_else(|_| Value::String(text), |number| Number::from(number).into())
        }
    }
}

fn binary(text: &str) -> Value {
    let compact: String = text.split_ascii_whitespace().collect();
    let mut map = Map::new();
    map.insert(BINARY.to_owned(), compact.into());
    Value::Object(map)
}

/// The bytes of a text or of what was tagged `!!binary`.
pub(super) fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(text.as_bytes().to_vec()),
        Value::Object(map) => STANDARD.decode(map.get(BINARY)?.as_str()?).ok(),
        // A plain scalar that reads like a number or a word of YAML.
        Value::Number(_) | Value::Bool(_) => Some(value.to_string().into_bytes()),
        Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{bytes, read};

    #[test]
    fn plain_and_quoted_scalars_binary_and_aliases() {
        let value =
            read("a: &x {n: 1, q: '1', e: , b: !!binary |\n    AP8=\n  }\nl: [*x, no, ~]\n? 5\n: t\n")
                .unwrap();
        assert_eq!(value["a"]["n"], 1);
        assert_eq!((&value["a"]["q"], &value["a"]["e"]), (&json!("1"), &json!(null)));
        assert_eq!(value["l"], json!([value["a"], "no", null]));
        assert_eq!(value["5"], "t");
    }

    #[test]
    fn binary_text_gives_its_bytes() {
        let value = read("b: !!binary |\n  AP\n  8=\n").unwrap();
        assert_eq!(bytes(&value["b"]).unwrap(), [0, 0xff]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert!(read("a: [1\nb: 2\n").unwrap_err().place.starts_with("line "));
        let bomb = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, index| {
            let before = index - 1;
            format!("{text}a{index}: &a{index} [*a{before}, *a{before}]\n")
        });
        assert!(read(&bomb).unwrap_err().problem.contains("aliases"));
        assert!(read(&"[".repeat(500)).is_err());
    }
}
