//! An ordered list of header fields.

use bytes::Bytes;

/// Header fields in the order and, on HTTP/1, in the case they had on the wire. Never a map: fields repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Bytes)>);

impl Headers {
    /// No fields.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Appends a field.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Bytes>) {
        self.0.push((name.into(), value.into()));
    }

    /// The first value of a name, case-insensitively, if it is text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .and_then(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// All text values of a name in order.
    pub fn get_all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.0
            .iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .filter_map(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// Whether a name is there.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(field, _)| field.eq_ignore_ascii_case(name))
    }

    /// Gives the fields of a name, if there are any, another value, in their place and case.
    pub fn replace(&mut self, name: &str, value: &str) {
        let fields = self.0.iter_mut().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        fields.for_each(|(_, old)| *old = Bytes::copy_from_slice(value.as_bytes()));
    }

    /// Drops all fields of a name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(field, _)| !field.eq_ignore_ascii_case(name));
    }

    /// Fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Bytes)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, Bytes)>>(fields: I) -> Self {
        Self(fields.into_iter().collect())
    }
}
