//! The body of a tool result: what `bodyMatchesSchema` looks at and what notes repeat.

use mcpeak_core::client::ToolResult;
use serde_json::Value;

/// The one text block of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The text is a JSON object or array.
    Json(Value),
    /// Anything else, JSON scalars included.
    Text(String),
}

/// Why a result has no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyProblem {
    /// `content` is not an array.
    ContentNotArray {
        /// Type that was found; `undefined` for nothing.
        found: &'static str,
    },
    /// Not exactly one block.
    BlockCount(usize),
    /// The block is not of `type: "text"`.
    BlockNotText,
    /// A text block without a string `text`.
    TextMissing,
}

/// Extracts the body: exactly one text block.
pub fn extract(result: &ToolResult) -> Result<Body, BodyProblem> {
    let content = result.content();
    let found = content.map_or("undefined", crate::json::type_name);
    let blocks = content.and_then(Value::as_array).ok_or(BodyProblem::ContentNotArray { found })?;
    let [block] = blocks.as_slice() else { return Err(BodyProblem::BlockCount(blocks.len())) };
    if block.get("type").and_then(Value::as_str) != Some("text") {
        return Err(BodyProblem::BlockNotText);
    }
    let text = block.get("text").and_then(Value::as_str).ok_or(BodyProblem::TextMissing)?;
    Ok(match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => Body::Json(value),
        _ => Body::Text(text.to_owned()),
    })
}

impl BodyProblem {
    /// Stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ContentNotArray { .. } => "CONTENT_NOT_ARRAY",
            Self::BlockCount(_) => "CONTENT_BLOCK_COUNT",
            Self::BlockNotText => "CONTENT_BLOCK_NOT_TEXT",
            Self::TextMissing => "CONTENT_TEXT_MISSING",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(content: Value) -> Result<Body, BodyProblem> {
        let mut raw = serde_json::Map::new();
        raw.insert("content".to_owned(), content);
        extract(&ToolResult { raw })
    }

    #[test]
    fn only_objects_and_arrays_are_structure() {
        assert_eq!(of(json!([{"type": "text", "text": "{\"a\":1}"}])), Ok(Body::Json(json!({"a": 1}))));
        assert_eq!(of(json!([{"type": "text", "text": " [1]\n"}])), Ok(Body::Json(json!([1]))));
        for scalar in ["42", "\"x\"", "null", "not json", ""] {
            assert_eq!(of(json!([{"type": "text", "text": scalar}])), Ok(Body::Text(scalar.to_owned())));
        }
    }

    #[test]
    fn four_ways_to_have_none() {
        assert_eq!(
            extract(&ToolResult { raw: serde_json::Map::new() }),
            Err(BodyProblem::ContentNotArray { found: "undefined" })
        );
        assert_eq!(of(json!("x")), Err(BodyProblem::ContentNotArray { found: "string" }));
        assert_eq!(of(json!([])), Err(BodyProblem::BlockCount(0)));
        assert_eq!(of(json!([{}, {}])), Err(BodyProblem::BlockCount(2)));
        assert_eq!(of(json!([{"type": "image"}])), Err(BodyProblem::BlockNotText));
        assert_eq!(of(json!([{"type": "text", "text": 1}])), Err(BodyProblem::TextMissing));
    }
}
