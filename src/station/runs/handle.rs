//! The way to the runs: what the bus hears for them, and what is asked of them.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};

use crate::{
    ids::Seq,
    port::PortError,
    runs::{
        self,
        host::{BusInput, Request},
    },
    station::host::host_down,
    tap::entry::Link,
};

/// The way to the runs of a station.
#[derive(Debug, Default)]
pub(in crate::station) struct Runs {
    channels: Mutex<Option<RunsChannels>>,
}

#[derive(Clone, Debug)]
pub(super) struct RunsChannels {
    pub(super) requests: mpsc::Sender<Request>,
    pub(super) heard: mpsc::Sender<BusInput>,
}

impl Runs {
    pub(super) fn channels(&self) -> Option<RunsChannels> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, ways: Option<RunsChannels>) {
        *self.channels.lock().unwrap_or_else(PoisonError::into_inner) = ways;
    }

    pub(in crate::station) fn ask(&self, request: Request) -> Result<(), PortError> {
        let ways = self.channels().ok_or_else(down)?;
        ways.requests.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                PortError::Busy { what: "the request queue of runs (limits.port.commands_max)".to_owned() }
            }
            mpsc::error::TrySendError::Closed(_) => down(),
        })
    }

    /// What waits for a person, the oldest first.
    ///
    /// # Errors
    /// They are down, or too much is asked of them.
    pub(in crate::station) async fn asks(&self) -> Result<Vec<runs::AskView>, PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Asks { answer })?;
        answered.await.map_err(|_| down())
    }

    /// The metrics of the runs.
    ///
    /// # Errors
    /// They are down, or too much is asked of them.
    pub(in crate::station) async fn metrics(&self) -> Result<runs::Metrics, PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Metrics { answer })?;
        answered.await.map_err(|_| down())
    }

    /// What holds of the runs, and the last entry that this includes. Where they are down there is nothing.
    ///
    /// # Errors
    /// Too much is asked of them.
    pub(in crate::station) async fn snapshot(&self) -> Result<(Seq, runs::Snapshot), PortError> {
        let (answer, answered) = oneshot::channel();
        match self.ask(Request::Snapshot { answer }) {
            Ok(()) => Ok(answered.await.unwrap_or_default()),
            Err(busy @ PortError::Busy { .. }) => Err(busy),
            Err(_) => Ok(Default::default()),
        }
    }
}

pub(super) fn down() -> PortError {
    host_down(Link::Runs, "it has stopped; see `rl-console doctor`")
}
