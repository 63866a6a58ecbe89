//! White space of a document.

use super::{Kind, Node};

/// How a document is laid out; tokens are written as they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// No white space: `JSON.stringify(value)`.
    Compact,
    /// One space after `,` and `:`: Python's `json.dumps`.
    Spaced,
    /// Lines indented by two spaces: `JSON.stringify(value, null, 2)`.
    Pretty,
    /// Lines indented by four spaces.
    Pretty4,
}

impl Layout {
    /// Every layout, in the order they are tried.
    pub(crate) const ALL: [Self; 4] = [Self::Compact, Self::Spaced, Self::Pretty, Self::Pretty4];

    /// Its name in a session file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Spaced => "spaced",
            Self::Pretty => "pretty",
            Self::Pretty4 => "pretty4",
        }
    }

    /// Writes a document.
    pub(crate) fn write(self, node: &Node<'_>) -> String {
        let mut out = String::with_capacity(node.raw.len() + node.raw.len() / 4);
        self.append(node, 0, &mut out);
        out
    }

    /// Writes a value inside a document, `depth` levels deep.
    pub(crate) fn append(self, node: &Node<'_>, depth: usize, out: &mut String) {
        match &node.kind {
            Kind::Array(items) if !items.is_empty() => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.separate(index, depth + 1, out);
                    self.append(item, depth + 1, out);
                }
                self.line(depth, out);
                out.push(']');
            }
            Kind::Object(members) if !members.is_empty() => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    self.separate(index, depth + 1, out);
                    out.push_str(name.raw);
                    out.push_str(if self == Self::Compact { ":" } else { ": " });
                    self.append(value, depth + 1, out);
                }
                self.line(depth, out);
                out.push('}');
            }
            Kind::Array(_) => out.push_str("[]"),
            Kind::Object(_) => out.push_str("{}"),
            _ => out.push_str(node.raw),
        }
    }

    fn separate(self, index: usize, depth: usize, out: &mut String) {
        if index > 0 {
            out.push_str(if self == Self::Spaced { ", " } else { "," });
        }
        self.line(depth, out);
    }

    fn line(self, depth: usize, out: &mut String) {
        let width = match self {
            Self::Compact | Self::Spaced => return,
            Self::Pretty => 2,
            Self::Pretty4 => 4,
        };
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', width * depth));
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::Layout;

    #[test]
    fn writes_what_serde_writes() {
        let text = r#"{"a":[1,{"b":[]},[2,3]],"c":{},"d":"x"}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let node = parse(text).unwrap();
        assert_eq!(Layout::Compact.write(&node), text);
        assert_eq!(Layout::Pretty.write(&node), serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(Layout::Spaced.write(&node), r#"{"a": [1, {"b": []}, [2, 3]], "c": {}, "d": "x"}"#);
        for layout in Layout::ALL {
            let written = layout.write(&node);
            assert_eq!(layout.write(&parse(&written).unwrap()), written);
        }
    }
}
