//! `mcpeak session lint`, `diff`, `prune`, `verify`, `import`, `export`.

use crate::support::{Api, Context};

/// A session of the weather API with two cities, recorded through the command line.
fn recorded(context: &Context, api: &Api, file: &str, cities: &[&str]) {
    let mut command = vec!["run".to_owned(), "--record-session".to_owned(), file.to_owned()];
    command.extend(api.flags(context));
    command.extend(["--", "curl", "-sS"].map(str::to_owned));
    for city in cities {
        command.push(format!("https://api.weather.example/v1/weather?city={city}"));
    }
    context.run(command).expect_code(0);
}

#[test]
fn r11_lint_is_the_gate_before_a_commit() {
    let context = Context::new();
    recorded(&context, &Api::weather(), "s.json", &["Seoul"]);
    context.run(["session", "lint", "s.json"]).expect_code(0).expect_stdout(&["no secret in s.json"]);
    let text = context.read("s.json");
    context.write("s.json", text.replace("\"tempC\": 21", "\"apiKey\": \"hunter2-hunter2\""));
    let run = context.run(["session", "lint", "s.json"]).expect_code(1);
    assert!(!run.stdout.contains("hunter2"), "{}", run.stdout);
    run.expect_stdout(&["response.body.json.apiKey: a secret by its name", "1 secret in s.json"])
        .expect_stderr(&["record the session again"]);
    let json = context.run(["session", "lint", "--json", "s.json"]).expect_code(1);
    let findings: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(findings[0]["findings"][0]["kind"], "name");
}

#[test]
fn f8_diff_tells_what_a_new_recording_changed() {
    let context = Context::new();
    let api = Api::weather();
    recorded(&context, &api, "a.json", &["Seoul", "Busan"]);
    recorded(&context, &api, "b.json", &["Seoul"]);
    context.run(["session", "diff", "a.json", "a.json"]).expect_code(0);
    let run = context.run(["session", "diff", "a.json", "b.json"]).expect_code(1);
    run.expect_stdout(&["only in a.json", "city=Busan", "1 alike, 0 changed, 1 gone, 0 new"]);
}

#[test]
fn f6_prune_takes_out_what_a_replay_did_not_use() {
    let context = Context::new();
    recorded(&context, &Api::weather(), "s.json", &["Seoul", "Busan"]);
    context.run(["session", "prune", "s.json"]).expect_code(1).expect_stderr(&["--unused-from"]);
    let before = context.read("s.json");
    let ids: Vec<&str> =
        before.split("\"id\": \"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let busan = usize::from(before.find("Busan") > before.find("Seoul"));
    let report = format!(
        r#"{{"session":{{"unused":[{{"method":"GET","url":"u","left":1,"of":1,"ids":["{}"]}}]}}}}"#,
        ids[busan]
    );
    context.write("report.json", &report);
    let run = context.run(["session", "prune", "s.json", "--unused-from", "report.json"]).expect_code(0);
    run.expect_stdout(&["city=Busan"]).expect_stderr(&["1 recording would be taken out", "--write"]);
    assert_eq!(context.read("s.json"), before);
    context.run(["session", "prune", "s.json", "--unused-from", "report.json", "--write"]).expect_code(0);
    let after = context.run(["session", "show", "s.json"]).expect_code(0);
    assert!(after.stdout.contains("Seoul") && !after.stdout.contains("Busan"), "{}", after.stdout);
}

#[test]
fn d5_verify_asks_the_live_origin() {
    let context = Context::new();
    let api = Api::weather();
    recorded(&context, &api, "s.json", &["Seoul"]);
    let flags = api.flags(&context);
    let command = |file: &str| {
        let fixed = ["session", "verify", file].map(str::to_owned);
        fixed.into_iter().chain(flags.iter().cloned()).collect::<Vec<_>>()
    };
    context.run(command("s.json")).expect_code(0).expect_stdout(&["1 request checked, 0 drifted"]);
    let text = context.read("s.json");
    context.write("old.json", text.replace("\"tempC\": 21", "\"tempC\": \"21\""));
    let run = context.run(command("old.json")).expect_code(1);
    run.expect_stdout(&["body.tempC is number, recorded string", "1 drifted"]);
}

#[test]
fn f7_a_session_goes_to_an_archive_and_back() {
    let context = Context::new();
    recorded(&context, &Api::weather(), "s.json", &["Seoul"]);
    context.run(["session", "export", "s.json", "--to", "s.har"]).expect_code(0);
    context.run(["session", "export", "s.json", "--to", "s.har"]).expect_code(1).expect_stderr(&["--force"]);
    let run = context.run(["session", "import", "s.har", "--to", "t.json", "--json"]).expect_code(0);
    let done: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&done["format"], &done["imported"]), (&"har".into(), &1.into()));
    context.run(["session", "diff", "s.json", "t.json"]).expect_code(0);
    context.write("other.txt", "no archive");
    context
        .run(["session", "import", "other.txt", "--to", "u.json"])
        .expect_code(1)
        .expect_stderr(&["--format"]);
}
