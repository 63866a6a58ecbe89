//! Connections between two exchanges, by where they lead.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::exchange::Origin;
use crate::http1::Connection;
use crate::http2;
use crate::route::Target;

/// Idle connections kept per place.
const MOST_IDLE: usize = 32;
/// Age at which an idle connection is not used again: below the 60 s at which common servers close.
const IDLE: Duration = Duration::from_secs(50);

/// Where a connection leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) origin: Origin,
    pub(super) via: Option<Target>,
}

/// Idle HTTP/1 connections and shared HTTP/2 ones.
#[derive(Default)]
pub(super) struct Pool {
    places: Mutex<HashMap<Place, Kept>>,
}

#[derive(Default)]
struct Kept {
    http1: Vec<(Connection, Instant)>,
    http2: Option<http2::Sender>,
}

impl Pool {
    /// The idle connection used last, which is the one that the upstream is least likely to have closed.
    pub(super) fn take_http1(&self, place: &Place) -> Option<Connection> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = places.get_mut(place)?;
        while let Some((mut connection, since)) = kept.http1.pop() {
            if since.elapsed() < IDLE && connection.is_usable() {
                return Some(connection);
            }
        }
        None
    }

    pub(super) fn park(&self, place: &Place, connection: Connection) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = places.entry(place.clone()).or_default();
        if kept.http1.len() < MOST_IDLE {
            kept.http1.push((connection, Instant::now()));
        }
    }

    pub(super) fn http2(&self, place: &Place) -> Option<http2::Sender> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = places.get_mut(place)?;
        kept.http2 = kept.http2.take().filter(http2::Sender::is_open);
        kept.http2.clone()
    }

    pub(super) fn share(&self, place: &Place, sender: &http2::Sender) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.entry(place.clone()).or_default().http2 = Some(sender.clone());
    }

    pub(super) fn clear(&self) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
