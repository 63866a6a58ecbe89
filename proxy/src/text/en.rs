//! English.

use std::io;

use mcpeak_core::locale::Locale;

use super::Text;
use crate::authority::AuthorityErrorKind;
use crate::error::{PemRole, ProxyError};
use crate::matching::{Difference, MissReason};
use crate::report::{Mode, Refusal, RefusedCertificate, Warning};
use crate::session::SessionError;

pub(super) struct English;

impl Text for English {
    fn session_error(&self, error: &SessionError) -> String {
        error.to_string()
    }

    fn session_hint(&self, error: &SessionError) -> String {
        match error {
            SessionError::Exists { .. } => "choose another path, or replace the file with --force".to_owned(),
            SessionError::StaleJournal { path, .. } => format!(
                "save what was recorded with `mcpeak session recover {}`, or drop it with --force",
                path.display()
            ),
            SessionError::Locked { .. } => {
                "wait for the other recording to end, or choose another path".to_owned()
            }
            SessionError::NotFound { .. } => "check the path, or record the session first".to_owned(),
            SessionError::DiskFull { .. } => {
                "free some space and record again; what was there before is untouched".to_owned()
            }
            SessionError::Io { .. } => "check that the folder exists and may be written".to_owned(),
            SessionError::Invalid { hint, .. } => hint.clone(),
            SessionError::NewerVersion { .. } => {
                "update mcpeak, or record the session with this version".to_owned()
            }
            SessionError::Finished { .. } => "begin another recording".to_owned(),
        }
    }

    fn reason(&self, reason: &MissReason) -> String {
        match reason {
            MissReason::NothingForHost => "nothing is recorded for this host".to_owned(),
            MissReason::NothingForPath => "nothing is recorded for this path".to_owned(),
            MissReason::NearMiss { recording, .. } => {
                format!("nearest recording: {recording}")
            }
            MissReason::AllUsed { recordings: 1 } => "all 1 recording of this call was used".to_owned(),
            MissReason::AllUsed { recordings } => {
                format!("all {recordings} recordings of this call were used")
            }
        }
    }

    fn difference(&self, difference: &Difference) -> String {
        let value = |value: &Option<String>| {
            value.as_ref().map_or("nothing".to_owned(), |value| format!("{value:?}"))
        };
        format!(
            "{}: recorded {}, requested {}",
            difference.field,
            value(&difference.recorded),
            value(&difference.actual)
        )
    }

    fn warning(&self, warning: &Warning) -> String {
        match warning {
            Warning::ValueNotSearched { name } => {
                format!(
                    "the value of {name} is too short or too plain to be searched for; only its places are redacted"
                )
            }
            Warning::Aborted { count } => format!("{count} calls did not end and are not in the file"),
            Warning::LengthMismatch { request } => {
                format!("{request}: the body's length is not the announced one; stored as incomplete")
            }
            Warning::StoredDecoded { request } => {
                format!("{request}: the body is stored decoded and replayed without Content-Encoding")
            }
            Warning::HostStored { origin } => {
                format!(
                    "the origin {origin} is stored with the value in it: recordings are found by their host"
                )
            }
            Warning::Edited { request } => {
                format!("{request}: the body was edited; its ETag and digests are left out")
            }
            Warning::RequestEdited { request } => {
                format!(
                    "{request}: the request was edited, its id is of another one; it is matched as it stands"
                )
            }
            Warning::SecretUnknown { name } => {
                format!(
                    "the value of {name} is not known; its placeholder is replayed (give it with --env {name})"
                )
            }
            Warning::Refused { destination, why } => {
                let why = match why {
                    Refusal::NotHttp => {
                        "did not speak HTTP and were refused: replay has no network, and only HTTP is in a session. Point the \
                         server to a stand-in on this machine, let through with --pass-loopback PORT"
                    }
                    Refusal::Silent => {
                        "waited for the other side to speak first and were refused: replay has no network, and only HTTP is in a \
                         session. Point the server to a stand-in on this machine, let through with --pass-loopback PORT"
                    }
                    Refusal::Strict => {
                        "did not speak HTTP and were refused by --strict; without it they are passed on unread"
                    }
                };
                format!("connections to {destination} {why}")
            }
            Warning::HostDiffers { destination, host } => {
                format!("a call to {destination} named the host {host}; it is kept under {destination}")
            }
            Warning::UpstreamFailed { origin, detail } => format!("{origin} gave no answer: {detail}"),
            Warning::CertificateNotChecked { host } => {
                format!("the certificate of {host} was not checked (--upstream-insecure)")
            }
            Warning::RuleIdle { rule } => format!("the rule {rule} never acted"),
            Warning::Note { text } => text.clone(),
        }
    }

