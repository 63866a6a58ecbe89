//! English.

use mcpeak_proxy::report::DestinationCounts;
use mcpeak_sandbox::capture::CaptureError;

use super::{Text, destination};

pub(super) struct English;

fn pair(message: impl Into<String>, hint: impl Into<String>) -> (String, String) {
    (message.into(), hint.into())
}

fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn capture_reason(why: &CaptureError) -> String {
    match why {
        CaptureError::Platform => "sockets are captured on Linux only, on x86-64 and arm64".to_owned(),
        CaptureError::Kernel => "the kernel is older than Linux 5.14".to_owned(),
        CaptureError::Nested => {
            "this process runs under another capture or supervisor, and the kernel allows one only (EBUSY)"
                .to_owned()
        }
        CaptureError::Refused { step, source } => format!("{step}: {source}"),
    }
}

impl Text for English {
    fn error_line(&self, code: &str, message: &str) -> String {
        format!("error [{code}]: {message}")
    }

    fn hint_line(&self, hint: &str) -> String {
        format!("fix: {hint}")
    }

    fn usage_hint(&self) -> String {
        "see `mcpeak --help`, or `mcpeak COMMAND --help` for one command".to_owned()
    }

    fn no_target(&self) -> (String, String) {
        pair(
            "no server given",
            "name it at the end, as in `mcpeak test weather.suite.json -- node server.mjs`, or with --command, --url or --mcp-config",
        )
    }

    fn two_targets(&self, first: &str, second: &str) -> (String, String) {
        pair(format!("two servers given: {first} and {second}"), format!("keep one of {first} and {second}"))
    }

    fn arg_without_command(&self) -> (String, String) {
        pair("--arg is given without --command", "add --command EXE, or put everything behind `--`")
    }

    fn server_and_config(&self) -> (String, String) {
        pair("--mcp-config and --server belong together", "give both: --mcp-config FILE --server NAME")
    }

    fn not_with_url(&self, flag: &str) -> (String, String) {
        pair(
            format!("{flag} has no meaning with --url: the server is not started by mcpeak"),
            format!("drop {flag}, or let mcpeak start the server with `-- EXE ARGS`"),
        )
    }

    fn only_with_url(&self, flag: &str) -> (String, String) {
        pair(
            format!("{flag} has a meaning only with --url"),
            format!("drop {flag}, or give the server as --url URL"),
        )
    }

    fn flags_exclude(&self, first: &str, second: &str) -> (String, String) {
        pair(format!("{first} and {second} exclude each other"), format!("drop {first} or {second}"))
    }

    fn bad_env_name(&self, flag: &str, given: &str) -> (String, String) {
        pair(
            format!("{flag} takes the name of an environment variable, and this is not one: {given}"),
            "give the name only (letters, digits, underscore); the value is read from the environment, so that it never shows in a process list",
        )
    }

    fn reserved_env_name(&self, name: &str) -> (String, String) {
        pair(
            format!("the variable {name} cannot be handed to the server"),
            "NODE_OPTIONS and names that begin with MCPEAK_ change how the server runs under test; set it inside the server's own start script",
        )
    }

    fn env_unset(&self, name: &str) -> (String, String) {
        pair(
            format!("the environment variable {name} is not set or empty"),
            format!("set it first, for example with `read -rs {name}; export {name}`"),
        )
    }

    fn env_unprintable(&self, name: &str) -> (String, String) {
        pair(
            format!("the value of the environment variable {name} cannot be used here"),
            "it must be UTF-8 text without line breaks and NUL",
        )
    }

    fn bad_header(&self, given: &str) -> (String, String) {
        pair(
            format!("--header-env does not read {given}"),
            "write HEADER=NAME: an HTTP header name, and the name of the environment variable that holds its value",
        )
    }

    fn duplicate_header(&self, header: &str) -> (String, String) {
        pair(format!("the header {header} is given twice"), "give each header once")
    }

    fn bad_flag_value(&self, flag: &str, given: &str, expected: &str) -> (String, String) {
        pair(format!("{flag} does not read {given}"), format!("write it as {expected}"))
    }

    fn session_needs_process(&self) -> (String, String) {
        pair(
            "--session and --record-session need a server that mcpeak starts: the calls of a running server cannot be led anywhere",
            "start it with `-- EXE ARGS`, or run `mcpeak proxy` beside the server and point the server's proxy variables to it (see `mcpeak env`)",
        )
    }

    fn run_needs_session(&self) -> (String, String) {
        pair(
            "nothing to do: neither --session nor --record-session is given",
            "give one of --session FILE and --record-session FILE",
        )
    }

