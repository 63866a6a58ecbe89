//! Sentences about suites that cannot be used.

use std::io::ErrorKind;

use super::{Sentence, sentence};
use crate::suite::validate::{Expected, Kind};
use crate::suite::{Problem, SuiteErrorKind};

pub(super) fn suite_error(kind: &SuiteErrorKind, path: Option<&str>) -> Sentence {
    let path = path.unwrap_or("the suite");
    match kind {
        SuiteErrorKind::FormatUnsupported => {
            sentence(format!("A suite is a .json file: {path}"), "Name a file that ends in .json.")
        }
        SuiteErrorKind::ReadFailed { kind, message } => match kind {
            ErrorKind::NotFound => {
                sentence(format!("There is no such suite: {path}"), "Check the path and the current folder.")
            }
            ErrorKind::PermissionDenied => sentence(
                format!("The suite may not be read: {path}"),
                "Give the user that runs mcpeak the right to read the file.",
            ),
            ErrorKind::IsADirectory => {
                sentence(format!("This is a folder, not a suite: {path}"), "Name a file in it.")
            }
            _ => sentence(
                format!("The suite could not be read: {path}: {message}"),
                "Check that the file and its disk can be read.",
            ),
        },
        SuiteErrorKind::EncodingInvalid { offset } => sentence(
            format!("The suite is not UTF-8: byte {offset} cannot be decoded."),
            "Save the file as UTF-8.",
        ),
        SuiteErrorKind::JsonInvalid { line, column, too_deep: true, .. } => sentence(
            format!("The suite is nested deeper than 128 levels: line {line}, column {column}."),
            "Flatten the document; 128 levels are the limit.",
        ),
        SuiteErrorKind::JsonInvalid { line, column, message, .. } => sentence(
            format!("The suite is not JSON: line {line}, column {column}: {message}."),
            "Correct the JSON at that position.",
        ),
        SuiteErrorKind::ValidationFailed { issues } => sentence(
            format!(
                "The suite breaks {} of the format.",
                if issues.len() == 1 { "1 rule".to_owned() } else { format!("{} rules", issues.len()) }
            ),
            "Correct the entries below.",
        ),
    }
}

pub(super) fn issue(problem: &Problem) -> Sentence {
    match problem {
        Problem::RootNotObject { found } => sentence(
            format!("A suite is a JSON object, not {found}."),
            "Put the suite into one object with schemaVersion, id, name and cases.",
        ),
        Problem::Missing { field, expected } => sentence(
            format!("The field '{field}' is missing. It takes: {}.", accepts(*expected)),
            format!("Add the field '{field}' to the suite."),
        ),
        Problem::Unknown { field, allowed } => sentence(
            format!("There is no field '{field}' here. Fields: {}.", allowed.join(", ")),
            format!("Remove '{field}' or correct its spelling."),
        ),
        Problem::Version { found } => sentence(
            format!("schemaVersion {found} is not supported. Supported: 1."),
            "Set schemaVersion to 1.",
        ),
        Problem::Type { field, kind: expected, found } => sentence(
            format!("'{field}' has to be {}. Found: {found}.", kind(*expected)),
            format!("Change the value of '{field}' to {}.", kind(*expected)),
        ),
        Problem::Blank { field } => sentence(
            format!("'{field}' is blank."),
            format!("Give '{field}' at least one character that is not white space."),
        ),
        Problem::Value { field, expected, found } => sentence(
            format!("'{field}' takes: {}. Found: {found}.", accepts(*expected)),
            format!("Set '{field}' to what it takes."),
        ),
        Problem::DuplicateCase { id, first } => sentence(
            format!("The id '{id}' is taken by cases[{first}]."),
            "Give every case an id of its own.",
        ),
        Problem::DuplicateApproval { id } => {
            sentence(format!("The id '{id}' is listed twice."), "Keep one entry for each case.")
        }
        Problem::NoCases => sentence("'cases' is empty.", "Add at least one case."),
        Problem::NoAssertions => {
            sentence("'assertions' is empty: the case could never fail.", "Add at least one assertion.")
        }
        Problem::Incompatible { operation, assertion, allowed } => sentence(
            format!(
                "The operation '{operation}' does not take the assertion '{assertion}'. Allowed: {}",
                if allowed.is_empty() { "(none)".to_owned() } else { allowed.join(", ") }
            ),
            "Use an assertion that the operation takes, or another operation.",
        ),
        Problem::Input { found } => sentence(
            format!("'input' has to be a JSON object. Found: {found}."),
            "Write the arguments as an object; {} for none.",
        ),
        Problem::Timeout { field, found } => sentence(
            format!("'{field}' has to be an integer from 1 to 2147483647. Found: {found}."),
            format!("Give '{field}' in whole milliseconds."),
        ),
        Problem::Keyword { keyword } => sentence(
            format!("The schema keyword '{keyword}' is not supported."),
            format!("Use the supported ones: {}.", crate::schema::KEYWORDS.join(", ")),
        ),
        Problem::KeywordType { keyword, types } => sentence(
            format!("'{keyword}' needs type: {} beside it.", types.join(" or ")),
            format!("Add \"type\": \"{}\" to the same schema.", types[0]),
        ),
        Problem::Vacuous { field } => sentence(
            format!("'{field}' is empty: the check could never fail."),
            format!("Put at least one entry into '{field}', or remove it."),
        ),
    }
}

fn accepts(expected: Expected) -> String {
    match expected {
        Expected::Values(values) => values.join(", "),
        Expected::Kind(expected) => kind(expected).to_owned(),
    }
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "an array",
        Kind::NonEmptyArray => "an array with at least one element",
        Kind::NonEmptyStringArray => "an array with at least one name",
        Kind::String => "a string",
        Kind::NonBlankString => "a string that is not blank",
        Kind::Boolean => "true or false",
        Kind::BooleanOrSchema => "true, false or a schema",
        Kind::NonEmptyObject => "an object with at least one member",
        Kind::Count => "an integer from 0 to 2^53 - 1",
        Kind::Number => "a number",
        Kind::Any => "any JSON value",
        Kind::Fingerprint => "64 lower-case hex digits",
        Kind::Schema => "a schema object",
    }
}
