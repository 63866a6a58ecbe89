//! Sentences of the command line, one implementation per language.

mod en;
mod ko;
pub(crate) mod session;

use mcpeak_core::locale::Locale;
use mcpeak_proxy::report::DestinationCounts;
use mcpeak_sandbox::capture::CaptureError;

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
/// Text from outside that is passed in is escaped where the result is printed.
pub(crate) trait Text: Sync {
    // Layout.
    fn error_line(&self, code: &str, message: &str) -> String;
    fn hint_line(&self, hint: &str) -> String;

    // Usage.
    fn usage_hint(&self) -> String;
    fn no_target(&self) -> (String, String);
    fn two_targets(&self, first: &str, second: &str) -> (String, String);
    fn arg_without_command(&self) -> (String, String);
    fn server_and_config(&self) -> (String, String);
    fn not_with_url(&self, flag: &str) -> (String, String);
    fn only_with_url(&self, flag: &str) -> (String, String);
    fn flags_exclude(&self, first: &str, second: &str) -> (String, String);
    fn bad_env_name(&self, flag: &str, given: &str) -> (String, String);
    fn reserved_env_name(&self, name: &str) -> (String, String);
    fn env_unset(&self, name: &str) -> (String, String);
    fn env_unprintable(&self, name: &str) -> (String, String);
    fn bad_header(&self, given: &str) -> (String, String);
    fn duplicate_header(&self, header: &str) -> (String, String);
    fn bad_flag_value(&self, flag: &str, given: &str, expected: &str) -> (String, String);
    fn session_needs_process(&self) -> (String, String);
    fn run_needs_session(&self) -> (String, String);
    fn no_suite_in_folder(&self, folder: &str) -> (String, String);
    fn same_file(&self, path: &str, first: &str, second: &str) -> (String, String);
    fn suite_twice(&self, path: &str) -> (String, String);
    fn folder_unreadable(&self, folder: &str, why: &str) -> (String, String);
    fn capture_unavailable(&self, why: &CaptureError) -> (String, String);
    fn capture_fallback(&self, why: &CaptureError) -> String;

    // Files and the system.
    fn file_unwritable(&self, what: &str, path: &str, why: &str) -> (String, String);
    fn command_start_failed(&self, command: &str, why: &str) -> (String, String);
    fn stdout_failed(&self, why: &str) -> (String, String);
    fn unhealthy(&self, address: &str, why: &str) -> (String, String);
    fn internal(&self, what: &str) -> (String, String);

    // Progress and notices.
    fn starting_server(&self) -> String;
    fn waiting_for(&self, what: &str) -> String;
    fn running_case(&self, suite: &str, case: &str, done: usize, total: usize) -> String;
    fn proxy_listening(&self, address: &str) -> String;
    fn admin_listening(&self, address: &str) -> String;
    fn reverse_listening(&self, address: &str, origin: &str) -> String;
    fn ca_at(&self, path: &str) -> String;
    fn interrupted(&self) -> String;
    fn recovered(&self, exchanges: usize, path: &str) -> String;
    fn broken_lines(&self, lines: usize) -> String;
    fn no_failures_to_bundle(&self) -> String;

    // Demonstration.
    fn demo_opening(&self, host: &str) -> String;
    fn demo_record(&self) -> String;
    fn demo_api_asked(&self, times: usize) -> String;
    fn demo_replay(&self) -> String;
    fn demo_same(&self, same: bool) -> String;
    fn demo_changed(&self) -> String;
    fn demo_exit(&self, code: u8) -> String;
    fn demo_closing(&self, kept: Option<&str>) -> String;

    // Doctor.
    fn doctor_sockets(&self) -> String;
    fn doctor_variables(&self) -> String;
    fn doctor_off(&self) -> String;
    fn doctor_trusts(&self, runtime: &str) -> String;
    fn doctor_fails(&self, runtime: &str, words: &str) -> String;

    // The session block.
    fn session_recorded(&self, calls: u64, file: &str) -> String;
    fn session_replayed(&self, calls: u64, file: &str) -> String;
    fn session_passed(&self, calls: u64) -> String;
    fn session_tunnelled(&self, connections: u64) -> String;
    fn session_destination(&self, counts: &DestinationCounts) -> String;
    fn session_upstream(&self, connections: u64) -> String;
    fn miss_in_junit(&self) -> String;
    fn session_missed(&self, calls: usize) -> String;
    fn miss_in_cases(&self, cases: &str) -> String;
    fn session_times(&self, count: u64) -> String;
    fn session_unused(&self, exchanges: usize) -> String;
    fn session_left(&self, left: u64, of: u64) -> String;
    fn miss_fix(&self, file: &str, all_used: bool) -> String;
    fn seen_refused(&self, list: &str) -> String;
    fn seen_local_sockets(&self, list: &str) -> String;
    fn seen_passed(&self, list: &str) -> String;
    fn seen_unreadable(&self, list: &str) -> String;
    fn ingress_environment(&self) -> String;
    fn ingress_sockets(&self, nothing_seen: bool) -> String;
    fn nothing_seen(&self) -> String;
}

/// The sentences of a language.
pub(crate) fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}

/// What became of the calls to one destination, in a fixed order and without what did not happen. The names are those of
/// recorded, replayed, missed, passed, tunnelled and refused ones.
fn destination(
    counts: &DestinationCounts,
    names: [&str; 6],
    written: impl Fn(&str, u64) -> String,
) -> String {
    let DestinationCounts { recorded, replayed, missed, passed, tunnelled, refused } = *counts;
    let all = names.into_iter().zip([recorded, replayed, missed, passed, tunnelled, refused]);
    let happened = all.filter(|(_, count)| *count > 0).map(|(name, count)| written(name, count));
    happened.collect::<Vec<_>>().join(", ")
}
