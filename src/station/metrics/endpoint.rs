//! How the metrics' endpoint stands, for whoever asks.

use std::{
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::HttpMetrics;
use crate::admission::{Tally, TurnedAway};

/// How the endpoint stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::station) enum EndpointState {
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
    state: Mutex<EndpointState>,
    pub(super) requests: AtomicU64,
}

impl Endpoint {
    fn lock(&self) -> MutexGuard<'_, EndpointState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it stands.
    pub(in crate::station) fn state(&self) -> EndpointState {
        self.lock().clone()
    }

    /// Where it answers, if it does.
    pub(in crate::station) fn addr(&self) -> Option<SocketAddr> {
        match *self.lock() {
            EndpointState::Serving(addr) => Some(addr),
            EndpointState::Off | EndpointState::Down(_) => None,
        }
    }

    pub(super) fn set(&self, standing: EndpointState) {
        *self.lock() = standing;
    }

    pub(super) fn metrics(&self, tally: &Tally) -> Option<HttpMetrics> {
        let figures = HttpMetrics {
            requests: self.requests.load(Ordering::Relaxed),
            cut: tally.turned_away()[TurnedAway::MadeRoom.index()],
        };
        (*self.lock() != EndpointState::Off).then_some(figures)
    }
}
