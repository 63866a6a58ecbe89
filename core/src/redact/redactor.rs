//! Names, values and shapes as one immutable redactor, and what it puts in a secret's place.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::Regex;

use super::lexer::Named;
use super::shape;
use super::url::{UrlSecret, find_parameter, find_userinfo};
use super::value::{Encoding, HexCase, JsonStyle, UrlStyle, is_searchable, variants};
use super::view::View;
use crate::secret::Secret;

/// `{{secret:NAME}}`, `{{secret:NAME:encoding}}`.
static NAMED: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(r"\{\{secret:([A-Za-z0-9_.-]+)(?::([a-z0-9-]+))?\}\}")
        .expect("a constant pattern compiles")
});

/// What reads like a pseudonym and is none: a text that was there before, marked with `=`.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\{\{(=*)(token\}\}|token:|secret:)").expect("a constant pattern compiles")
});

/// The same marked, or a pseudonym with a name.
static STORED: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(
        r"\{\{=(=*)(token\}\}|token:|secret:)|\{\{secret:([A-Za-z0-9_.-]+)(?::([a-z0-9-]+))?\}\}",
    )
    .expect("a constant pattern compiles")
});

/// Marks what reads like a pseudonym in a text that is not redacted yet, so that [`Redactor::restore`] gives it back as it was;
/// `None` if there is nothing to mark.
pub fn mark_foreign(text: &[u8]) -> Option<Vec<u8>> {
    if !text.windows(2).any(|pair| pair == b"{{") || !FOREIGN.is_match(text) {
        return None;
    }
    Some(FOREIGN.replace_all(text, &b"{{=$1$2"[..]).into_owned())
}

/// Names, values and shapes of secrets. Cheap to clone; `Debug` shows names only.
#[derive(Clone, Default)]
pub struct Redactor(Arc<Inner>);

#[derive(Default)]
struct Inner {
    values: Vec<(String, Secret<String>)>,
    unsearched: Vec<String>,
    patterns: Vec<(usize, Encoding)>,
    automaton: Option<AhoCorasick>,
    longest: usize,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it stands.
    pub range: Range<usize>,
    /// What is put in its place.
    pub pseudonym: String,
}

/// Gives pseudonyms to secrets that have no name.
pub trait Tokens: Send + Sync {
    /// The pseudonym of a secret; the same for the same secret.
    fn pseudonym(&self, secret: &[u8]) -> String;

    /// The next occurrence, at or after an offset, of a secret that was given a pseudonym before.
    fn find_at(&self, _haystack: &[u8], _from: usize) -> Option<Found> {
        None
    }

    /// How many secrets were given a pseudonym so far, where that is known.
    fn known(&self) -> usize {
        0
    }
}

/// Calls every secret without a name `{{token}}`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownTokens;

impl Tokens for UnknownTokens {
    fn pseudonym(&self, _secret: &[u8]) -> String {
        "{{token}}".to_owned()
    }
}

