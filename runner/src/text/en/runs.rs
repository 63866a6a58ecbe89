//! Sentences about runs.

use super::{DeterminismFacts, Sentence, ServerLine, plural, sentence};
use crate::body::BodyProblem;
use crate::determinism::Unavailable;
use crate::diagnostic::{Cause, ViolationFacts};
use crate::lint::{FindingFacts, RangeRule};
use crate::report::{LostCause, StopReason};
use crate::reset::ResetErrorKind;

pub(super) fn diagnostic(cause: &Cause<'_>) -> Sentence {
    match cause {
        Cause::ToolNotFound { tool, listed } => sentence(
            format!("There is no tool '{tool}'. The server lists: {}", names(listed)),
            "Correct the tool's name in the suite, or make the server list it.",
        ),
        Cause::ExpectedError => sentence(
            "An error response was expected, but the call succeeded.",
            "Check whether the server validates this input.",
        ),
        Cause::ExpectedSuccess => sentence(
            "A successful response was expected, but the tool reported an error.",
            "Check the tool's input and the server's words.",
        ),
        Cause::ResultUnavailable => {
            sentence("The operation gave no result to look at.", "Solve what made the operation fail first.")
        }
        Cause::CaseTimeout { name, timeout_ms } => sentence(
            format!("The case '{name}' did not end within {timeout_ms}ms."),
            "Find out why the server is slow, or raise timeoutMs.",
        ),
        Cause::RunAborted { name } => sentence(
            format!("The run was interrupted while the case '{name}' was running."),
            "Run the suite again and let it finish.",
        ),
        Cause::BodyMismatch { total } => sentence(
            format!(
                "The response does not match its schema: {total} {}.",
                plural(*total, "violation", "violations")
            ),
            "Compare the server's response with the schema, and correct the one that is wrong.",
        ),
        Cause::StructuredMismatch { total } => sentence(
            format!(
                "structuredContent does not match its schema: {total} {}.",
                plural(*total, "violation", "violations")
            ),
            "Compare the server's structuredContent with the schema, and correct the one that is wrong.",
        ),
        Cause::Body(problem) => body(*problem),
        Cause::StructuredMissing => sentence(
            "The response has no structuredContent.",
            "Make the server return structuredContent, or use bodyMatchesSchema for its text.",
        ),
    }
}

fn body(problem: BodyProblem) -> Sentence {
    match problem {
        BodyProblem::ContentNotArray { found } => sentence(
            format!("content of the response has to be an array. Found: {found}."),
            "Correct the server's response: content is a list of blocks.",
        ),
        BodyProblem::BlockCount(count) => sentence(
            format!("content has to hold exactly one block. Found: {count}."),
            "Make the server return one text block, or assert isError or structuredContent instead.",
        ),
        BodyProblem::BlockNotText => sentence(
            "The block in content is not of type text.",
            "bodyMatchesSchema looks at text only; assert isError or structuredContent instead.",
        ),
        BodyProblem::TextMissing => sentence(
            "The text block has no string 'text'.",
            "Correct the server's response: a text block carries a string 'text'.",
        ),
    }
}

pub(super) fn violation(facts: &ViolationFacts<'_>) -> String {
    match facts {
        ViolationFacts::Type { expected, actual } => {
            format!("wrong type. Expected: {expected}, actual: {actual}")
        }
        ViolationFacts::Const { expected, actual } => {
            format!("wrong value. Expected: {expected}, actual: {actual}")
        }
        ViolationFacts::Enum { expected, actual } => {
            format!("not one of the allowed values. Allowed: {expected}, actual: {actual}")
        }
        ViolationFacts::Required { observed, total } => {
            let quoted: Vec<String> = observed.iter().map(|key| format!("'{key}'")).collect();
            let more = total - observed.len();
            let more = if more > 0 { format!(", … ({more} more)") } else { String::new() };
            format!("required field missing. Found fields: {}{more}", names(&quoted))
        }
        ViolationFacts::Additional => "field is not allowed.".to_owned(),
        ViolationFacts::MinItems { limit, found } => {
            format!("too few elements. Minimum: {limit}, actual: {found}")
        }
        ViolationFacts::MinLength { limit, found } => {
            format!("text too short. Minimum: {limit} characters, actual: {found}")
        }
        ViolationFacts::MaxLength { limit, found } => {
            format!("text too long. Maximum: {limit} characters, actual: {found}")
        }
        ViolationFacts::Contains { part, actual } => {
            format!("text lacks a part. Expected part: {part}, actual: {actual}")
        }
        ViolationFacts::Minimum { limit, actual } => {
            format!("number too small. Minimum: {limit}, actual: {actual}")
        }
        ViolationFacts::Maximum { limit, actual } => {
            format!("number too large. Maximum: {limit}, actual: {actual}")
        }
    }
}

