//! A path with segments that may be anything: `/users/*/items`, anchored at both ends.

use super::parts::normalise_path;

/// A pattern of path segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPattern(String);

impl PathPattern {
    /// The pattern of a text: it begins with `/`, and at least one whole segment is `*`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let segments = text.strip_prefix('/')?.split('/');
        let (wild, other): (Vec<_>, Vec<_>) = segments.partition(|segment| *segment == "*");
        let plain = !other.iter().any(|segment| segment.contains(['*', '?', '#']));
        (!wild.is_empty() && plain).then(|| Self(normalise_path(text)))
    }

    /// The pattern that two paths of as many segments have in common, if they differ at all.
    pub(crate) fn between(left: &str, right: &str) -> Option<Self> {
        let (lefts, rights): (Vec<_>, Vec<_>) = (left.split('/').collect(), right.split('/').collect());
        let pairs = || lefts.iter().zip(&rights);
        if lefts.len() != rights.len()
            || left == right
            || pairs().any(|(a, b)| a != b && (a.is_empty() || b.is_empty()))
        {
            return None;
        }
        let common = pairs().map(|(left, right)| if left == right { *left } else { "*" });
        Self::parse(&common.collect::<Vec<_>>().join("/"))
    }

    /// Whether a normalised path has these segments, and no others.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let (mut wanted, mut actual) = (self.0.split('/'), path.split('/'));
        loop {
            match (wanted.next(), actual.next()) {
                (None, None) => return true,
                (Some("*"), Some(segment)) if !segment.is_empty() => {}
                (Some(wanted), Some(segment)) if wanted == segment => {}
                _ => return false,
            }
        }
    }

    /// The pattern as a path.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    #[test]
    fn a_pattern_is_anchored_and_a_star_is_one_segment() {
        let pattern = PathPattern::parse("/users/*/items").unwrap();
        for path in ["/users/1/items", "/users/b7c4-11/items", "/users/*/items"] {
            assert!(pattern.matches(path), "{path}");
        }
        for path in ["/users/1", "/users/1/items/2", "/v1/users/1/items", "/users//items", "/users/1/2/items"]
        {
            assert!(!pattern.matches(path), "{path}");
        }
    }

    #[test]
    fn a_pattern_has_whole_segments_only() {
        for wrong in ["", "users/*", "/users/1", "/users/a*", "/users/*?x"] {
            assert!(PathPattern::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_two_paths_have_in_common() {
        let between =
            |left, right| PathPattern::between(left, right).map(|pattern| pattern.as_str().to_owned());
        assert_eq!(between("/u/1/x/2", "/u/3/x/4").as_deref(), Some("/u/*/x/*"));
        assert_eq!(between("/u/1", "/u/1/x"), None);
        assert_eq!(between("/u/1", "/u/1"), None);
        assert_eq!(between("/u/", "/u/1"), None);
    }
}