    fn no_suite_in_folder(&self, folder: &str) -> (String, String) {
        pair(
            format!("no suite in the folder {folder}"),
            "suites in a folder are found by their name: *.suite.json",
        )
    }

    fn same_file(&self, path: &str, first: &str, second: &str) -> (String, String) {
        pair(format!("{path} is given both as {first} and as {second}"), "give each file a path of its own")
    }

    fn suite_twice(&self, path: &str) -> (String, String) {
        pair(
            format!("the suite {path} is given twice"),
            "name each suite once; a folder already holds the suites in it",
        )
    }

    fn folder_unreadable(&self, folder: &str, why: &str) -> (String, String) {
        pair(format!("the folder {folder} cannot be read: {why}"), "check the path and its permissions")
    }

    fn capture_unavailable(&self, why: &CaptureError) -> (String, String) {
        pair(
            format!("sockets cannot be captured here: {}", capture_reason(why)),
            match why {
                CaptureError::Nested => "leave the outer capture away, or use --capture env",
                CaptureError::Platform | CaptureError::Kernel | CaptureError::Refused { .. } => {
                    "use --capture env: it reaches clients that honour proxy variables; `mcpeak doctor` shows what works here"
                }
            },
        )
    }

    fn capture_fallback(&self, why: &CaptureError) -> String {
        format!(
            "sockets cannot be captured here ({}); proxy variables are used instead, and clients that ignore them are not seen",
            capture_reason(why)
        )
    }

    fn file_unwritable(&self, what: &str, path: &str, why: &str) -> (String, String) {
        pair(
            format!("the {what} {path} cannot be written: {why}"),
            "check that the folder exists, that it is writable and that the disk has room",
        )
    }

    fn command_start_failed(&self, command: &str, why: &str) -> (String, String) {
        pair(
            format!("the command {command} could not be started: {why}"),
            "check its spelling, that it is on PATH and executable",
        )
    }

    fn stdout_failed(&self, why: &str) -> (String, String) {
        pair(
            format!("the output could not be written: {why}"),
            "check where stdout leads, and that the disk has room",
        )
    }

    fn unhealthy(&self, address: &str, why: &str) -> (String, String) {
        pair(
            format!("no healthy proxy answers at {address}: {why}"),
            "start it with `mcpeak proxy --admin ADDRESS`, and give the same address to --admin here",
        )
    }

    fn internal(&self, what: &str) -> (String, String) {
        pair(
            format!("mcpeak itself failed: {what}"),
            "this is a defect of mcpeak; please report it with the command line",
        )
    }

    fn starting_server(&self) -> String {
        "starting the server".to_owned()
    }

    fn waiting_for(&self, what: &str) -> String {
        format!("waiting for the answer to {what}")
    }

    fn running_case(&self, suite: &str, case: &str, done: usize, total: usize) -> String {
        format!("{suite}: {case} ({done} of {total} done)")
    }

    fn proxy_listening(&self, address: &str) -> String {
        format!("proxy listening on {address}")
    }

    fn admin_listening(&self, address: &str) -> String {
        format!("admin endpoint on {address}")
    }

    fn reverse_listening(&self, address: &str, origin: &str) -> String {
        format!("reverse listener on {address} for {origin}")
    }

    fn ca_at(&self, path: &str) -> String {
        format!("certificate authority: {path}")
    }

    fn interrupted(&self) -> String {
        "interrupted: what was done until now follows; what was recorded is kept".to_owned()
    }

    fn recovered(&self, exchanges: usize, path: &str) -> String {
        format!("recovered {} into {path}", plural(exchanges as u64, "exchange"))
    }

    fn broken_lines(&self, lines: usize) -> String {
        format!(
            "! {} of the journal cut off or damaged: as many exchanges are missing from the session",
            plural(lines as u64, "line")
        )
    }

    fn no_failures_to_bundle(&self) -> String {
        "no failed case, so no repair bundle was written".to_owned()
    }

    fn demo_opening(&self, host: &str) -> String {
        format!(
            "An MCP server with two tools, started by this binary, asks an API over HTTPS: https://{host}\n\
             The server knows nothing of mcpeak. Three runs of one suite follow.\n\n"
        )
    }

    fn demo_record(&self) -> String {
        "1. Record: the server's HTTPS calls go through mcpeak's proxy to the API and into a file.".to_owned()
    }

    fn demo_api_asked(&self, times: usize) -> String {
        format!("the API was asked {times} time(s)")
    }

    fn demo_replay(&self) -> String {
        "2. Replay: the API is gone, its port is closed. The same suite again, answered from the file."
            .to_owned()
    }

    fn demo_same(&self, same: bool) -> String {
        if same {
            "the report is the same, byte for byte".to_owned()
        } else {
            "the report differs".to_owned()
        }
    }