pub(super) fn stop(reason: &StopReason) -> String {
    match reason {
        StopReason::Timeout { case_id } => {
            format!("the case '{case_id}' timed out; the cases after it were not run.")
        }
        StopReason::AbortSignal { .. } => "interrupted from outside.".to_owned(),
        StopReason::ConnectionLost { cause, exit_code, signal, .. } => match cause {
            LostCause::ProcessExited => {
                let how = match (exit_code, signal) {
                    (Some(code), _) => format!(" (exit code {code})"),
                    (None, Some(signal)) => format!(" (signal {signal})"),
                    (None, None) => String::new(),
                };
                format!("the server process ended.{how}")
            }
            LostCause::TransportFailed => "the connection to the server broke.".to_owned(),
            LostCause::HttpSessionLost => "the server no longer knows the HTTP session.".to_owned(),
        },
    }
}

pub(super) fn finding(facts: &FindingFacts) -> String {
    match facts {
        FindingFacts::ToolNotDeclared { tool, suggestion } => match suggestion {
            Some(name) => format!("The server lists no tool '{tool}'. Did you mean '{name}'?"),
            None => format!("The server lists no tool '{tool}'."),
        },
        FindingFacts::RequiredMissing { field } => format!("The required field '{field}' is missing."),
        FindingFacts::UndeclaredField { field } => {
            format!("The field '{field}' is not declared, and no others are allowed.")
        }
        FindingFacts::TypeMismatch { field, expected, actual } => {
            format!("'{field}' is declared as {expected}; the suite sends {actual}.")
        }
        FindingFacts::EnumMismatch { field, allowed, actual } => {
            format!("'{field}' allows {allowed}; the suite sends {actual}.")
        }
        FindingFacts::RangeMismatch { field, rule, limit, actual } => {
            let rule = match rule {
                RangeRule::Minimum => "at least",
                RangeRule::Maximum => "at most",
                RangeRule::ExclusiveMinimum => "more than",
                RangeRule::ExclusiveMaximum => "less than",
                RangeRule::MinLength => "a length of at least",
                RangeRule::MaxLength => "a length of at most",
                RangeRule::MinItems => "a number of elements of at least",
                RangeRule::MaxItems => "a number of elements of at most",
            };
            format!("'{field}' has to have {rule} {limit}; the suite sends {actual}.")
        }
        FindingFacts::SchemaNotAnalyzable { reason } => {
            format!("The input schema of the tool cannot be read this simply: {reason}.")
        }
        FindingFacts::RejectionWithoutViolation => {
            "The server may refuse for a reason that its schema does not tell, or accept the call.".to_owned()
        }
        FindingFacts::VacuousMinLength { path } => format!("minLength 0 is always true: {path}"),
        FindingFacts::VacuousMinItems { path } => format!("minItems 0 is always true: {path}"),
    }
}

pub(super) fn determinism(facts: DeterminismFacts) -> Vec<String> {
    let mut lines = Vec::new();
    let cases = plural(facts.compared, "case", "cases");
    if facts.differences == 0 {
        lines.push(format!("Determinism: both passes gave the same ({} {cases} compared)", facts.compared));
        if !facts.reset {
            lines.push(
                "  → The state was not reset between them; with --reset-cmd the conclusion is firmer."
                    .to_owned(),
            );
        }
    } else {
        lines.push(format!(
            "Determinism: {} of {} {cases} differ between the passes",
            facts.differences, facts.compared
        ));
        lines.push("  → This does not change the exit code.".to_owned());
        if !facts.reset {
            lines.push(
                "  → The state was not reset between the passes: a difference can come from what the first one left."
                    .to_owned(),
            );
        }
    }
    if facts.skipped > 0 {
        lines.push(format!(
            "  → {} {} ran in neither pass and were not compared.",
            facts.skipped,
            plural(facts.skipped, "case", "cases")
        ));
    }
    lines
}

