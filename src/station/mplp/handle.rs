//! The way to the lifecycle records: what is asked of them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{mpsc, oneshot};

use super::{
    counts::{Counted, Counts},
    kept::KeptRecords,
    open_runs::OpenRuns,
};
use crate::{
    ids::Seq,
    mplp::{self, Transition, lifecycle::RecordSettings},
    port::PortError,
    runs::{engine::RunFeed, host},
    station::{host::host_down, local::Inner},
    tap::entry::Link,
};

/// The way to the lifecycle records of a station.
#[derive(Debug, Default)]
pub(in crate::station) struct Records {
    requests: Mutex<Option<mpsc::Sender<Request>>>,
    /// The route of what runs tell.
    feeds: Mutex<Option<mpsc::Sender<RunFeed>>>,
    counts: Arc<Counts>,
    open_runs: Arc<OpenRuns>,
    /// What holds of them, for the thread: it outlives that.
    snapshot: Arc<Mutex<mplp::Snapshot>>,
    /// What records are made with; nothing before the first start.
    settings: Mutex<Option<RecordSettings>>,
    /// Records that were asked for.
    pub(super) kept: Arc<KeptRecords>,
}

/// What the station asks of them.
#[derive(Debug)]
pub(super) enum Request {
    /// Tells of something that another part of the station did.
    Tell {
        /// What.
        transition: Transition,
        /// The text beside it.
        text: String,
        /// The entry of the command that it follows from.
        cause: Option<Seq>,
        /// Answered once it is in the tap.
        answer: oneshot::Sender<()>,
    },
    /// The state, and the last entry of this link that it includes.
    Snapshot {
        /// Where it goes.
        answer: oneshot::Sender<(Seq, mplp::Snapshot)>,
    },
    /// Ends the thread.
    Stop {
        /// Answered when it is done.
        answer: oneshot::Sender<()>,
    },
}

impl Records {
    pub(super) fn set(&self, requests: Option<mpsc::Sender<Request>>, feeds: Option<mpsc::Sender<RunFeed>>) {
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner) = requests;
        if feeds.is_none() {
            self.open_runs.reset(false);
        }
        *self.feeds.lock().unwrap_or_else(PoisonError::into_inner) = feeds;
    }

    /// What holds of them since the station started, for the thread that tells more.
    pub(super) fn shared_snapshot(&self) -> Arc<Mutex<mplp::Snapshot>> {
        Arc::clone(&self.snapshot)
    }

    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// What was told on the bus since the station started.
    pub(super) fn counted(&self) -> Counted {
        self.counts.counted()
    }

    /// The runs whose records are open, for those who tell of sessions.
    pub(in crate::station) fn open_runs(&self) -> Arc<OpenRuns> {
        Arc::clone(&self.open_runs)
    }

    /// Takes a part of a run; never waits. While they are down it is dropped, and counted.
    pub(super) fn offer(&self, feed: RunFeed) -> Result<(), RunFeed> {
        let feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        match feeds.as_ref().map(|feeds| feeds.try_send(feed)) {
            Some(Ok(())) => Ok(()),
            Some(Err(mpsc::error::TrySendError::Full(feed))) => Err(feed),
            Some(Err(mpsc::error::TrySendError::Closed(_))) | None => {
                self.counts.count_not_taken(1);
                Ok(())
            }
        }
    }

    pub(super) fn set_settings(&self, settings: RecordSettings) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
    }

    /// What records are made with.
    ///
    /// # Errors
    /// They were never started.
    pub(super) fn settings(&self) -> Result<RecordSettings, PortError> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(down)
    }

    pub(super) fn ask(&self, request: Request) -> Result<(), PortError> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        requests.ok_or_else(down)?.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                PortError::Busy { what: "the request queue of lifecycle records".to_owned() }
            }
            mpsc::error::TrySendError::Closed(_) => down(),
        })
    }

    /// Tells the tap of something, and waits until it is there.
    ///
    /// # Errors
    /// They are down, or too much is asked of them.
    pub(super) async fn tell(
        &self,
        transition: Transition,
        text: String,
        cause: Option<Seq>,
    ) -> Result<(), PortError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Tell { transition, text, cause, answer })?;
        answered.await.map_err(|_| down())
    }

    /// What holds of them, and the last entry that this includes. Where they are down there is nothing.
    ///
    /// # Errors
    /// Too much is asked of them.
    pub(in crate::station) async fn snapshot(&self) -> Result<(Seq, mplp::Snapshot), PortError> {
        let (answer, answered) = oneshot::channel();
        match self.ask(Request::Snapshot { answer }) {
            Ok(()) => Ok(answered.await.unwrap_or_default()),
            Err(busy @ PortError::Busy { .. }) => Err(busy),
            Err(_) => Ok(Default::default()),
        }
    }
}

/// The records as the runs have them.
pub(in crate::station) struct RunsRecords {
    pub(in crate::station) inner: Weak<Inner>,
}

impl host::Records for RunsRecords {
    fn offer(&self, feed: RunFeed) -> Result<(), RunFeed> {
        self.inner.upgrade().map_or(Ok(()), |inner| inner.hosts.records.offer(feed))
    }
}

pub(super) fn down() -> PortError {
    host_down(Link::Mplp, "they have stopped; see `rl-console doctor`")
}
