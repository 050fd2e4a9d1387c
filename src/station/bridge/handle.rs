//! The way to the bridge and to the store that it carries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    ids::Seq,
    mpp::{self, host::Request, manifest::Pack},
    port::PortError,
    station::host::host_down,
    store::Handle,
    tap::entry::Link,
};

/// The bridge of a station.
#[derive(Debug, Default)]
pub(in crate::station) struct Bridge {
    running: Mutex<Option<Arc<Running>>>,
    /// The port that was bound last: adapters look for it there.
    pub(super) bound: watch::Sender<u16>,
}

/// A bridge that was started, with its store.
#[derive(Debug)]
pub(in crate::station) struct Running {
    pub(in crate::station) mpp: mpsc::Sender<Request>,
    pub(in crate::station) store: Handle,
    pub(in crate::station) pack: Arc<Pack>,
}

impl Bridge {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, running: Option<Arc<Running>>) {
        *self.lock() = running;
    }

    /// The one that was started last; nothing before the first.
    pub(in crate::station) fn running(&self) -> Option<Arc<Running>> {
        self.lock().clone()
    }

    /// What holds on it, and the last entry that this includes.
    pub(super) async fn snapshot(&self) -> Result<(Seq, mpp::Snapshot), PortError> {
        self.running().ok_or_else(down)?.snapshot().await
    }
}

impl Running {
    pub(in crate::station) fn ask(&self, request: Request) -> Result<(), PortError> {
        self.mpp.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                PortError::Busy { what: "the bridge's command queue (limits.port.commands_max)".to_owned() }
            }
            mpsc::error::TrySendError::Closed(_) => down(),
        })
    }

    /// The bridge's state, and up to which entry it speaks.
    async fn snapshot(&self) -> Result<(Seq, mpp::Snapshot), PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Snapshot { answer })?;
        answered.await.map_err(|_| down())
    }

    /// Looks at the bridge's core, everything it decided so far handed to the store.
    pub(in crate::station) async fn with_bridge<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mpp::Bridge) -> T + Send + 'static,
    ) -> Result<T, PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Look(Box::new(move |bridge| {
            let _ = answer.send(look(bridge));
        })))?;
        answered.await.map_err(|_| down())
    }
}

pub(super) fn down() -> PortError {
    host_down(Link::Mpp, "it has stopped")
}