    fn demo_changed(&self) -> String {
        "3. A changed call: the suite now asks for Busan, and only Seoul was recorded. Nothing is guessed."
            .to_owned()
    }

    fn demo_exit(&self, code: u8) -> String {
        format!("exit code {code}: a call without a recording fails the run")
    }

    fn demo_closing(&self, kept: Option<&str>) -> String {
        let kept = kept.map(|folder| format!("The files are in {folder}.\n")).unwrap_or_default();
        format!(
            "{kept}Your own server: put its start command behind `--` in the lines above.\n\
             Next: docs/guide/record-and-replay.md\n"
        )
    }

    fn session_recorded(&self, calls: u64, file: &str) -> String {
        format!("{} recorded into {file}", plural(calls, "outbound call"))
    }

    fn session_replayed(&self, calls: u64, file: &str) -> String {
        format!("{} replayed from {file}", plural(calls, "outbound call"))
    }

    fn session_passed(&self, calls: u64) -> String {
        format!("{} passed through, not recorded", plural(calls, "outbound call"))
    }

    fn session_tunnelled(&self, connections: u64) -> String {
        format!("{} tunnelled unread", plural(connections, "connection"))
    }

    fn session_destination(&self, counts: &DestinationCounts) -> String {
        destination(
            counts,
            ["recorded", "replayed", "missed", "passed through", "tunnelled unread", "refused"],
            |what, count| format!("{count} {what}"),
        )
    }

    fn session_upstream(&self, connections: u64) -> String {
        format!("connections opened by the proxy: {connections}")
    }

    fn session_missed(&self, calls: usize) -> String {
        format!("{} without a recording:", plural(calls as u64, "call"))
    }

    fn session_times(&self, count: u64) -> String {
        format!("{count} times")
    }

    fn session_unused(&self, exchanges: usize) -> String {
        format!("{} not used:", plural(exchanges as u64, "recorded call"))
    }

    fn session_left(&self, left: u64, of: u64) -> String {
        format!("{left} of {of} left")
    }

    fn miss_fix(&self, file: &str, all_used: bool) -> String {
        let again = format!("record again: the same command with --record-session {file} --force");
        if all_used {
            return format!(
                "Fix: make the call as often as it was recorded, allow repeats with --repeat last or cycle, or {again}"
            );
        }
        format!("Fix: make the call as it was recorded, or {again}")
    }

    fn miss_in_cases(&self, cases: &str) -> String {
        format!("in case {cases}")
    }

    fn miss_in_junit(&self) -> String {
        "no recording for this call".to_owned()
    }

    fn doctor_sockets(&self) -> String {
        "sockets are captured: any language, without the program's cooperation".to_owned()
    }

    fn doctor_variables(&self) -> String {
        "sockets are not captured; only clients that honour proxy variables are seen".to_owned()
    }

    fn doctor_off(&self) -> String {
        "nothing leads programs to the proxy, as asked for".to_owned()
    }

    fn doctor_trusts(&self, runtime: &str) -> String {
        format!("{runtime}: a recorded https call was replayed")
    }

    fn doctor_fails(&self, runtime: &str, words: &str) -> String {
        format!("{runtime}: no recorded answer: {words}")
    }

    fn seen_refused(&self, list: &str) -> String {
        format!("refused, for only TCP is captured (clients of QUIC go on over TCP): {list}")
    }

    fn seen_local_sockets(&self, list: &str) -> String {
        format!("connected to local sockets, and the programs behind them are not captured: {list}")
    }

    fn seen_passed(&self, list: &str) -> String {
        format!("let through to other programs of this machine: {list}")
    }

    fn seen_unreadable(&self, list: &str) -> String {
        format!("their memory may not be read, so their connections were refused: {list}")
    }

    fn ingress_environment(&self) -> String {
        "led here by proxy variables; clients that ignore them are not seen: Node's fetch and http before version 24 and its custom \
         agents, Go transports without Proxy, Java and Rust clients that are told to use none, Rust's hyper, libraries that dial by \
         themselves (WebSocket, databases), calls to loopback addresses"
            .to_owned()
    }

    fn ingress_sockets(&self, nothing_seen: bool) -> String {
        if nothing_seen {
            return "every socket of the server's processes was led here: it made no outbound call"
                .to_owned();
        }
        "every socket of the server's processes was led here".to_owned()
    }

    fn nothing_seen(&self) -> String {
        "no outbound call reached the proxy: the server made none, or its calls went past it to the network. HTTP clients that \
         ignore proxy variables do that (Node's fetch before version 24), and so do calls to loopback addresses"
            .to_owned()
    }
}