    fn refused_certificate(&self, refused: &RefusedCertificate, mode: Mode) -> String {
        let RefusedCertificate { host, program, count } = refused;
        let program = program.as_deref().unwrap_or("a client");
        let times = if *count > 1 { format!(" {count} times") } else { String::new() };
        let fix = match mode {
            Mode::Record | Mode::Pass => format!("or leave the host unread with --tunnel {host}"),
            Mode::Replay => "for in replay there is no network to pass the connection on to".to_owned(),
        };
        format!(
            "{program} refused the proxy's certificate for {host}{times}: it pins another one, or has roots of its own. Set the \
             option in which it takes a CA file to the file of SSL_CERT_FILE, {fix}"
        )
    }

    fn proxy_error(&self, error: &ProxyError) -> String {
        match error {
            ProxyError::Bind { address, source } => format!("cannot listen on {address}: {source}"),
            ProxyError::Pem { path, role, source } => {
                let role = match role {
                    PemRole::Roots => "upstream roots",
                    PemRole::ClientCertificate => "a client certificate",
                    PemRole::ClientKey => "a client key",
                };
                format!("cannot use {} as {role}: {source}", path.display())
            }
            ProxyError::Tls(source) => format!("the TLS settings for upstreams are not usable: {source}"),
            ProxyError::Start(source) => format!("the proxy cannot be set up: {source}"),
            ProxyError::Authority(error) => error.message(Locale::En),
            ProxyError::Session(error) => self.session_error(error),
        }
    }

    fn proxy_hint(&self, error: &ProxyError) -> String {
        match error {
            ProxyError::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "stop the program that listens there, or give another port (0 lets the system choose)"
                    .to_owned()
            }
            ProxyError::Bind { .. } => "give an address of this machine and a port above 1023".to_owned(),
            ProxyError::Pem { .. } => "give a readable file with PEM blocks (-----BEGIN …-----)".to_owned(),
            ProxyError::Tls(_) => "check that the client certificate and its key belong together".to_owned(),
            ProxyError::Start(_) => "try again; report this if it stays".to_owned(),
            ProxyError::Authority(error) => self.authority_hint(&error.kind),
            ProxyError::Session(error) => self.session_hint(error),
        }
    }

    fn authority_error(&self, folder: &str, kind: &AuthorityErrorKind) -> String {
        let what = match kind {
            AuthorityErrorKind::Io(source) => format!("cannot be read or written: {source}"),
            AuthorityErrorKind::Half { missing } => format!("lacks {missing} while the other file is there"),
            AuthorityErrorKind::Damaged(source) => format!("is damaged: {source}"),
            AuthorityErrorKind::KeyMismatch => "has a key that belongs to another certificate".to_owned(),
            AuthorityErrorKind::Expired { not_before, not_after } => {
                format!("is valid from {not_before} to {not_after} only")
            }
            AuthorityErrorKind::SeedTooShort => {
                return "the seed of the CA has less than 32 bytes".to_owned();
            }
            AuthorityErrorKind::OtherThanSeed => "is another one than the seed gives".to_owned(),
            AuthorityErrorKind::Generation(source) => format!("could not be made: {source}"),
            AuthorityErrorKind::Tls(source) => format!("is not usable for TLS: {source}"),
        };
        format!("the CA in {folder} {what}")
    }

    fn authority_hint(&self, kind: &AuthorityErrorKind) -> String {
        match kind {
            AuthorityErrorKind::Io(_) => "choose a folder that this user may write, or leave --ca-dir out",
            AuthorityErrorKind::Half { .. }
            | AuthorityErrorKind::Damaged(_)
            | AuthorityErrorKind::KeyMismatch => {
                "restore both files, or delete ca.pem and ca.key so that a new CA is made (clients must trust it anew)"
            }
            AuthorityErrorKind::Expired { .. } => {
                "delete ca.pem and ca.key so that a new CA is made (clients must trust it anew), or check the clock"
            }
            AuthorityErrorKind::SeedTooShort => "take a random one, for example from `openssl rand -hex 32`",
            AuthorityErrorKind::OtherThanSeed => {
                "choose another --ca-dir, correct the seed, or delete ca.pem and ca.key (clients must trust the new CA)"
            }
            AuthorityErrorKind::Generation(_) | AuthorityErrorKind::Tls(_) => {
                "report this: the crypto library of this build refuses a P-256 key"
            }
        }
        .to_owned()
    }
}
