//! The name that was probably meant.

use mcpeak_core::canonical::utf16_cmp;

/// Names further away than this many edits are no suggestion.
const MAX_DISTANCE: usize = 2;

/// The nearest name: at most two edits and at most half of the longer name. Ties go by UTF-16 code unit.
pub(super) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted: Vec<char> = name.chars().collect();
    known
        .filter_map(|candidate| {
            let letters: Vec<char> = candidate.chars().collect();
            let longer = wanted.len().max(letters.len());
            if wanted.len().abs_diff(letters.len()) > MAX_DISTANCE {
                return None;
            }
            let distance = levenshtein(&wanted, &letters);
            (distance <= MAX_DISTANCE && distance * 2 <= longer).then_some((distance, candidate))
        })
        .min_by(|left, right| left.0.cmp(&right.0).then_with(|| utf16_cmp(left.1, right.1)))
        .map(|(_, candidate)| candidate.to_owned())
}

fn levenshtein(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, from) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn near_names_only() {
        let known = ["get_weather", "get_weathers", "add", "서울_날씨"];
        assert_eq!(suggestion("get_wether", known.into_iter()).as_deref(), Some("get_weather"));
        assert_eq!(suggestion("서울날씨", known.into_iter()).as_deref(), Some("서울_날씨"));
        assert_eq!(suggestion("xyz", known.into_iter()), None);
        assert_eq!(suggestion("ab", ["ac", "ad"].into_iter()).as_deref(), Some("ac"));
    }
}
