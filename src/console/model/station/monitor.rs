//! Looking at a station without a screen: alerts and a summary of the state, for `serve` and `--plain`.
//!
//! It folds no row: what would be a screen's state is taken from a snapshot once a second while anything
//! happens, so that a busy station that nobody looks at pays next to nothing.

use std::{collections::VecDeque, sync::Arc};

use super::StationState;
use crate::{
    console::{
        model::{ReportLine, alerts::remedy},
        settings::config::CommandHints,
    },
    ids::{PackId, Peer, QueueName, TraceId},
    mpp::Listener,
    port::Snapshot,
    tap::{
        EntryRef,
        entry::{
            Link, Transition, What,
            alerts::{Alert, AlertChange as Change},
            runs,
            station::Transition as T,
        },
    },
    time::Now,
};

/// An alert that came, or passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlertChange {
    /// Its name for scripts.
    pub(crate) name: Arc<str>,
    /// Whom it concerns.
    pub(crate) subject: Arc<str>,
    /// The alerts that hold.
    pub(crate) text: Arc<str>,
    /// What to do about it, in words and command lines; nothing when it passed.
    pub(crate) to_do: Vec<String>,
    /// How many seconds its cause held, once it has passed.
    pub(crate) lasted_s: Option<u64>,
}

/// How everything is. Equal summaries are no news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) pack: PackId,
    /// Why the bridge does not answer, if it does not.
    pub(crate) mpp_down: Option<String>,
    pub(crate) paired: bool,
    pub(crate) adapter: Option<Peer>,
    pub(crate) store_failing: bool,
    pub(crate) recording: Option<String>,
    pub(crate) held: Vec<QueueName>,
    pub(crate) draining: Vec<QueueName>,
    /// Alerts whose cause holds.
    pub(crate) alerts: usize,
}

/// Rows at one moment. They change all the time, and are told beside a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueMetrics {
    pub(crate) pending: u64,
    pub(crate) in_flight: usize,
}

/// Changes of alerts that are remembered until they are said.
const ALERTS_MAX: usize = 256;
/// Runs whose names are remembered between two snapshots.
const SUBMITTED_MAX: usize = 1_024;

/// The state of a station that no screen shows.
#[derive(Debug)]
pub(crate) struct StationMonitor {
    commands: CommandHints,
    /// What became of alerts since it was last said, the last few.
    alerts: VecDeque<(Change, Arc<Alert>)>,
    world: Option<StationState>,
    /// Runs that no snapshot had yet when they were accepted: the last of them, with their openings' names.
    submitted: VecDeque<(TraceId, Arc<str>)>,
    /// Something happened since the last snapshot.
    is_stale: bool,
}

impl StationMonitor {
    /// One that knows nothing yet.
    pub(crate) fn new(commands: CommandHints) -> Self {
        let (alerts, submitted) = (VecDeque::new(), VecDeque::new());
        Self { commands, alerts, world: None, submitted, is_stale: true }
    }

    /// Whether a snapshot would tell something new.
    pub(crate) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Takes a snapshot.
    pub(crate) fn take(&mut self, snapshot: Snapshot) {
        self.world = Some(snapshot);
        self.is_stale = false;
    }

    /// Entries were lost before the next.
    pub(crate) fn lose(&mut self) {
        self.is_stale = true;
    }

    /// Takes one entry.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>) {
        self.is_stale = true;
        if let What::Transition(Transition::Station(T::Alert { change, alert })) = &entry.entry.what {
            self.alerts.push_back((*change, Arc::clone(alert)));
            if self.alerts.len() > ALERTS_MAX {
                self.alerts.pop_front();
            }
        }
        if let What::Transition(Transition::Runs(runs::Transition::Submitted { run, name, .. })) =
            &entry.entry.what
        {
            self.submitted.push_back((*run, Arc::clone(name)));
            if self.submitted.len() > SUBMITTED_MAX {
                self.submitted.pop_front();
            }
        }
        // A bridge that is down gives no snapshot; that it is, the station says.
        if let (Some(world), What::Transition(Transition::Station(transition))) =
            (&mut self.world, &entry.entry.what)
            && !world.as_of.covers(entry.entry.link, entry.entry.seq)
        {
            world.station.apply(entry.entry.at, transition, &entry.text());
        }
    }

    /// What came and what passed since it was last asked, once anything is known of the station.
    pub(crate) fn take_alerts(&mut self, now: Now) -> Vec<AlertChange> {
        let Some(world) = &self.world else { return Vec::new() };
        let told = std::mem::take(&mut self.alerts).into_iter().filter_map(|(change, alert)| {
            let (to_do, lasted_s) = match change {
                Change::Raised => (self.remedy_text(&remedy(&alert, world)), None),
                Change::Resolved => (Vec::new(), Some(alert.duration(now).as_secs())),
                Change::Updated | Change::Acknowledged => return None,
            };
            let (name, subject, text) =
                (Arc::clone(&alert.name), Arc::clone(&alert.subject), Arc::clone(&alert.text));
            Some(AlertChange { name, subject, text, to_do, lasted_s })
        });
        told.collect()
    }

    /// The name of a run's opening, where that is known.
    pub(crate) fn run_name(&self, run: TraceId) -> Option<String> {
        let name = |known: &(TraceId, Arc<str>)| (known.0 == run).then(|| known.1.to_string());
        let known = self.world.as_ref().and_then(|world| Some(world.runs.run(run)?.name.to_string()));
        known.or_else(|| self.submitted.iter().rev().find_map(name))
    }

    /// What can be done without a screen: keys are left out.
    fn remedy_text(&self, sentences: &[ReportLine]) -> Vec<String> {
        let words = sentences.iter().filter_map(|sentence| match sentence {
            ReportLine::Detail(_, words, _) | ReportLine::Reason(words) | ReportLine::Instruction(words) => {
                Some(words.clone())
            }
            ReportLine::KeyHint(..) => None,
            ReportLine::Command(rest) => Some(format!("`{}`", self.commands.line(rest))),
        });
        words.collect()
    }

    /// How everything is, once that is known.
    pub(crate) fn summary(&self) -> Option<(Summary, QueueMetrics)> {
        let StationState { station, mpp, .. } = self.world.as_ref()?;
        let down = match (&station.hosts[Link::Mpp.index()], &mpp.listener) {
            (crate::port::HostState::Down(why), _) | (_, Listener::Down(why)) => Some(why.to_string()),
            _ => None,
        };
        let braked = |is: fn(&crate::mpp::QueueView) -> bool| {
            mpp.queues.iter().filter(|(_, queue)| is(queue)).map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let summary = Summary {
            pack: mpp.pack.id.clone(),
            paired: mpp.paired,
            adapter: mpp.adapter.as_ref().filter(|_| down.is_none()).map(|adapter| adapter.peer.clone()),
            mpp_down: down,
            store_failing: station.store_failing.is_some() || mpp.commits_failing.is_some(),
            recording: station
                .recording
                .as_ref()
                .map(|recording| &recording.path)
                .or(station.always_recording.as_ref())
                .map(|path| path.display().to_string()),
            held: braked(|queue| queue.brake.held),
            draining: braked(|queue| queue.brake.draining),
            alerts: station.alerts.unresolved().count(),
        };
        let figures = QueueMetrics {
            pending: mpp.queues.values().map(|queue| queue.pending).sum(),
            in_flight: mpp.queues.values().filter(|queue| queue.in_flight.is_some()).count(),
        };
        Some((summary, figures))
    }
}
