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
    use super::is_sensitive_name;

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