impl Redactor {
    /// A redactor that also looks for these values, each under the name its pseudonym carries.
    ///
    /// A value that [`is_searchable`] refuses is not looked for; [`Redactor::unsearched`] names it.
    ///
    /// # Panics
    ///
    /// If the values together are too large for a search automaton (gigabytes).
    pub fn new(values: impl IntoIterator<Item = (String, Secret<String>)>) -> Self {
        let mut inner = Inner::default();
        let mut written = Vec::new();
        let mut values: Vec<_> = values.into_iter().map(|(name, value)| (safe_name(&name), value)).collect();
        values.sort_by(|left, right| left.0.cmp(&right.0));
        values.dedup_by(|left, right| left.0 == right.0);
        for (index, (name, value)) in values.iter().enumerate() {
            if !is_searchable(value.expose_secret()) {
                inner.unsearched.push(name.clone());
                continue;
            }
            for (encoding, text) in variants(value.expose_secret()) {
                if !written.contains(&text) {
                    inner.longest = inner.longest.max(text.len());
                    inner.patterns.push((index, encoding));
                    written.push(text);
                }
            }
        }
        if !written.is_empty() {
            let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&written);
            inner.automaton = Some(automaton.expect("a handful of values fits an automaton"));
        }
        inner.values = values;
        Self(Arc::new(inner))
    }

    /// Names whose values are too short or too plain to be searched for.
    pub fn unsearched(&self) -> &[String] {
        &self.0.unsearched
    }

    /// Whether a value of this name is known.
    pub fn knows(&self, name: &str) -> bool {
        self.0.values.iter().any(|(known, _)| known == name)
    }

    /// Length in bytes of the longest writing of a value.
    pub(super) fn longest(&self) -> usize {
        self.0.longest
    }

    /// The pseudonym of a secret: its name's if it is a known value, otherwise one of `tokens`.
    pub fn pseudonym(&self, secret: &[u8], tokens: &dyn Tokens) -> String {
        let named = self.0.values.iter().find(|(_, value)| value.expose_secret().as_bytes() == secret);
        named.map_or_else(|| tokens.pseudonym(secret), |(name, _)| format!("{{{{secret:{name}}}}}"))
    }

    /// The first secret at or after an offset, by value and shape.
    pub fn find_at(&self, haystack: &[u8], from: usize, tokens: &dyn Tokens) -> Option<Found> {
        Search::new(self, tokens, None).next(haystack, from)
    }

    /// The text with every secret replaced, by value and shape; `None` if there is none.
    pub fn redact(&self, haystack: &[u8], tokens: &dyn Tokens) -> Option<Vec<u8>> {
        let mut search = Search::new(self, tokens, None);
        let mut out: Option<Vec<u8>> = None;
        let mut from = 0;
        while let Some(found) = search.next(haystack, from) {
            let out = out.get_or_insert_with(|| Vec::with_capacity(haystack.len()));
            out.extend_from_slice(&haystack[from..found.range.start]);
            out.extend_from_slice(found.pseudonym.as_bytes());
            from = found.range.end;
        }
        if let Some(out) = &mut out {
            out.extend_from_slice(&haystack[from..]);
        }
        out
    }

    /// [`Redactor::redact`] over text.
    pub fn redact_text(&self, text: &str, tokens: &dyn Tokens) -> String {
        match self.redact(text.as_bytes(), tokens) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => text.to_owned(),
        }
    }

    /// Puts known values back in the place of their pseudonyms; `None` if there is nothing to put back.
    pub fn restore(&self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        if !text.contains("{{=") && (self.0.values.is_empty() || !text.contains("{{secret:")) {
            return None;
        }
        let restored = STORED.replace_all(text, |captures: &regex::Captures<'_>| {
            if let (Some(marks), Some(kind)) = (captures.get(1), captures.get(2)) {
                return format!("{{{{{}{}", marks.as_str(), kind.as_str());
            }
            let encoding = Encoding::from_name(captures.get(4).map_or("", |name| name.as_str()));
            let value = self.0.values.iter().find(|(name, _)| *name == captures[3]);
            match (value, encoding) {
                (Some((_, value)), Some(encoding)) => encoding.encode(value.expose_secret()),
                _ => captures[0].to_owned(),
            }
        });
        (restored != text).then(|| restored.into_owned().into_bytes())
    }

    /// Names whose pseudonyms are in a text and whose values are not known.
    pub fn unknown_names(&self, text: &[u8]) -> Vec<String> {
        let text = std::str::from_utf8(text).unwrap_or_default();
        if !text.contains("{{secret:") {
            return Vec::new();
        }
        let names = NAMED.captures_iter(text).map(|captures| captures[1].to_owned());
        names.filter(|name| !self.knows(name)).collect()
    }

    /// A value in a writing that is none of the usual ones: of the encodings, the nearest is named.
    fn find_in_view(&self, haystack: &[u8], view: &View, from: usize) -> Option<Found> {
        let automaton = self.0.automaton.as_ref()?;
        let found = automaton.find(aho_corasick::Input::new(&view.bytes).range(view.at(from)..))?;
        let (value, encoding) = self.0.patterns[found.pattern().as_usize()];
        let range = view.place(&found.range());
        let written = &haystack[range.clone()];
        let encoding = match encoding {
            Encoding::Raw if written.contains(&b'%') => Encoding::Url(UrlStyle::Strict, HexCase::Upper),
            Encoding::Raw if written.contains(&b'\\') => Encoding::Json(JsonStyle::Ascii),
            other => other,
        };
        Some(Found { range, pseudonym: self.named_pseudonym(value, encoding) })
    }

    fn named_pseudonym(&self, value: usize, encoding: Encoding) -> String {
        let name = &self.0.values[value].0;
        let encoding = encoding.name();
        let colon = if encoding.is_empty() { "" } else { ":" };
        format!("{{{{secret:{name}{colon}{encoding}}}}}")
    }

    fn find_value(&self, haystack: &[u8], from: usize) -> Option<Found> {
        let automaton = self.0.automaton.as_ref()?;
        let found = automaton.find(aho_corasick::Input::new(haystack).range(from..))?;
        let (value, encoding) = self.0.patterns[found.pattern().as_usize()];
        Some(Found { range: found.range(), pseudonym: self.named_pseudonym(value, encoding) })
    }

    fn find_shape(haystack: &[u8], from: usize, tokens: &dyn Tokens) -> Option<Found> {
        let range = shape::find_at(haystack, from)?;
        let pseudonym = tokens.pseudonym(&haystack[range.clone()]);
        Some(Found { range, pseudonym })
    }

    fn find_url(&self, found: Option<UrlSecret>, tokens: &dyn Tokens) -> Option<Found> {
        let UrlSecret { range, name, value } = found?;
        Some(Found { range, pseudonym: self.sensitive(&name, &value, tokens) })
    }

    fn find_named(&self, named: &[Named], base: u64, from: usize, tokens: &dyn Tokens) -> Option<Found> {
        let from = base + from as u64;
        let named = named[named.partition_point(|named| named.range.end <= from)..]
            .iter()
            .find(|named| named.range.end > from)?;
        let offset = |at: u64| usize::try_from(at - base).unwrap_or(usize::MAX);
        let pseudonym = self.sensitive(&named.name, &named.value, tokens);
        let pseudonym = if pseudonym == named.value { pseudonym } else { named.writing.write(pseudonym) };
        Some(Found { range: offset(named.range.start.max(from))..offset(named.range.end), pseudonym })
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.values.iter().map(|(name, _)| name).collect();
        formatter.debug_struct("Redactor").field("names", &names).finish_non_exhaustive()
    }
}

