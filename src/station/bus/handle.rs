//! The way to the bus: where it answers, and what is asked of it.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    ids::{ConnectionId, Seq},
    judged::Judged,
    port::PortError,
    rmp::{Listener, Snapshot, Stand, host::Request},
    station::host::host_down,
    tap::entry::Link,
};

/// The bus of a station, up or down.
#[derive(Debug)]
pub(in crate::station) struct Bus {
    state: Mutex<BusState>,
    /// The number of the next session: none is given twice.
    pub(super) next_session: Arc<AtomicU64>,
}

/// How it is.
#[derive(Clone, Debug, Default)]
enum BusState {
    #[default]
    Starting,
    Up {
        path: PathBuf,
        requests: mpsc::Sender<Request>,
        /// How many sessions are told of every entry of the tap.
        tap_readers: watch::Receiver<u64>,
    },
    Down(Arc<str>),
}

impl Default for Bus {
    fn default() -> Self {
        Self { state: Mutex::default(), next_session: Arc::new(AtomicU64::new(1)) }
    }
}

impl Bus {
    fn lock(&self) -> MutexGuard<'_, BusState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_up(
        &self,
        path: PathBuf,
        requests: mpsc::Sender<Request>,
        tap_readers: watch::Receiver<u64>,
    ) {
        *self.lock() = BusState::Up { path, requests, tap_readers };
    }

    /// Whether consoles are attached, or anybody else who is told of every entry.
    pub(in crate::station) fn has_tap_readers(&self) -> bool {
        matches!(&*self.lock(), BusState::Up { tap_readers, .. } if *tap_readers.borrow() > 0)
    }

    pub(super) fn set_down(&self, why: &str) {
        *self.lock() = BusState::Down(Arc::from(why));
    }

    /// The session that is given next: all that there were have a lower number.
    pub(super) fn next_session(&self) -> ConnectionId {
        ConnectionId(self.next_session.load(Ordering::Relaxed))
    }

    /// Where it answers, or why it does not.
    pub(in crate::station) fn path(&self) -> Result<PathBuf, String> {
        match &*self.lock() {
            BusState::Up { path, .. } => Ok(path.clone()),
            BusState::Down(why) => Err(why.to_string()),
            BusState::Starting => Err("it is starting".to_owned()),
        }
    }

    /// The way to what serves it.
    pub(in crate::station) fn requests(&self) -> Result<mpsc::Sender<Request>, PortError> {
        match &*self.lock() {
            BusState::Up { requests, .. } => Ok(requests.clone()),
            BusState::Down(why) => Err(down(why)),
            BusState::Starting => Err(down("it is starting")),
        }
    }

    pub(in crate::station) fn ask(&self, request: Request) -> Result<(), PortError> {
        self.requests()?.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                PortError::Busy { what: "the bus's request queue (limits.port.commands_max)".to_owned() }
            }
            mpsc::error::TrySendError::Closed(_) => down("it has stopped"),
        })
    }

    /// What holds on it, and the last entry that this includes. One that is down has nothing but the reason.
    ///
    /// # Errors
    /// Too much is asked of it: what holds on it is not known.
    pub(in crate::station) async fn snapshot(&self) -> Result<(Seq, Snapshot), PortError> {
        let (answer, answered) = oneshot::channel();
        match self.ask(Request::Snapshot { answer }) {
            Ok(()) => {
                if let Ok(found) = answered.await {
                    return Ok(found);
                }
            }
            Err(busy @ PortError::Busy { .. }) => return Err(busy),
            Err(_) => {}
        }
        let listener = match &*self.lock() {
            BusState::Starting => Listener::Starting,
            BusState::Up { .. } => Listener::Down(Arc::from("it has stopped")),
            BusState::Down(why) => Listener::Down(Arc::clone(why)),
        };
        Ok((Seq(0), Snapshot { listener, ..Snapshot::default() }))
    }
}

/// What the broker would make of the first frame in these bytes.
pub(in crate::station) async fn judge(bus: &Bus, stand: Stand, bytes: Bytes) -> Result<Judged, PortError> {
    let (answer, answered) = oneshot::channel();
    bus.ask(Request::Judge { stand, bytes, answer })?;
    answered.await.map_err(|_| down("it has stopped"))
}

pub(super) fn down(why: &str) -> PortError {
    host_down(Link::Rmp, why)
}
