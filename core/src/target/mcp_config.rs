//! `mcpServers` files (Claude, Cursor) and `servers` files (VS Code).

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::endpoint::Endpoint;
use super::error::TargetError;
use super::jsonc;
use super::placeholder::{Unfilled, fill};
use super::spec::{HttpTarget, StdioTarget, Target};
use crate::secret::Secret;

/// An entry of a configuration file, ready to use.
#[derive(Clone, Debug)]
pub struct ConfiguredServer {
    /// The server.
    pub target: Target,
    /// Its `env`: values stand in the file and count as secrets.
    pub env: Vec<(String, Secret<String>)>,
    /// Every value that must not be shown: of `env`, of `headers`, and of the variables that placeholders named.
    pub secrets: Vec<Secret<String>>,
}

/// Reads an entry of a configuration file. `lookup` gives the value of an environment variable for placeholders.
pub fn read_mcp_config(
    path: &Path,
    server: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<ConfiguredServer, TargetError> {
    let text = std::fs::read_to_string(path).map_err(|error| TargetError::Read {
        path: path.to_owned(),
        message: error.to_string(),
        kind: error.kind(),
    })?;
    server_from_config(&text, path, server, lookup)
}

/// The same for a text; `path` is for messages.
pub fn server_from_config(
    text: &str,
    path: &Path,
    server: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<ConfiguredServer, TargetError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: Value = serde_json::from_str(&jsonc::to_json(text)).map_err(|error| TargetError::Json {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        message: parser_words(&error.to_string()),
    })?;
    let servers = servers_of(&document).ok_or_else(|| TargetError::NoServers { path: path.to_owned() })?;
    let Some(entry) = servers.get(server) else {
        return Err(TargetError::UnknownServer {
            name: server.to_owned(),
            known: servers.keys().cloned().collect(),
            nearest: nearest(server, servers.keys()),
        });
    };
    let Some(members) = entry.as_object() else {
        return Err(TargetError::Entry {
            server: server.to_owned(),
            member: String::new(),
            expected: "an object with `command` or `url`",
        });
    };
    let filled_in = RefCell::new(Vec::new());
    let noting = |name: &str| {
        let value = lookup(name)?;
        filled_in.borrow_mut().push(Secret::new(value.clone()));
        Some(value)
    };
    let (target, env) = EntryReader { server, members, lookup: &noting }.read()?;
    let headers = match &target {
        Target::Http(http) => http.headers.as_slice(),
        Target::Stdio(_) => &[],
    };
    let mut secrets: Vec<_> = env.iter().chain(headers).map(|(_, value)| value.clone()).collect();
    secrets.extend(filled_in.take());
    secrets.retain(|value| !value.expose_secret().is_empty());
    Ok(ConfiguredServer { target, env, secrets })
}

/// serde_json repeats the position at the end of its sentence.
fn parser_words(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(words, _)| words).to_owned()
}

fn servers_of(document: &Value) -> Option<&Map<String, Value>> {
    ["/mcpServers", "/servers", "/mcp/servers"]
        .iter()
        .find_map(|pointer| document.pointer(pointer).and_then(Value::as_object))
}

/// A server and its `env`.
type Entry = (Target, Vec<(String, Secret<String>)>);

struct EntryReader<'a> {
    server: &'a str,
    members: &'a Map<String, Value>,
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl EntryReader<'_> {
    fn read(&self) -> Result<Entry, TargetError> {
        let transport =
            self.members.get("type").or_else(|| self.members.get("transport")).and_then(Value::as_str);
        let has_url = self.members.contains_key("url");
        match transport {
            None if has_url => self.http(),
            None | Some("stdio") => self.stdio(),
            Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => self.http(),
            Some(other) => {
                Err(TargetError::Transport { server: self.server.to_owned(), transport: other.to_owned() })
            }
        }
    }

    fn stdio(&self) -> Result<Entry, TargetError> {
        let Some(command) = self.text("command")?.filter(|command| !command.is_empty()) else {
            return Err(self.wrong("command", "a text that is not empty"));
        };
        let args = match self.members.get("args") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.fill_value(&format!("args[{index}]"), item))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(self.wrong("args", "an array of texts")),
        };
        let cwd = self.text("cwd")?.map(PathBuf::from);
        let env = self.named_texts("env")?;
        Ok((Target::Stdio(StdioTarget { executable: command, args, cwd }), env))
    }

    fn http(&self) -> Result<Entry, TargetError> {
        let Some(url) = self.text("url")? else { return Err(self.wrong("url", "a text")) };
        let endpoint = Endpoint::parse(&url)?;
        let mut headers = Vec::new();
        for (name, value) in self.named_texts("headers")? {
            let valid = http::HeaderName::from_bytes(name.as_bytes()).is_ok()
                && http::HeaderValue::from_str(value.expose_secret()).is_ok();
            if !valid {
                return Err(TargetError::Header { name });
            }
            headers.push((name.to_ascii_lowercase(), value));
        }
        Ok((Target::Http(HttpTarget { endpoint, headers }), Vec::new()))
    }

    fn text(&self, member: &str) -> Result<Option<String>, TargetError> {
        match self.members.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.fill_value(member, value).map(Some),
        }
    }

    fn named_texts(&self, member: &str) -> Result<Vec<(String, Secret<String>)>, TargetError> {
        match self.members.get(member) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(entries)) => entries
                .iter()
                // VS Code writes null for a variable that is to be absent.
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| {
                    let path = format!("{member}.{name}");
                    let value = match value {
                        Value::Number(_) | Value::Bool(_) => value.to_string(),
                        _ => self.fill_value(&path, value)?,
                    };
                    Ok((name.clone(), Secret::new(value)))
                })
                .collect(),
            Some(_) => Err(self.wrong(member, "an object of texts")),
        }
    }

    fn fill_value(&self, member: &str, value: &Value) -> Result<String, TargetError> {
        let Value::String(text) = value else { return Err(self.wrong(member, "a text")) };
        fill(text, self.lookup).map_err(|unfilled| match unfilled {
            Unfilled::Unset(variable) => {
                TargetError::Unset { server: self.server.to_owned(), member: member.to_owned(), variable }
            }
            Unfilled::Unknown(placeholder) => TargetError::Placeholder {
                server: self.server.to_owned(),
                member: member.to_owned(),
                placeholder,
            },
        })
    }

    fn wrong(&self, member: &str, expected: &'static str) -> TargetError {
        TargetError::Entry { server: self.server.to_owned(), member: member.to_owned(), expected }
    }
}

