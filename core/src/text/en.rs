//! English.

use super::Text;
use crate::error::McpError;

pub(super) struct English;

impl Text for English {
    fn error_message(&self, error: &McpError) -> String {
        error.code.as_str().to_owned()
    }

    fn error_hint(&self, error: &McpError) -> String {
        error.phase.as_str().to_owned()
    }
}
