//! Recordings taken out of a file: what the last replay did not use, a host, failures.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use mcpeak_core::redact::{Redactor, UnknownTokens};

use super::super::assemble::{remove_unreferenced, write_atomically};
use super::super::error::SessionError;
use super::super::load::check;
use super::super::model::{Answer, Exchange, Session, split_url};
use super::content::shown_line;
use crate::redact::Redaction;
use crate::report::Unused;
use crate::settings::HostPattern;

/// What is taken out: a recording that one of these names.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// What a report calls unused.
    pub unused: Vec<Unused>,
    /// Everything of these hosts.
    pub hosts: Vec<HostPattern>,
    /// Answers 429 and from 500 on, and requests without an answer.
    pub errors: bool,
}

/// A file with recordings taken out, not yet written.
#[derive(Debug)]
pub struct Pruned {
    session: Session,
    /// Method and URL of what is gone, redacted.
    pub removed: Vec<String>,
}

impl Pruned {
    /// How many recordings are left.
    pub fn left(&self) -> usize {
        self.session.exchanges.len()
    }

    /// Writes the file, and removes the side files that nothing names any more.
    pub fn write(&self, path: &Path) -> Result<(), SessionError> {
        write_atomically(path, self.session.to_text().as_bytes())?;
        remove_unreferenced(&self.session, path)
    }
}

/// Takes recordings out of a file that is in order. Nothing is written.
pub fn prune(path: &Path, selection: &Selection) -> Result<Pruned, SessionError> {
    let (mut session, _) = check(path)?;
    let redaction = Redaction { redactor: Redactor::default(), tokens: Arc::new(UnknownTokens) };
    let unused = unused(&session.exchanges, &selection.unused);
    let (mut removed, mut index) = (Vec::new(), 0);
    session.exchanges.retain(|exchange| {
        let goes = unused[index] || selected(exchange, selection);
        index += 1;
        if goes {
            removed.push(shown_line(&redaction, &exchange.request));
        }
        !goes
    });
    number_again(&mut session.exchanges);
    Ok(Pruned { session, removed })
}

fn selected(exchange: &Exchange, selection: &Selection) -> bool {
    let error = match &exchange.answer {
        Answer::Failure(_) => true,
        Answer::Response(response) => response.status == 429 || response.status >= 500,
    };
    let host = || split_url(&exchange.request.url).map(|(origin, ..)| origin.host).unwrap_or_default();
    (selection.errors && error)
        || (!selection.hosts.is_empty() && selection.hosts.iter().any(|pattern| pattern.matches(&host())))
}

/// Which exchanges the report names: by id where it has them, else the last ones of that method and URL.
fn unused(exchanges: &[Exchange], reported: &[Unused]) -> Vec<bool> {
    let mut marked = vec![false; exchanges.len()];
    for entry in reported {
        if !entry.ids.is_empty() {
            for (index, exchange) in exchanges.iter().enumerate() {
                marked[index] |= exchange.id.as_ref().is_some_and(|id| entry.ids.contains(id));
            }
            continue;
        }
        let asked = |exchange: &Exchange| {
            exchange.id.is_none()
                && exchange.request.method == entry.method
                && exchange.request.url == entry.url
        };
        let last = exchanges.iter().enumerate().rev().filter(|(_, exchange)| asked(exchange));
        for (index, _) in last.take(usize::try_from(entry.left).unwrap_or(usize::MAX)) {
            marked[index] = true;
        }
    }
    marked
}

/// Occurrences are counted from 0, as in a recording that never had more.
fn number_again(exchanges: &mut [Exchange]) {
    let mut next: HashMap<String, usize> = HashMap::new();
    for exchange in exchanges {
        let Some((key, _)) = exchange.id.as_ref().and_then(|id| id.split_once('#')) else { continue };
        let occurrence = next.entry(key.to_owned()).or_default();
        let id = format!("{key}#{occurrence}");
        *occurrence += 1;
        exchange.id = Some(id);
    }
}
