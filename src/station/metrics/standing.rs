//! How the metrics' endpoint stands, for whoever asks.

use std::{
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::HttpFigures;

/// How the endpoint stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::station) enum Standing {
    /// Nobody asked for it.
    #[default]
    Off,
    /// It answers here.
    Serving(SocketAddr),
    /// It does not: why, and how to mend it.
    Down(String),
}

/// The endpoint as the rest of the station sees it.
#[derive(Debug, Default)]
pub(in crate::station) struct Endpoint {
    standing: Mutex<Standing>,
    pub(super) requests: AtomicU64,
    pub(super) cut: AtomicU64,
}

impl Endpoint {
    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it stands.
    pub(in crate::station) fn standing(&self) -> Standing {
        self.lock().clone()
    }

    /// Where it answers, if it does.
    pub(in crate::station) fn addr(&self) -> Option<SocketAddr> {
        match *self.lock() {
            Standing::Serving(addr) => Some(addr),
            Standing::Off | Standing::Down(_) => None,
        }
    }

    pub(super) fn set(&self, standing: Standing) {
        *self.lock() = standing;
    }

    pub(super) fn figures(&self) -> Option<HttpFigures> {
        let figures = HttpFigures {
            requests: self.requests.load(Ordering::Relaxed),
            cut: self.cut.load(Ordering::Relaxed),
        };
        (*self.lock() != Standing::Off).then_some(figures)
    }
}
