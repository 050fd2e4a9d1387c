//! The way to the MACP runtime: where it listens, and what is asked of it.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    ids::Seq,
    macp::{
        self,
        host::{Metrics, RuntimeHandle},
    },
    port::PortError,
    station::{address_file::FileGuard, host::host_down},
    tap::entry::Link,
};

/// The way to the MACP runtime of a station.
#[derive(Debug, Default)]
pub(in crate::station) struct Sessions {
    state: Mutex<RuntimeState>,
}

#[derive(Debug, Default)]
pub(super) enum RuntimeState {
    #[default]
    Starting,
    Up {
        addr: SocketAddr,
        handle: RuntimeHandle,
        _addr_file: FileGuard,
    },
    Down(String),
}

impl Sessions {
    pub(super) fn set(&self, standing: RuntimeState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// The way to it, where it is up.
    pub(in crate::station) fn handle(&self) -> Result<RuntimeHandle, PortError> {
        let down = |why: &str| host_down(Link::Macp, why);
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            RuntimeState::Starting => Err(down("it has not started yet")),
            RuntimeState::Up { handle: way, .. } => Ok(way.clone()),
            RuntimeState::Down(why) => Err(down(why)),
        }
    }

    /// Where it listens, or why it does not.
    pub(in crate::station) fn addr(&self) -> Result<SocketAddr, String> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            RuntimeState::Starting => Err("it has not started yet".to_owned()),
            RuntimeState::Up { addr, .. } => Ok(*addr),
            RuntimeState::Down(why) => Err(why.clone()),
        }
    }

    /// What it counts; nothing of one that is down.
    pub(in crate::station) fn metrics(&self) -> Option<Metrics> {
        self.handle().ok()?.metrics()
    }

    /// What holds of it, and the last entry that this includes. Where it is down there is nothing.
    pub(in crate::station) fn snapshot(&self) -> (Seq, macp::Snapshot) {
        let down = |why: &str| macp::Snapshot {
            listener: macp::Listener::Down(Arc::from(why)),
            ..macp::Snapshot::default()
        };
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            RuntimeState::Starting => Default::default(),
            RuntimeState::Up { handle: way, .. } => way.snapshot().unwrap_or_default(),
            RuntimeState::Down(why) => (Seq(0), down(why)),
        }
    }
}
