//! English.
use super::Text;
use crate::session::SessionError;

pub(super) struct English;

impl Text for English {
    fn session_error(&self, error: &SessionError) -> String {
        error.to_string()
    }
    fn session_hint(&self, error: &SessionError) -> String {
        error.code().to_owned()
    }
}
