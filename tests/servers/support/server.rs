//! A server, its stand-ins and its suite; recording and replaying it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::context::{Run, run_command};
use super::{Api, Context};

const SUITE: &str = "server.suite.json";
const SESSION: &str = "server.session.json";

/// A server under test.
#[derive(Default)]
pub(crate) struct Server {
    /// What starts it.
    pub(crate) command: Vec<String>,
    /// Flags of mcpeak beyond those of every server.
    pub(crate) flags: Vec<String>,
    /// Its API key and the variable that it reads it from.
    pub(crate) key: Option<(&'static str, &'static str)>,
    /// The stand-ins of what it asks.
    pub(crate) apis: Vec<Api>,
    /// The text of its suite.
    pub(crate) suite: String,
    /// Every request of the run as `METHOD URL` without the query, sorted, each once; none more, none less.
    pub(crate) asks: &'static [&'static str],
    /// Match rules that go into the session file, for what differs from run to run.
    pub(crate) rules: &'static [&'static str],
}

impl Server {
    /// Records the suite against the stand-ins and replays it without them: both pass, both print the same, nothing else was asked
    /// for, nothing was connected to in replay, and the key is in no file.
    pub(crate) fn records_and_replays(mut self) {
        let context = Context::new();
        context.write(SUITE, &self.suite);
        let recorded = self.run(&context, &self.recording(&context)).expect_code(0);
        for api in &mut self.apis {
            api.stop();
        }
        let mut asked = asked(&context);
        let calls = format!("{} outbound call", asked.len());
        asked.dedup();
        assert_eq!(asked, self.asks);
        self.add_rules(&context);
        let replayed = self
            .run(&context, &["--session".to_owned(), SESSION.to_owned()])
            .expect_code(0)
            .expect_stderr(&[&calls, "connections opened by the proxy: 0"]);
        assert_eq!(recorded.stdout, replayed.stdout);
        self.assert_key_is_in_no_file(context.folder());
    }

    fn recording(&self, context: &Context) -> Vec<String> {
        let mut flags = vec!["--record-session".to_owned(), SESSION.to_owned()];
        for api in &self.apis {
            let ca = context.write(&format!("{}.pem", api.host), &api.ca_pem);
            let resolve = format!("{}:443:{}", api.host, api.address);
            flags.extend(["--upstream-ca".to_owned(), ca.display().to_string()]);
            flags.extend(["--resolve".to_owned(), resolve]);
        }
        flags
    }

    fn run(&self, context: &Context, session: &[String]) -> Run {
        let mut line = vec!["test", SUITE, "--capture", "socket"];
        line.extend(session.iter().chain(&self.flags).map(String::as_str));
        line.extend(self.key.iter().flat_map(|(name, _)| ["--env", *name]));
        line.push("--");
        line.extend(self.command.iter().map(String::as_str));
        let mut command: Command = context.command(line);
        command.envs(self.key);
        run_command(command)
    }

    fn add_rules(&self, context: &Context) {
        if !self.rules.is_empty() {
            let mut session = session(context);
            session["rules"] = json!(self.rules);
            context.write(SESSION, session.to_string());
        }
    }

    fn assert_key_is_in_no_file(&self, folder: &Path) {
        let Some((_, key)) = self.key else { return };
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.assert_key_is_in_no_file(&path);
            } else if path.is_file() {
                let bytes = std::fs::read(&path).expect("the file can be read");
                let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
                assert!(!found, "the key is in {}", path.display());
            }
        }
    }
}

fn session(context: &Context) -> Value {
    serde_json::from_str(&context.read(SESSION)).expect("the session file is JSON")
}

/// What the session file holds, as `METHOD URL` without the query, sorted.
fn asked(context: &Context) -> Vec<String> {
    let session = session(context);
    let exchanges = session["exchanges"].as_array().expect("a list of exchanges");
    let mut asked: Vec<String> = exchanges
        .iter()
        .map(|exchange| {
            let request = &exchange["request"];
            let url = request["url"].as_str().expect("a URL");
            let url = url.split_once('?').map_or(url, |(before, _)| before);
            format!("{} {url}", request["method"].as_str().expect("a method"))
        })
        .collect();
    asked.sort();
    asked
}
