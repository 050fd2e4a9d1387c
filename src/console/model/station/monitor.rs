//! Looking at a station without a screen: alerts and a summary of the state, for `serve` and `--plain`.
//!
//! It folds no row: what would be a screen's state is taken from a snapshot once a second while anything
//! happens, so that a busy station that nobody looks at pays next to nothing. Only what an alert is timed by
//! is counted from the entries themselves.

use std::{collections::VecDeque, sync::Arc};

use super::StationState;
use crate::{
    console::{
        model::{Alerts, ReportLine, alerts::Evidence, bus::Bus},
        settings::{AlertRules, config::CommandHints},
    },
    ids::{PackId, Peer, QueueName, Seq, TraceId},
    limits,
    mpp::Listener,
    port::Snapshot,
    tap::{
        EntryRef,
        entry::{Link, Transition, What, runs, station},
    },
    time::Now,
};

/// An alert that came, or passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlertChange {
    /// Its name for scripts.
    pub(crate) name: &'static str,
    /// Whom it concerns.
    pub(crate) subject: String,
    /// The alerts that hold.
    pub(crate) text: String,
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

/// Runs whose names are remembered between two snapshots.
const SUBMITTED_MAX: usize = 1_024;

/// The state of a station that no screen shows.
#[derive(Debug)]
pub(crate) struct StationMonitor {
    rules: AlertRules,
    commands: CommandHints,
    alerts: Alerts,
    /// What the bus dropped, by what snapshots say of it.
    bus: Bus,
    world: Option<StationState>,
    /// Runs that no snapshot had yet when they were accepted: the last of them, with their openings' names.
    submitted: VecDeque<(TraceId, Arc<str>)>,
    /// The bridge's entries up to here are in what the alerts were seeded with.
    seeded: Option<Seq>,
    /// Something happened since the last snapshot.
    is_stale: bool,
}

impl StationMonitor {
    /// One that knows nothing yet.
    pub(crate) fn new(rules: AlertRules, limits: limits::Console, commands: CommandHints) -> Self {
        let bus = Bus::with_limits(&limits::Rmp::default());
        Self {
            rules,
            commands,
            alerts: Alerts::new(limits),
            bus,
            world: None,
            submitted: VecDeque::new(),
            seeded: None,
            is_stale: true,
        }
    }

    /// Whether a snapshot would tell something new.
    pub(crate) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Takes a snapshot.
    pub(crate) fn take(&mut self, snapshot: Snapshot) {
        if self.seeded.is_none() {
            self.alerts.seed(&snapshot);
            self.seeded = Some(snapshot.as_of.0[Link::Mpp.index()]);
        }
        self.bus.seed(&snapshot.rmp, self.world.as_ref().map(|world| &world.rmp), snapshot.at);
        self.world = Some(snapshot);
        self.is_stale = false;
    }

    /// Entries were lost before the next: what was counted is to be begun anew.
    pub(crate) fn lose(&mut self) {
        self.seeded = None;
        self.is_stale = true;
    }

    /// Takes one entry.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>) {
        self.is_stale = true;
        if matches!(
            entry.entry.what,
            What::Transition(Transition::Station(station::Transition::HostUp { link: Link::Mpp }))
        ) {
            // It begins anew from the store.
            self.seeded = None;
        }
        if let What::Transition(Transition::Runs(runs::Transition::Submitted { run, name, .. })) =
            &entry.entry.what
        {
            self.submitted.push_back((*run, Arc::clone(name)));
            if self.submitted.len() > SUBMITTED_MAX {
                self.submitted.pop_front();
            }
        }
        let follows =
            entry.entry.link == Link::Mpp && self.seeded.is_some_and(|seeded| entry.entry.seq > seeded);
        self.alerts.fold(entry, self.world.as_ref(), !follows);
        // A bridge that is down gives no snapshot; that it is, the station says.
        if let (Some(world), What::Transition(Transition::Station(transition))) =
            (&mut self.world, &entry.entry.what)
            && !world.as_of.covers(entry.entry.link, entry.entry.seq)
        {
            world.station.apply(entry.entry.at, transition, &entry.text());
        }
    }

    /// Holds the rules against what is; what came and what passed. To be called once a second.
    pub(crate) fn judge(&mut self, now: Now) -> Vec<AlertChange> {
        let Some(world) = &self.world else { return Vec::new() };
        let evidence = Evidence { state: world, drops: &self.bus.drops, rules: &self.rules, now };
        let judged = self.alerts.evaluate(&evidence);
        let raised = judged.raised.iter().map(|number| (*number, true));
        let passed = judged.resolved.iter().map(|number| (*number, false));
        raised
            .chain(passed)
            .filter_map(|(number, is_new)| {
                let alert = self.alerts.get(number)?;
                let to_do = if is_new { self.remedy_text(&alert.cause.remedy(world)) } else { Vec::new() };
                Some(AlertChange {
                    name: alert.cause.name(),
                    subject: alert.cause.subject().to_owned(),
                    text: alert.text.to_string(),
                    to_do,
                    lasted_s: (!is_new).then(|| alert.duration(now).as_secs()),
                })
            })
            .collect()
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
            recording: station.recording.as_ref().map(|recording| recording.path.display().to_string()),
            held: braked(|queue| queue.brake.held),
            draining: braked(|queue| queue.brake.draining),
            alerts: self.alerts.unresolved().count(),
        };
        let figures = QueueMetrics {
            pending: mpp.queues.values().map(|queue| queue.pending).sum(),
            in_flight: mpp.queues.values().filter(|queue| queue.in_flight.is_some()).count(),
        };
        Some((summary, figures))
    }
}