/// A search that remembers what each finder saw, so that a text is scanned once by each.
pub(super) struct Search<'a> {
    redactor: &'a Redactor,
    tokens: &'a dyn Tokens,
    /// Values under sensitive names, if names count, and the stream's offset at which the haystack begins.
    named: Option<(&'a [Named], u64)>,
    seen: [Seen; 8],
    /// The haystack with its escapes undone, from when values are looked for in it.
    views: Option<Vec<View>>,
}

/// What a finder saw last.
enum Seen {
    Nothing,
    End,
    At(Found),
}

impl<'a> Search<'a> {
    pub(super) fn new(
        redactor: &'a Redactor,
        tokens: &'a dyn Tokens,
        named: Option<(&'a [Named], u64)>,
    ) -> Self {
        Self { redactor, tokens, named, seen: [const { Seen::Nothing }; 8], views: None }
    }

    /// The first secret at or after `from`, which never goes back: the earliest, then the one by name, then the longest.
    pub(super) fn next(&mut self, haystack: &[u8], from: usize) -> Option<Found> {
        for finder in 0..self.seen.len() {
            let stale = match &self.seen[finder] {
                Seen::Nothing => true,
                Seen::End => false,
                Seen::At(found) => found.range.start < from,
            };
            if stale {
                self.seen[finder] = self.find(finder, haystack, from).map_or(Seen::End, Seen::At);
            }
        }
        let found =
            self.seen.iter().filter_map(|seen| if let Seen::At(found) = seen { Some(found) } else { None });
        found.min_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end))).cloned()
    }

    fn find(&mut self, finder: usize, haystack: &[u8], from: usize) -> Option<Found> {
        match finder {
            0 => self.redactor.find_value(haystack, from),
            1 => self.tokens.find_at(haystack, from),
            2 => Redactor::find_shape(haystack, from, self.tokens),
            3 => {
                let range = shape::find_authorization(haystack, from)?;
                let pseudonym = self.redactor.pseudonym(&haystack[range.clone()], self.tokens);
                Some(Found { range, pseudonym })
            }
            4 => {
                self.redactor.0.automaton.as_ref()?;
                let views = self.views.get_or_insert_with(|| View::layers(haystack));
                let found = views.iter().filter_map(|view| self.redactor.find_in_view(haystack, view, from));
                found.min_by_key(|found| found.range.start)
            }
            _ => {
                let (named, base) = self.named?;
                match finder {
                    5 => self.redactor.find_named(named, base, from, self.tokens),
                    6 => self.redactor.find_url(find_parameter(haystack, from), self.tokens),
                    _ => self.redactor.find_url(find_userinfo(haystack, from), self.tokens),
                }
            }
        }
    }
}

