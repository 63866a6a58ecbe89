//! Korean.
use super::Text;
use crate::session::SessionError;

pub(super) struct Korean;

impl Text for Korean {
    fn session_error(&self, error: &SessionError) -> String {
        error.to_string()
    }
    fn session_hint(&self, error: &SessionError) -> String {
        error.code().to_owned()
    }
}
