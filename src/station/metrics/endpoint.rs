//! How the metrics' endpoint stands, for whoever asks.

use std::{
    net::SocketAddr,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::watch;

use super::{
    HttpMetrics,
    connections::{Client, Connections},
};
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

impl EndpointState {
    const fn addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Serving(addr) => Some(*addr),
            Self::Off | Self::Down(_) => None,
        }
    }
}

/// The endpoint as the rest of the station sees it.
#[derive(Debug, Default)]
pub(in crate::station) struct Endpoint {
    state: watch::Sender<EndpointState>,
    pub(super) requests: AtomicU64,
    /// The connections, once it has accepted.
    pub(super) connections: OnceLock<Connections>,
}

impl Endpoint {
    /// How it stands.
    pub(in crate::station) fn state(&self) -> EndpointState {
        self.state.borrow().clone()
    }

    /// Where it answers, if it does.
    pub(in crate::station) fn addr(&self) -> Option<SocketAddr> {
        self.state.borrow().addr()
    }

    /// Who is connected to it.
    pub(in crate::station) fn clients(&self) -> Vec<Client> {
        self.connections.get().map_or_else(Vec::new, Connections::clients)
    }

    /// Where it answers, as soon as it does; nothing of one that has ended.
    pub(super) fn serves(&self) -> impl Future<Output = Option<SocketAddr>> + use<> {
        let mut state = self.state.subscribe();
        async move { state.wait_for(|state| state.addr().is_some()).await.ok()?.addr() }
    }

    pub(super) fn set(&self, standing: EndpointState) {
        self.state.send_replace(standing);
    }

    pub(super) fn metrics(&self, tally: &Tally) -> Option<HttpMetrics> {
        let figures = HttpMetrics {
            requests: self.requests.load(Ordering::Relaxed),
            cut: tally.turned_away()[TurnedAway::MadeRoom.index()],
        };
        (*self.state.borrow() != EndpointState::Off).then_some(figures)
    }
}
