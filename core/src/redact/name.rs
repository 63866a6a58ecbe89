//! Names that announce a secret: the suffix-word rule.

/// Words whose presence at the end of a name makes its value a secret, joined and lower-cased.
/// The list is frozen: changing it changes match keys of old recordings.
const SENSITIVE: [&str; 15] = [
    "authorization",
    "apikey",
    "accesstoken",
    "refreshtoken",
    "token",
    "secret",
    "password",
    "cookie",
    "privatekey",
    "secretkey",
    "signingkey",
    "sessionkey",
    "credential",
    "passwd",
    "clientsecret",
];

/// Whether a key, header, query or form name says that its value is a secret.
///
/// The name is split into words at lower-case→upper-case, at ACRONYM→Word, at `-`, `_` and space; digits at the end of a
/// word are dropped; then the last word, the last two words joined and so on are looked up, with and without one final `s`.
pub fn is_sensitive_name(name: &str) -> bool {
    may_be_sensitive(name) && has_sensitive_suffix(name)
}

/// A look at the last letters, which tells most names from sensitive ones without taking them apart.
fn may_be_sensitive(name: &str) -> bool {
    const ENDINGS: [[u8; 2]; 8] = [*b"no", *b"ye", *b"ne", *b"te", *b"dr", *b"ei", *b"la", *b"dw"];
    if !name.is_ascii() {
        return true;
    }
    let mut letters =
        name.bytes().rev().filter(u8::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase());
    let mut last = letters.next();
    if last == Some(b's') {
        last = letters.next();
    }
    last.zip(letters.next()).is_some_and(|(last, before)| ENDINGS.contains(&[last, before]))
}

fn has_sensitive_suffix(name: &str) -> bool {
    let words = words(name);
    let mut suffix = String::new();
    for word in words.iter().rev() {
        suffix.insert_str(0, word);
        let singular = suffix.strip_suffix('s').unwrap_or(&suffix);
        if SENSITIVE.contains(&suffix.as_str()) || SENSITIVE.contains(&singular) {
            return true;
        }
    }
    false
}

fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, &character) in characters.iter().enumerate() {
        if matches!(character, '-' | '_' | ' ') {
            push_word(&mut words, &mut word);
            continue;
        }
        let previous = index.checked_sub(1).and_then(|at| characters.get(at)).copied();
        let next = characters.get(index + 1).copied();
        let starts_word = character.is_uppercase()
            && previous.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_uppercase() && next.is_some_and(char::is_lowercase))
            });
        if starts_word {
            push_word(&mut words, &mut word);
        }
        word.extend(character.to_lowercase());
    }
    push_word(&mut words, &mut word);
    words
}

fn push_word(words: &mut Vec<String>, word: &mut String) {
    let trimmed = word.trim_end_matches(|character: char| character.is_ascii_digit());
    if !trimmed.is_empty() {
        words.push(trimmed.to_owned());
    }
    word.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{SENSITIVE, has_sensitive_suffix, is_sensitive_name};

    proptest! {
        #[test]
        fn the_quick_look_never_misses(before in "[a-zA-Z_-]{0,4}", at in 0..SENSITIVE.len(), cut in 0..12_usize, after in "[-_ 0-9sS]{0,3}") {
            let word = SENSITIVE[at];
            let cut = cut.min(word.len());
            let name = format!("{before}{}-{}{after}", &word[..cut], &word[cut..]);
            prop_assert_eq!(is_sensitive_name(&name), has_sensitive_suffix(&name), "{}", name);
        }
    }

    #[test]
    fn documented_samples() {
        for name in [
            "token",
            "tokens",
            "accessToken",
            "ACCESS_TOKEN",
            "X-Api-Key",
            "apiKey0",
            "APIKey",
            "x-auth-token",
            "set-cookie",
            "secretKey",
            "clientSecret",
            "sessionToken",
            "credentials",
            "privateKeys",
            "passwd",
        ] {
            assert!(is_sensitive_name(name), "{name} must match");
        }
        for name in [
            "tokenCount",
            "passwordPolicy",
            "cookieCount2",
            "secretariat",
            "token_value",
            "key",
            "myapikey",
            "api.key",
            "auth",
            "pwd",
            "bearer",
            "www-authenticate",
            "ssn",
            "",
        ] {
            assert!(!is_sensitive_name(name), "{name} must not match");
        }
    }
}
