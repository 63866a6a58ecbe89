//! Sentences about sessions, one implementation per language.

mod en;
mod ko;

use mcpeak_core::locale::Locale;

use crate::authority::AuthorityErrorKind;
use crate::error::ProxyError;
use crate::matching::{Difference, MissReason};
use crate::report::{Mode, RefusedCertificate, Warning};
use crate::session::SessionError;

/// The sentences. A language is a type that implements all of them, so it cannot be incomplete.
pub trait Text: Sync {
    /// What is wrong with a session, and where.
    fn session_error(&self, error: &SessionError) -> String;
    /// How to fix it.
    fn session_hint(&self, error: &SessionError) -> String;
    /// Why a request was missed.
    fn reason(&self, reason: &MissReason) -> String;
    /// One field that differs.
    fn difference(&self, difference: &Difference) -> String;
    /// The rules that would make a missed request match, as a member of the file.
    fn rules_to_add(&self, rules: &[String]) -> String;
    /// A remark.
    fn warning(&self, warning: &Warning) -> String;
    /// A client that does not accept the certificate, and what can be done about it in this mode.
    fn refused_certificate(&self, refused: &RefusedCertificate, mode: Mode) -> String;
    /// Why a proxy cannot start or finish. Errors of the session and the authority have sentences of their own.
    fn proxy_error(&self, error: &ProxyError) -> String;
    /// How to fix it.
    fn proxy_hint(&self, error: &ProxyError) -> String;
    /// What is wrong with the CA in a folder.
    fn authority_error(&self, folder: &str, kind: &AuthorityErrorKind) -> String;
    /// How to fix it.
    fn authority_hint(&self, kind: &AuthorityErrorKind) -> String;
}

/// The sentences of a language.
pub fn of(locale: Locale) -> &'static dyn Text {
    match locale {
        Locale::En => &en::English,
        Locale::Ko => &ko::Korean,
    }
}
