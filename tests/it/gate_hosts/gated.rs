//! A station with its gate, as an operator has it.

use std::{sync::Arc, time::Duration};

use rl_console::{
    limits::Limits,
    port::{
        Arm, Command, GateCommand, GateError, GateOutcome, InterceptedRow, Outcome, Page, PageBytes,
        PortError, Query, StationPort, Way,
    },
    station::{Config, Ready, Station, pairing},
    tap::recorded::OwnedEntry,
    time::Clock,
};
use tempfile::TempDir;

use super::meddler::{Meddler, Sight};
use crate::real::plugins::until;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Gated {
    station: Option<Station>,
    pub(super) folder: TempDir,
    runtime: tokio::runtime::Runtime,
    /// Nothing while the station is started again.
    port: Option<Arc<dyn StationPort>>,
    pub(super) ready: Ready,
    /// The bridge token.
    pub(super) token: String,
    limits: Limits,
}

impl Gated {
    pub(super) fn open() -> Self {
        Self::with(&Limits::default())
    }

    pub(super) fn with(limits: &Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let token = pairing::pair(folder.path(), false).unwrap().reveal().to_owned();
        let (station, port, ready) = start(&folder, &runtime, limits);
        Self { station: Some(station), folder, runtime, port: Some(port), ready, token, limits: *limits }
    }

    /// Ends the station in order and starts it again on the same folder.
    pub(super) fn restart(&mut self) {
        // What has the port has the station's data.
        self.port = None;
        self.station.take().unwrap().stop();
        let (station, port, ready) = start(&self.folder, &self.runtime, &self.limits);
        (self.station, self.port, self.ready) = (Some(station), Some(port), ready);
    }

    pub(super) fn command(&self, command: GateCommand) -> Result<GateOutcome, GateError> {
        match self.runtime.block_on(self.port().command(Command::Gate(command))) {
            Ok(Outcome::Gate(outcome)) => Ok(outcome),
            Err(PortError::Gate(error)) => Err(error),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn do_command(&self, command: Command) -> Result<Outcome, PortError> {
        self.runtime.block_on(self.port().command(command))
    }

    pub(super) fn query(&self, query: Query) -> Page {
        self.runtime.block_on(self.port().query(query)).unwrap()
    }

    /// Arms a rule; its number.
    pub(super) fn arm(&self, filter: &str, way: Way) -> u64 {
        let arm = Arm { filter: filter.to_owned(), way: Some(way), ..Arm::default() };
        match self.command(GateCommand::Arm(arm)).unwrap() {
            GateOutcome::Armed { rule } => rule,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn held(&self) -> Vec<InterceptedRow> {
        match self.query(Query::Intercepted) {
            Page::Intercepted(rows) => rows,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until so many frames are held.
    pub(super) fn wait_held(&self, count: usize) -> Vec<InterceptedRow> {
        let is_held = || Some(self.held()).filter(|held| held.len() == count);
        until(|| format!("{count} are awaited, held are {:?}", self.held()), is_held)
    }

    /// The bytes of a held frame.
    pub(super) fn bytes(&self, frame: u64) -> Vec<u8> {
        match self.query(Query::InterceptedFrame { frame }) {
            Page::InterceptedFrame(held) => held.bytes.0,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn pass(&self, frame: u64) {
        self.command(GateCommand::Pass { frames: vec![frame] }).unwrap();
    }

    pub(super) fn edit(&self, frame: u64, bytes: Vec<u8>, keeps: bool) -> Result<GateOutcome, GateError> {
        self.command(GateCommand::Edit { frame, bytes: PageBytes(bytes), keeps })
    }

    fn port(&self) -> &Arc<dyn StationPort> {
        self.port.as_ref().unwrap()
    }

    /// Who holds frames of this station at random.
    pub(super) fn meddler<'a>(&'a self, sight: &'a Sight, seed: u64) -> Meddler<'a> {
        Meddler::new(&self.runtime, &**self.port(), sight, seed)
    }

    pub(super) fn handle(&self) -> tokio::runtime::Handle {
        self.runtime.handle().clone()
    }

    pub(super) fn block_on<T>(&self, doing: impl Future<Output = T>) -> T {
        self.runtime.block_on(doing)
    }

    pub(super) fn spawn<T: Send + 'static>(
        &self,
        doing: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.spawn(doing)
    }

    /// A reader of what happens from now on.
    pub(super) fn tap(&self) -> rl_console::tap::Reader {
        self.port().entries().unwrap()
    }

    /// Everything that a reader has before it, until a predicate holds of what came.
    pub(super) fn read_until(
        &self,
        reader: &mut rl_console::tap::Reader,
        is_there: impl Fn(&[OwnedEntry]) -> bool,
    ) -> Vec<OwnedEntry> {
        let mut entries = Vec::new();
        self.runtime.block_on(async {
            while !is_there(&entries) {
                tokio::time::timeout(PATIENCE, reader.ready()).await.expect("entries come");
                for it in reader.read().iter().flat_map(rl_console::tap::Batch::iter) {
                    entries.push(OwnedEntry { entry: it.entry.clone(), bytes: it.bytes.to_vec() });
                }
            }
        });
        entries
    }
}

impl Drop for Gated {
    fn drop(&mut self) {
        if let Some(station) = self.station.take() {
            station.stop();
        }
    }
}

fn start(
    folder: &TempDir,
    runtime: &tokio::runtime::Runtime,
    limits: &Limits,
) -> (Station, Arc<dyn StationPort>, Ready) {
    let config = Config { limits: *limits, is_rehearsal: true, ..Config::within(folder.path()) };
    let station = Station::start(config, Clock::start()).unwrap();
    let ready = runtime.block_on(station.ready()).unwrap();
    let port = station.port();
    (station, port, ready)
}