/// The most similar name, if it is similar at all.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<String> {
    let wanted = name.to_lowercase();
    known
        .map(|candidate| (edit_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            let longer = wanted.chars().count().max(candidate.chars().count());
            *distance * 2 <= longer
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.clone())
}

/// Levenshtein distance in characters.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, &to) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ConfiguredServer, Target, TargetError, server_from_config};

    fn read(text: &str, server: &str) -> Result<ConfiguredServer, TargetError> {
        let lookup = |name: &str| (name == "API_KEY").then(|| "hunter2".to_owned());
        server_from_config(text, Path::new("mcp.json"), server, &lookup)
    }

    #[test]
    fn reads_claude_and_cursor_entries() {
        let text = r#"{"mcpServers": {"weather": {"command": "npx", "args": ["-y", "weather", "${API_KEY}"],
            "env": {"KEY": "literal", "PORT": 80}, "cwd": "/srv"}}}"#;
        let server = read(text, "weather").unwrap();
        let Target::Stdio(stdio) = &server.target else { panic!("not stdio") };
        assert_eq!((stdio.executable.as_str(), stdio.args.len()), ("npx", 3));
        assert_eq!(stdio.args[2], "hunter2");
        assert_eq!(stdio.cwd.as_deref(), Some(Path::new("/srv")));
        assert_eq!(server.env[0].1.expose_secret(), "literal");
        assert_eq!(server.env[1].1.expose_secret(), "80");
        let secrets: Vec<_> = server.secrets.iter().map(|secret| secret.expose_secret().as_str()).collect();
        assert_eq!(secrets, ["literal", "80", "hunter2"]);
        assert!(!format!("{:?}", server.env).contains("literal"));
    }

    #[test]
    fn reads_vs_code_entries_with_comments() {
        let text = "{ // mine\n\"servers\": {\"gh\": {\"type\": \"http\", \"url\": \"https://x/mcp\",
            \"headers\": {\"Authorization\": \"Bearer ${env:API_KEY}\"},},},}";
        let server = read(text, "gh").unwrap();
        let Target::Http(http) = server.target else { panic!("not http") };
        assert_eq!(http.headers[0].0, "authorization");
        assert_eq!(http.headers[0].1.expose_secret(), "Bearer hunter2");
        assert!(!format!("{http:?}").contains("hunter2"));
    }

    #[test]
    fn says_what_is_wrong() {
        let text = r#"{"mcpServers": {"weather": {"command": 1}, "github": {"command": "x", "args": ["${NOPE}"]},
            "old": {"type": "sse", "url": "http://x"}, "in": {"command": "${input:k}"}}}"#;
        let TargetError::UnknownServer { known, nearest, .. } = read(text, "wether").unwrap_err() else {
            panic!("not unknown")
        };
        assert_eq!((known.len(), nearest.as_deref()), (4, Some("weather")));
        assert!(matches!(read(text, "zzz"), Err(TargetError::UnknownServer { nearest: None, .. })));
        assert!(
            matches!(read(text, "weather"), Err(TargetError::Entry { member, .. }) if member == "command")
        );
        assert!(
            matches!(read(text, "github"), Err(TargetError::Unset { variable, .. }) if variable == "NOPE")
        );
        assert!(matches!(read(text, "old"), Err(TargetError::Transport { .. })));
        assert!(matches!(read(text, "in"), Err(TargetError::Placeholder { .. })));
        assert!(matches!(read("{}", "a"), Err(TargetError::NoServers { .. })));
        let TargetError::Json { line, column, message, .. } = read("{\n  \"a\": ?\n}", "a").unwrap_err()
        else {
            panic!("not json")
        };
        assert_eq!((line, column, message.as_str()), (2, 8, "expected value"));
    }
}