fn safe_name(name: &str) -> String {
    let safe = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    name.chars().map(|character| if safe(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::{Redactor, UnknownTokens, mark_foreign};
    use crate::redact::Encoding;
    use crate::secret::Secret;

    fn redactor() -> Redactor {
        Redactor::new([
            ("SHORT".to_owned(), Secret::new("true".to_owned())),
            ("KEY".to_owned(), Secret::new("p@ss/word \"1\"".to_owned())),
            ("LONGER".to_owned(), Secret::new("p@ss/word \"1\"-and-more".to_owned())),
        ])
    }

    #[test]
    fn r7_every_encoding_is_found_and_put_back() {
        let redactor = redactor();
        for encoding in Encoding::all() {
            let text = format!("a {} b", encoding.encode("p@ss/word \"1\""));
            let redacted = redactor.redact(text.as_bytes(), &UnknownTokens).expect("found");
            let shown = String::from_utf8(redacted.clone()).unwrap();
            assert!(shown.starts_with("a {{secret:KEY") && !shown.contains("word"), "{encoding:?}: {shown}");
            assert_eq!(redactor.restore(&redacted), Some(text.into_bytes()), "{encoding:?}");
        }
    }

    #[test]
    fn longest_value_first_and_short_ones_reported() {
        let redactor = redactor();
        let text = redactor.redact_text("x=p@ss/word \"1\"-and-more; y=true", &UnknownTokens);
        assert_eq!(text, "x={{secret:LONGER}}; y=true");
        assert_eq!(redactor.unsearched(), ["SHORT"]);
    }

    #[test]
    fn unusual_writings_are_found() {
        let redactor = Redactor::new([("KEY".to_owned(), Secret::new("v4l-ue/a&b+c d".to_owned()))]);
        let lines = STANDARD.encode(format!("{} v4l-ue/a&b+c d {}", "x".repeat(50), "y".repeat(50)));
        let lines = lines.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line).into_owned());
        let lines = lines.collect::<Vec<_>>().join("\r\n");
        for text in [
            "v4l-ue%2fa%26b%2Bc%20d",
            "v4l\\u002due/a&b+c d",
            "v4l-ue%252Fa%2526b%252Bc%2520d",
            "v4l-ue/a&amp;b+c d",
            &lines,
        ] {
            let found = redactor.find_at(text.as_bytes(), 0, &UnknownTokens).expect(text);
            assert!(found.pseudonym.starts_with("{{secret:KEY") && found.range.len() > 10, "{text}");
        }
    }

    #[test]
    fn what_reads_like_a_pseudonym_comes_back() {
        let redactor = redactor();
        let text = b"{{secret:KEY}} {{=token:~1}} {{token}} {{tokens}} {{=secret:KEY:json}} {{x}}";
        let marked = mark_foreign(text).expect("there are some");
        assert!(marked.starts_with(b"{{=secret:KEY}} {{==token:~1}} {{=token}} {{tokens}} {{==secret"));
        assert_eq!(redactor.restore(&marked).as_deref(), Some(&text[..]));
        assert_eq!(Redactor::default().restore(&marked).as_deref(), Some(&text[..]));
        assert_eq!(mark_foreign(b"{{ template }} {{tokens}}"), None);
    }

    #[test]
    fn debug_shows_names_only() {
        assert!(!format!("{:?}", redactor()).contains("word"));
    }
}
