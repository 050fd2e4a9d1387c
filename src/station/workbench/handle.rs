//! The way to the workbench.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{
    door::Door,
    doors::Doors,
    serve::{Job, Jobs},
};
use crate::{
    ids::ConnectionId,
    port::{DOOR_OPENS, Outcome, PortError, WorkbenchCommand, WorkbenchError, WorkbenchOutcome},
    station::{local::Operating, status::StationStatus},
};

/// Commands that are being done at one time.
const JOBS_MAX: usize = 64;

/// The workbench as the port has it.
#[derive(Debug)]
pub(in crate::station) struct Workbench {
    jobs: mpsc::Sender<Job>,
    places: Arc<Semaphore>,
    /// Taken by who serves it.
    waiting: Mutex<Option<Jobs>>,
    doors: Arc<Doors>,
}

impl Default for Workbench {
    fn default() -> Self {
        let (jobs, waiting) = mpsc::channel(JOBS_MAX);
        let places = Arc::new(Semaphore::new(JOBS_MAX));
        Self { jobs, places, waiting: Mutex::new(Some(waiting)), doors: Arc::default() }
    }
}

impl Workbench {
    /// What it is to do, and its doors, once.
    pub(super) fn take_jobs(&self) -> Option<(Arc<Doors>, Jobs)> {
        let jobs = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some((Arc::clone(&self.doors), jobs))
    }

    /// An open door, as long as its host is the one that it was opened at.
    ///
    /// # Errors
    /// There is none of this number, and why, where that is known.
    pub(super) fn door(&self, status: &StationStatus, number: u64) -> Result<Arc<Door>, WorkbenchError> {
        let door = self.doors.find(number)?;
        let Some(why) = door.host_gone(status) else { return Ok(door) };
        self.doors.close(number, &why);
        Err(door.gone())
    }

    /// Closes the doors of a session of the bus that is over.
    pub(in crate::station) fn operator_gone(&self, session: ConnectionId) {
        self.doors.operator_gone(session);
    }

    /// Whether a session of the bus is over.
    pub(in crate::station) fn is_over(&self, session: ConnectionId) -> bool {
        self.doors.is_over(session)
    }

    /// Closes the doors of all sessions below this one: the bus that had them is down.
    pub(in crate::station) fn operators_gone(&self, below: ConnectionId) {
        self.doors.operators_gone(below);
    }

    /// Does what an operator asks. What is opened is in the journal; the frames themselves are in the tap.
    pub(in crate::station) async fn command(
        &self,
        operating: Operating<'_>,
        command: WorkbenchCommand,
    ) -> Result<Outcome, PortError> {
        let cause = describe(&command).map(|what| (operating.report(&what), what));
        let (answer, answered) = oneshot::channel();
        let by = operating.by.clone();
        let busy = || PortError::Busy { what: "the workbench's command queue".to_owned() };
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| busy())?;
        let done = match self.jobs.try_send(Job { command, by, answer, place }) {
            Ok(()) => answered.await.unwrap_or(Err(PortError::Stopping)),
            Err(mpsc::error::TrySendError::Full(_)) => Err(busy()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(PortError::Stopping),
        };
        if let (Err(error), Some((_, what))) = (&done, &cause) {
            operating.refused(&format!("{what}: {error}"));
        }
        done.map(|outcome: WorkbenchOutcome| Outcome::Workbench(outcome))
    }
}

/// A command in the words of the journal; nothing of one that the tap tells of.
fn describe(command: &WorkbenchCommand) -> Option<String> {
    match command {
        WorkbenchCommand::Open { door } => Some(format!("{DOOR_OPENS}{}", door.words())),
        WorkbenchCommand::Close { .. } | WorkbenchCommand::Send { .. } | WorkbenchCommand::SendAll { .. } => {
            None
        }
    }
}
