//! Pages of `docs/reference` that are made from the code. The tests fail when a page is out of date; with
//! `MCPEAK_WRITE_DOCS=1` they write it instead.

use std::fmt::Write as _;
use std::path::Path;

use clap::CommandFactory as _;
use mcpeak_core::exit::ExitCode;

use crate::args::Cli;
use crate::settings::environment::VARIABLES;

fn check(page: &str, contents: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference").join(page);
    if std::env::var_os("MCPEAK_WRITE_DOCS").is_some() {
        std::fs::write(&path, contents).expect("the page can be written");
    }
    let present = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(present, contents, "{page} is out of date: run the tests once with MCPEAK_WRITE_DOCS=1");
}

#[test]
fn exit_codes_page() {
    let mut page =
        String::from("# Exit codes\n\nMade from `core/src/exit.rs`.\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in ExitCode::ALL {
        writeln!(page, "| {} | {meaning} |", code.code()).unwrap();
    }
    page.push_str("\n`mcpeak run` gives the exit code of its command, and 1 where that succeeded and a call had no recording; 128 and the signal's number if a signal ended it; 130 if mcpeak itself was interrupted, whatever its command made of it.\n");
    check("exit-codes.md", &page);
}

#[test]
fn environment_page() {
    let mut page = String::from(
        "# Environment variables\n\nMade from `cli/src/settings/environment.rs`: what mcpeak itself reads.\n\n| variable | meaning |\n|---|---|\n",
    );
    for (name, meaning) in VARIABLES {
        writeln!(page, "| {name} | {meaning} |").unwrap();
    }
    check("environment.md", &page);
}

#[test]
fn command_line_page() {
    let mut page = String::from("# Command line\n\nMade from the arguments in `cli/src/args`.\n");
    let mut root = Cli::command().term_width(100);
    root.build();
    describe(&mut page, &mut root, "mcpeak");
    check("command-line.md", &page);
}

fn describe(page: &mut String, command: &mut clap::Command, path: &str) {
    write!(page, "\n## {path}\n\n```text\n{}```\n", command.render_long_help()).unwrap();
    let names: Vec<String> = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
        .map(|sub| sub.get_name().to_owned())
        .collect();
    for name in names {
        if let Some(sub) = command.find_subcommand_mut(&name) {
            describe(page, sub, &format!("{path} {name}"));
        }
    }
}