pub(super) fn determinism_unavailable(reason: &Unavailable) -> Vec<String> {
    let reason = match reason {
        Unavailable::StartFailed(message) => format!("the server could not be started again: {message}"),
        Unavailable::ResetFailed(message) => format!("the reset command failed: {message}"),
        Unavailable::FirstPassStopped => "the first pass did not finish".to_owned(),
        Unavailable::TimedOut { case_id } => format!("the case '{case_id}' timed out in the second pass"),
        Unavailable::ConnectionLost { case_id } => {
            format!("the connection was lost in the case '{case_id}' of the second pass")
        }
        Unavailable::Aborted => "the second pass was interrupted".to_owned(),
    };
    vec!["Determinism: the passes could not be compared".to_owned(), format!("  → {reason}.")]
}

pub(super) fn server(line: &ServerLine<'_>) -> String {
    match line {
        ServerLine::ProcessHeading => "Server process".to_owned(),
        ServerLine::Exit { code, signal } => {
            let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
            format!("  exit code: {code}  signal: {}", signal.unwrap_or("none"))
        }
        ServerLine::StderrEmpty => "  stderr: (empty)".to_owned(),
        ServerLine::Stderr { shown, above, truncated } => {
            let cut = "the beginning was dropped while collecting";
            match (above, truncated) {
                (0, false) => "  stderr (all):".to_owned(),
                (0, true) => format!("  stderr (all that was collected, {cut}):"),
                (_, false) => format!("  stderr (last {shown} lines, {above} more above):"),
                (_, true) => format!("  stderr (last {shown} lines, {above} more above, {cut}):"),
            }
        }
        ServerLine::HttpHeading => "Remote server".to_owned(),
        ServerLine::Endpoint(url) => format!("  endpoint: {url}"),
        ServerLine::Status(status) => {
            let status =
                status.map_or_else(|| "no response was reached".to_owned(), |status| status.to_string());
            format!("  HTTP status: {status}")
        }
        ServerLine::Session(session) => {
            format!("  session id: {}", session.unwrap_or("none issued (stateless)"))
        }
    }
}

pub(super) fn reset_error(command: &str, kind: &ResetErrorKind) -> Sentence {
    let hint = "Run the reset command by hand and correct it; it is started without a shell.";
    match kind {
        ResetErrorKind::Empty => sentence("The reset command is empty.", "Name an executable."),
        ResetErrorKind::UnclosedQuote => sentence(
            format!("The reset command has a double quote that is not closed: {command}"),
            "Only the executable may be quoted: \"C:\\my tools\\reset\" --all",
        ),
        ResetErrorKind::StartFailed { message } => {
            sentence(format!("The reset command could not be started: {command}: {message}"), hint)
        }
        ResetErrorKind::TimedOut { seconds } => sentence(
            format!("The reset command did not end within {seconds} seconds and was killed: {command}"),
            "Make the command end by itself; it must not wait for input.",
        ),
        ResetErrorKind::Interrupted => {
            sentence(format!("The reset command was interrupted: {command}"), "Run again and let it finish.")
        }
        ResetErrorKind::Failed { code, signal, stderr } => {
            let how = match (code, signal) {
                (Some(code), _) => format!("exit code {code}"),
                (None, Some(signal)) => format!("signal {signal}"),
                (None, None) => "unknown end".to_owned(),
            };
            let words = if stderr.is_empty() { String::new() } else { format!(": {}", stderr.join(" | ")) };
            sentence(format!("The reset command failed ({how}): {command}{words}"), hint)
        }
    }
}

fn names(names: &[String]) -> String {
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}
