//! The way to the bus: where it answers, and what is asked of it.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{mpsc, oneshot};

use crate::{
    ids::{ConnectionId, Seq},
    port::{HealthRow, Outcome, PortError},
    rmp::{Listener, Snapshot, host::Request},
    words::counted,
};

/// The bus of a station, up or down.
#[derive(Debug, Default)]
pub(in crate::station) struct Bus {
    state: Mutex<BusState>,
}

/// How it is.
#[derive(Clone, Debug, Default)]
enum BusState {
    #[default]
    Starting,
    Up {
        path: PathBuf,
        requests: mpsc::Sender<Request>,
    },
    Down(Arc<str>),
}

impl Bus {
    fn lock(&self) -> MutexGuard<'_, BusState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_up(&self, path: PathBuf, requests: mpsc::Sender<Request>) {
        *self.lock() = BusState::Up { path, requests };
    }

    pub(super) fn set_down(&self, why: &str) {
        *self.lock() = BusState::Down(Arc::from(why));
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

    fn ask(&self, request: Request) -> Result<(), PortError> {
        self.requests()?.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                PortError::Busy { what: "the bus's queue of requests (limits.port.commands_max)".to_owned() }
            }
            mpsc::error::TrySendError::Closed(_) => down("it has stopped"),
        })
    }

    /// What holds on it, and the last entry that this includes. One that is down has nothing but the reason.
    pub(in crate::station) async fn snapshot(&self) -> (Seq, Snapshot) {
        let (answer, answered) = oneshot::channel();
        if self.ask(Request::Snapshot { answer }).is_ok()
            && let Ok(found) = answered.await
        {
            return found;
        }
        let listener = match self.path() {
            Ok(_) => Listener::Starting,
            Err(why) => Listener::Down(Arc::from(why)),
        };
        (Seq(0), Snapshot { listener, ..Snapshot::default() })
    }

    /// Ends a connection.
    pub(in crate::station) async fn kick(
        &self,
        session: ConnectionId,
        cause: Option<Seq>,
    ) -> Result<Outcome, PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Kick { session, cause, answer })?;
        match answered.await {
            Ok(true) => Ok(Outcome::PeerKicked { session }),
            Ok(false) => Err(PortError::NoSession { session }),
            Err(_) => Err(down("it has stopped")),
        }
    }

    /// How it is, in a line.
    pub(in crate::station) async fn health(&self) -> HealthRow {
        let (_, snapshot) = self.snapshot().await;
        let (well, detail) = match &snapshot.listener {
            Listener::Listening(path) => {
                let subs: usize = snapshot.peers.values().map(|peer| peer.subs.len()).sum();
                let totals = &snapshot.totals;
                let dropped: u64 = totals.dropped.iter().sum();
                let (peers, subs) =
                    (counted(snapshot.peers.len() as u64, "peer"), counted(subs as u64, "subscription"));
                let figures = format!("{peers}, {subs}, {} published, {dropped} dropped", totals.published);
                (true, format!("listening on {path}, {figures}"))
            }
            Listener::Starting => (false, "starting".to_owned()),
            Listener::Down(why) => (false, why.to_string()),
        };
        HealthRow { part: "rmp".to_owned(), well, detail }
    }
}

fn down(why: &str) -> PortError {
    PortError::HostDown { host: "the bus".to_owned(), why: why.to_owned() }
}
